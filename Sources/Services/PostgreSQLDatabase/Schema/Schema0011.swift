/// Entitlements that were given until a date without a payment: SQLite's step 30 (record 0304). The step only adds. A
/// server of an earlier version does not know them: give them once all servers are of this version.
enum Schema0011 {
  static let statements = [
    "ALTER TABLE api_keys ADD COLUMN may_give_entitlements BIGINT NOT NULL DEFAULT 0",
    """
    CREATE TABLE promotional_entitlements (
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      promotional_key TEXT COLLATE "C" NOT NULL,
      user_id TEXT COLLATE "C" NOT NULL,
      entitlement TEXT COLLATE "C" NOT NULL,
      given_at BIGINT NOT NULL,
      ends_at BIGINT NOT NULL,
      reason TEXT COLLATE "C" NOT NULL,
      given_by TEXT COLLATE "C" NOT NULL,
      request_digest TEXT COLLATE "C" NOT NULL,
      revoked_at BIGINT,
      revoke_reason TEXT COLLATE "C",
      revoked_by TEXT COLLATE "C",
      PRIMARY KEY (app, environment, promotional_key),
      CHECK (ends_at > given_at)
    )
    """,
    """
    CREATE INDEX promotional_of_user
      ON promotional_entitlements ((app || ' ' || environment), user_id, ends_at, promotional_key)
    """,
    "CREATE INDEX promotional_given ON promotional_entitlements ((app || ' ' || environment), given_at)",
  ]
}
