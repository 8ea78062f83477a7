/// Who works in the console, and what they did (records 262 and 263).
enum Migration0023 {
  static let statements = [
    """
    CREATE TABLE operator_accounts (
      name TEXT NOT NULL PRIMARY KEY,
      created_at INTEGER NOT NULL,
      disabled_at INTEGER
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE operator_roles (
      account TEXT NOT NULL REFERENCES operator_accounts (name),
      app TEXT NOT NULL,               -- '*' stands for every app
      role TEXT NOT NULL CHECK (role IN ('viewer', 'support', 'finance', 'operator', 'admin')),
      PRIMARY KEY (account, app)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE sign_in_links (
      digest TEXT NOT NULL PRIMARY KEY,  -- SHA-256 of the code
      account TEXT NOT NULL REFERENCES operator_accounts (name),
      created_at INTEGER NOT NULL,
      used_at INTEGER
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE console_sessions (
      digest TEXT NOT NULL PRIMARY KEY,  -- SHA-256 of the token
      account TEXT NOT NULL REFERENCES operator_accounts (name),
      created_at INTEGER NOT NULL,
      seen_at INTEGER NOT NULL,
      ended_at INTEGER
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE audit_log (
      id INTEGER PRIMARY KEY,            -- from 1, without gaps
      at INTEGER NOT NULL,
      app TEXT,
      environment TEXT,
      actor_kind TEXT NOT NULL CHECK (actor_kind IN ('account', 'host')),
      actor TEXT NOT NULL,
      role TEXT,
      address TEXT,
      action TEXT NOT NULL,
      object_kind TEXT,
      object TEXT,
      reason TEXT,
      request_id TEXT,
      outcome TEXT NOT NULL CHECK (outcome IN ('done', 'refused')),
      problem TEXT,
      action_key TEXT NOT NULL UNIQUE,   -- one press of a button
      previous BLOB NOT NULL UNIQUE CHECK (length(previous) = 32),
      hash BLOB NOT NULL CHECK (length(hash) = 32)
    ) STRICT
    """,
    """
    CREATE TRIGGER audit_log_never_changes BEFORE UPDATE ON audit_log
    BEGIN SELECT raise(ABORT, 'The audit log never changes.'); END
    """,
    """
    CREATE TRIGGER audit_log_never_shrinks BEFORE DELETE ON audit_log
    BEGIN SELECT raise(ABORT, 'The audit log never changes.'); END
    """,
  ]
}
