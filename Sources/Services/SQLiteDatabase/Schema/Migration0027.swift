/// What reports read by time (record 297): payments that the store took back, and paid periods by their end. Payments
/// without such a time are in neither index.
enum Migration0027 {
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
