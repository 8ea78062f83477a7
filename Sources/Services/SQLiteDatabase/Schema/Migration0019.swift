/// What an operator lists (record 192), and Apple's order numbers (record 193).
///
/// Each index is by time, or of rows that are few. `payments_bought` is the counterpart of `payments_charged`: each
/// payment is in one of them.
enum Migration0019 {
  /// The events that an operator lists; the condition of their index, word by word.
  static let listedEvents = """
    what IN ('payment.contradicted', 'consumption.askedTooLate', 'consumption.answered', 'consumption.notAnswered', \
    'consumption.refused')
    """

  static let statements = [
    """
    CREATE TABLE delivery_attempts ( -- the failed ones; the newest 100 of a delivery
      delivery INTEGER NOT NULL REFERENCES deliveries (id),
      number INTEGER NOT NULL CHECK (number >= 1),
      at INTEGER NOT NULL,
      endpoint TEXT NOT NULL,
      status INTEGER,
      milliseconds INTEGER NOT NULL,
      problem TEXT,
      answer BLOB,                   -- its first 256 bytes
      PRIMARY KEY (delivery, number)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE store_order_numbers ( -- of Apple's receipts, as Apple explained them
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      number TEXT NOT NULL,
      payment INTEGER NOT NULL REFERENCES payment_keys (id),
      learned_at INTEGER NOT NULL,
      PRIMARY KEY (app, environment, number, payment)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX payments_bought ON payments (app, environment, purchase_date) WHERE merchant IS NULL",
    """
    CREATE INDEX refunds_stuck ON refunds (app, environment, created_at, number)
      WHERE state = 'stuck'
    """,
    """
    CREATE INDEX orders_frozen ON orders (app, environment, created_at, order_id)
      WHERE frozen_because IS NOT NULL
    """,
    """
    CREATE INDEX balances_frozen ON balances (app, environment, frozen_since, user_id, unit)
      WHERE frozen_since IS NOT NULL
    """,
    """
    CREATE INDEX app_store_errands_consumption ON app_store_errands (created_at)
      WHERE purpose = 'consumption'
    """,
    "CREATE INDEX journal_listed ON journal (app, environment, what, id) WHERE \(listedEvents)",
  ]
}
