/// Entitlements that were given until a date without a payment (record 0304), and which keys may give them. A server of
/// the version before neither reads nor writes them.
enum Migration0030 {
  static let statements = [
    "ALTER TABLE api_keys ADD COLUMN may_give_entitlements INTEGER NOT NULL DEFAULT 0",
    """
    CREATE TABLE promotional_entitlements (   -- never removed; only the user and the early end change
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      promotional_key TEXT NOT NULL,          -- the caller's own id
      user_id TEXT NOT NULL,
      entitlement TEXT NOT NULL,
      given_at INTEGER NOT NULL,
      ends_at INTEGER NOT NULL,
      reason TEXT NOT NULL,
      given_by TEXT NOT NULL,                 -- a key or an operator account
      request_digest TEXT NOT NULL,
      revoked_at INTEGER,
      revoke_reason TEXT,
      revoked_by TEXT,
      PRIMARY KEY (app, environment, promotional_key),
      CHECK (ends_at > given_at)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE INDEX promotional_of_user
    ON promotional_entitlements (app, environment, user_id, ends_at, promotional_key)
    """,
    "CREATE INDEX promotional_given ON promotional_entitlements (app, environment, given_at)",
  ]
}
