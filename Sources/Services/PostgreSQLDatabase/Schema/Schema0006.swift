/// The sixth step of the schema: credits (record 277). It only adds. A server of an earlier version cannot read a
/// credit: the configuration allows credits once all servers are of this version.
enum Schema0006 {
  static let statements = [
    "ALTER TABLE api_keys ADD COLUMN may_credit BIGINT NOT NULL DEFAULT 0",
    """
    CREATE INDEX bookings_of_credits ON bookings (app, environment, user_id, unit, at, amount) WHERE kind = 'credit'
    """,
  ]
}
