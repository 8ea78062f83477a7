/// What an erasure may replace in an entry of the audit log: SQLite's step 33 (record 312). The step only adds. A
/// server of an earlier version writes entries without a seal, and erases nothing from the log: erase once all servers
/// are of this version.
enum Schema0014 {
  static let statements = [
    "ALTER TABLE audit_log ADD COLUMN personal_digest BYTEA CHECK (octet_length(personal_digest) = 32)",
    "ALTER TABLE audit_log ADD COLUMN salt BYTEA CHECK (octet_length(salt) = 32)",
    #"ALTER TABLE audit_log ADD COLUMN redacted_by TEXT COLLATE "C""#,
    // Only an erasure under way changes an entry: its object and its reason, and the salt goes. The name of the schema
    // changes at the end of a copy, so it is looked up.
    """
    CREATE OR REPLACE FUNCTION audit_log_stays() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      redacted CONSTANT TEXT[] := ARRAY['object', 'reason', 'salt', 'redacted_by'];
      is_under_way BOOLEAN;
    BEGIN
      IF TG_OP = 'TRUNCATE' AND TG_TABLE_SCHEMA LIKE '%\\_loading' THEN RETURN NULL; END IF;
      IF TG_OP = 'UPDATE' THEN
        EXECUTE
          format('SELECT EXISTS (SELECT 1 FROM %I.erasures WHERE alias = $1 AND done_at IS NULL)', TG_TABLE_SCHEMA)
          INTO is_under_way USING NEW.redacted_by;
        IF is_under_way AND NEW.salt IS NULL AND to_jsonb(NEW) - redacted = to_jsonb(OLD) - redacted THEN
          RETURN NEW;
        END IF;
      END IF;
      RAISE EXCEPTION 'The audit log never changes.';
    END $$
    """,
  ]
}
