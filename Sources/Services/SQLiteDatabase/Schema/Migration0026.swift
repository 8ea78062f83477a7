/// Second factors, sessions by account, actions that two operators decide (records 270 to 272). Operator keys and
/// browsers that fail to sign in are actors of the audit log, too.
enum Migration0026 {
  static let statements = factors + approvals + auditLog

  private static let factors = [
    // The secret of the codes is computed from the salt.
    "ALTER TABLE operator_accounts ADD COLUMN code_salt TEXT",
    "ALTER TABLE operator_accounts ADD COLUMN codes_since INTEGER",
    "ALTER TABLE console_sessions ADD COLUMN proved_at INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE console_sessions ADD COLUMN wrong_codes INTEGER NOT NULL DEFAULT 0",
    """
    CREATE INDEX console_sessions_of_account ON console_sessions (account, created_at, digest) WHERE ended_at IS NULL
    """,
    """
    CREATE TABLE pending_sign_ins (
      digest TEXT NOT NULL PRIMARY KEY,  -- SHA-256 of the token
      account TEXT NOT NULL REFERENCES operator_accounts (name),
      created_at INTEGER NOT NULL,
      wrong_codes INTEGER NOT NULL,
      ended_at INTEGER
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE passkeys (
      credential TEXT NOT NULL PRIMARY KEY,
      account TEXT NOT NULL REFERENCES operator_accounts (name),
      public_key BLOB NOT NULL CHECK (length(public_key) = 65),
      label TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      sign_count INTEGER NOT NULL,
      used_at INTEGER,
      removed_at INTEGER
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX passkeys_of_account ON passkeys (account, created_at, credential) WHERE removed_at IS NULL",
  ]

  private static let approvals = [
    """
    CREATE TABLE approvals (
      id TEXT NOT NULL PRIMARY KEY,
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      action TEXT NOT NULL,
      object_kind TEXT NOT NULL,
      object TEXT NOT NULL,
      arguments TEXT NOT NULL,           -- JSON
      digest TEXT NOT NULL,              -- SHA-256 of everything that was asked
      reason TEXT NOT NULL,
      asked_by TEXT NOT NULL REFERENCES operator_accounts (name),
      asked_at INTEGER NOT NULL,
      decided_by TEXT REFERENCES operator_accounts (name),
      decided_at INTEGER,
      decision TEXT CHECK (decision IN ('approved', 'refused')),
      done_at INTEGER,
      problem TEXT,
      CHECK (decided_by IS NULL OR decided_by <> asked_by)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX approvals_of_app ON approvals (app, asked_at, id)",
  ]

  /// SQLite changes no check of a table, so the entries move into a new one.
  private static let auditLog = [
    """
    CREATE TABLE audit_log_with_keys (
      id INTEGER PRIMARY KEY,            -- from 1, without gaps
      at INTEGER NOT NULL,
      app TEXT,
      environment TEXT,
      actor_kind TEXT NOT NULL CHECK (actor_kind IN ('account', 'host', 'key', 'unidentified')),
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
    "INSERT INTO audit_log_with_keys SELECT * FROM audit_log",
    "DROP TABLE audit_log",
    "ALTER TABLE audit_log_with_keys RENAME TO audit_log",
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
