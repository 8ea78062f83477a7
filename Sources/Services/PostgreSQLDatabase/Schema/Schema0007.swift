/// Second factors, sessions by account, actions that two operators decide: SQLite's step 26 (records 270 to
/// 272).
enum Schema0007 {
  static let statements = factors + approvals + auditLog

  private static let factors = [
    // The secret of the codes is computed from the salt.
    #"ALTER TABLE operator_accounts ADD COLUMN code_salt TEXT COLLATE "C""#,
    "ALTER TABLE operator_accounts ADD COLUMN codes_since BIGINT",
    "ALTER TABLE console_sessions ADD COLUMN proved_at BIGINT NOT NULL DEFAULT 0",
    "ALTER TABLE console_sessions ADD COLUMN wrong_codes BIGINT NOT NULL DEFAULT 0",
    """
    CREATE INDEX console_sessions_of_account ON console_sessions (account, created_at, digest) WHERE ended_at IS NULL
    """,
    """
    CREATE TABLE pending_sign_ins (
      digest TEXT COLLATE "C" PRIMARY KEY,  -- SHA-256 of the token
      account TEXT COLLATE "C" NOT NULL REFERENCES operator_accounts (name),
      created_at BIGINT NOT NULL,
      wrong_codes BIGINT NOT NULL,
      ended_at BIGINT
    )
    """,
    """
    CREATE TABLE passkeys (
      credential TEXT COLLATE "C" PRIMARY KEY,
      account TEXT COLLATE "C" NOT NULL REFERENCES operator_accounts (name),
      public_key BYTEA NOT NULL CHECK (octet_length(public_key) = 65),
      label TEXT COLLATE "C" NOT NULL,
      created_at BIGINT NOT NULL,
      sign_count BIGINT NOT NULL,
      used_at BIGINT,
      removed_at BIGINT
    )
    """,
    "CREATE INDEX passkeys_of_account ON passkeys (account, created_at, credential) WHERE removed_at IS NULL",
  ]

  private static let approvals = [
    """
    CREATE TABLE approvals (
      id TEXT COLLATE "C" PRIMARY KEY,
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      action TEXT COLLATE "C" NOT NULL,
      object_kind TEXT COLLATE "C" NOT NULL,
      object TEXT COLLATE "C" NOT NULL,
      arguments TEXT COLLATE "C" NOT NULL,           -- JSON
      digest TEXT COLLATE "C" NOT NULL,              -- SHA-256 of everything that was asked
      reason TEXT COLLATE "C" NOT NULL,
      asked_by TEXT COLLATE "C" NOT NULL REFERENCES operator_accounts (name),
      asked_at BIGINT NOT NULL,
      decided_by TEXT COLLATE "C" REFERENCES operator_accounts (name),
      decided_at BIGINT,
      decision TEXT COLLATE "C" CHECK (decision IN ('approved', 'refused')),
      done_at BIGINT,
      problem TEXT COLLATE "C",
      CHECK (decided_by IS NULL OR decided_by <> asked_by)
    )
    """,
    "CREATE INDEX approvals_of_app ON approvals (app, asked_at, id)",
  ]

  private static let auditLog = [
    "ALTER TABLE audit_log DROP CONSTRAINT audit_log_actor_kind_check",
    """
    ALTER TABLE audit_log ADD CONSTRAINT audit_log_actor_kind_check
      CHECK (actor_kind IN ('account', 'host', 'key', 'unidentified'))
    """,
  ]
}
