/// Who works in the console, and what they did: the tables of SQLite's step 23 (records 262 and 263).
enum Schema0004 {
  static let statements = accounts + auditLog

  private static let accounts = [
    """
    CREATE TABLE operator_accounts (
      name TEXT COLLATE "C" PRIMARY KEY,
      created_at BIGINT NOT NULL,
      disabled_at BIGINT
    )
    """,
    """
    CREATE TABLE operator_roles (
      account TEXT COLLATE "C" NOT NULL REFERENCES operator_accounts (name),
      app TEXT COLLATE "C" NOT NULL,
      role TEXT COLLATE "C" NOT NULL CHECK (role IN ('viewer', 'support', 'finance', 'operator', 'admin')),
      PRIMARY KEY (account, app)
    )
    """,
    """
    CREATE TABLE sign_in_links (
      digest TEXT COLLATE "C" PRIMARY KEY,
      account TEXT COLLATE "C" NOT NULL REFERENCES operator_accounts (name),
      created_at BIGINT NOT NULL,
      used_at BIGINT
    )
    """,
    """
    CREATE TABLE console_sessions (
      digest TEXT COLLATE "C" PRIMARY KEY,
      account TEXT COLLATE "C" NOT NULL REFERENCES operator_accounts (name),
      created_at BIGINT NOT NULL,
      seen_at BIGINT NOT NULL,
      ended_at BIGINT
    )
    """,
  ]

  private static let auditLog = [
    """
    CREATE TABLE audit_log (
      id BIGINT PRIMARY KEY,
      at BIGINT NOT NULL,
      app TEXT COLLATE "C",
      environment TEXT COLLATE "C",
      actor_kind TEXT COLLATE "C" NOT NULL CHECK (actor_kind IN ('account', 'host')),
      actor TEXT COLLATE "C" NOT NULL,
      role TEXT COLLATE "C",
      address TEXT COLLATE "C",
      action TEXT COLLATE "C" NOT NULL,
      object_kind TEXT COLLATE "C",
      object TEXT COLLATE "C",
      reason TEXT COLLATE "C",
      request_id TEXT COLLATE "C",
      outcome TEXT COLLATE "C" NOT NULL CHECK (outcome IN ('done', 'refused')),
      problem TEXT COLLATE "C",
      action_key TEXT COLLATE "C" NOT NULL UNIQUE,
      previous BYTEA NOT NULL UNIQUE CHECK (octet_length(previous) = 32),
      hash BYTEA NOT NULL CHECK (octet_length(hash) = 32)
    )
    """,
    // A copy that was interrupted empties its tables, in a schema that no server uses yet.
    """
    CREATE FUNCTION audit_log_stays() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'TRUNCATE' AND TG_TABLE_SCHEMA LIKE '%\\_loading' THEN RETURN NULL; END IF;
      RAISE EXCEPTION 'The audit log never changes.';
    END $$
    """,
    """
    CREATE TRIGGER audit_log_never_changes BEFORE UPDATE OR DELETE ON audit_log
      FOR EACH ROW EXECUTE FUNCTION audit_log_stays()
    """,
    """
    CREATE TRIGGER audit_log_never_shrinks BEFORE TRUNCATE ON audit_log
      FOR EACH STATEMENT EXECUTE FUNCTION audit_log_stays()
    """,
  ]
}
