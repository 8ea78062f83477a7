/// Credits (record 277): which key may give units, and what a user was given since a moment.
enum Migration0025 {
  static let statements = [
    "ALTER TABLE api_keys ADD COLUMN may_credit INTEGER NOT NULL DEFAULT 0",
    """
    CREATE INDEX bookings_of_credits ON bookings (app, environment, user_id, unit, at, amount) WHERE kind = 'credit'
    """,
  ]
}
