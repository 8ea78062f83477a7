/// What reports read by time: SQLite's step 27 (record 297).
enum Schema0008 {
  static let statements = [
    """
    CREATE INDEX payments_taken_back ON payments (app, environment, revocation_date)
    WHERE revocation_date IS NOT NULL
    """,
    """
    CREATE INDEX payments_period_end ON payments (app, environment, expires_date) WHERE expires_date IS NOT NULL
    """,
  ]
}
