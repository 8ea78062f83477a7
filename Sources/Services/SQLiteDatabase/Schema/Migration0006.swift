/// After the purchase: the state of subscriptions, when the store is asked about them, shared entitlements.
enum Migration0006 {
  static let statements = [
    "ALTER TABLE lines ADD COLUMN app TEXT NOT NULL DEFAULT ''",  // app and environment of the key, for the index
    "ALTER TABLE lines ADD COLUMN environment TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE lines ADD COLUMN transferred_to TEXT",  // the user who has it since a restore, and since when
    "ALTER TABLE lines ADD COLUMN transferred_at INTEGER",
    "ALTER TABLE lines ADD COLUMN period_end INTEGER",  // the latest known one
    "ALTER TABLE lines ADD COLUMN ask_at INTEGER",  // when to ask the store for its state
    "ALTER TABLE lines ADD COLUMN renewal_signed_at INTEGER",  // from here on: the newest signed renewal
    "ALTER TABLE lines ADD COLUMN renews INTEGER",
    "ALTER TABLE lines ADD COLUMN renews_to TEXT",
    "ALTER TABLE lines ADD COLUMN expiration TEXT",
    "ALTER TABLE lines ADD COLUMN in_billing_retry INTEGER",
    "ALTER TABLE lines ADD COLUMN grace_until INTEGER",
    "ALTER TABLE lines ADD COLUMN renewal_date INTEGER",
    "ALTER TABLE lines ADD COLUMN price_increase TEXT",
    // Each earlier subscription gets its row, and the store is asked about it soon after its period's end.
    """
    INSERT INTO lines (id) SELECT DISTINCT original FROM payments WHERE kind = 'autoRenewable'
    ON CONFLICT (id) DO NOTHING
    """,
    """
    UPDATE lines SET
      app = (SELECT app FROM payment_keys AS k WHERE k.id = lines.id),
      environment = (SELECT environment FROM payment_keys AS k WHERE k.id = lines.id),
      period_end = (
        SELECT max(expires_date) FROM (
          SELECT expires_date FROM payments AS p WHERE p.id = lines.id
          UNION ALL SELECT expires_date FROM payments AS p WHERE p.original = lines.id AND p.original <> p.id))
    """,
    "UPDATE lines SET ask_at = period_end + 3600000 WHERE period_end IS NOT NULL",
    "CREATE INDEX lines_to_ask ON lines (app, environment, ask_at) WHERE ask_at IS NOT NULL",
    """
    CREATE TABLE shared_rights (     -- rights that a restore lets another user share
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      user_id TEXT NOT NULL,
      original INTEGER NOT NULL REFERENCES payment_keys (id),
      since INTEGER NOT NULL,
      PRIMARY KEY (app, environment, user_id, original)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX shared_rights_of ON shared_rights (original)",
  ]
}
