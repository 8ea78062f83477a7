/// What an erasure may replace in an entry of the audit log (record 312). A server of the version before writes entries
/// without a seal: their hash covers the object and the reason themselves.
enum Migration0033 {
  static let statements = [
    // SHA-256 over the salt, the object and the reason.
    "ALTER TABLE audit_log ADD COLUMN personal_digest BLOB CHECK (length(personal_digest) = 32)",
    // Null once an erasure has replaced the object or the reason.
    "ALTER TABLE audit_log ADD COLUMN salt BLOB CHECK (length(salt) = 32)",
    // The alias of that erasure.
    "ALTER TABLE audit_log ADD COLUMN redacted_by TEXT",
    "DROP TRIGGER audit_log_never_changes",
    """
    CREATE TRIGGER audit_log_never_changes BEFORE UPDATE OF
      id, at, app, environment, actor_kind, actor, role, address, action, object_kind, request_id, outcome, problem,
      action_key, previous, hash, personal_digest
    ON audit_log
    BEGIN SELECT raise(ABORT, 'The audit log never changes.'); END
    """,
    """
    CREATE TRIGGER audit_log_is_redacted_by_erasures BEFORE UPDATE OF object, reason, salt, redacted_by ON audit_log
    WHEN new.salt IS NOT NULL
      OR NOT EXISTS (SELECT 1 FROM erasures WHERE alias = new.redacted_by AND done_at IS NULL)
    BEGIN SELECT raise(ABORT, 'Only an erasure under way changes an entry of the audit log.'); END
    """,
  ]
}
