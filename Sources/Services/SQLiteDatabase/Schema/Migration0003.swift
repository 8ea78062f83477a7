/// Scheduled calls to Apple, receipts as received, and how far customers' histories were read.
enum Migration0003 {
  static let statements = [
    """
    CREATE TABLE app_store_errands (
      payment INTEGER NOT NULL REFERENCES payment_keys (id),
      purpose TEXT NOT NULL CHECK (purpose IN ('ask', 'finish', 'setToken')),
      created_at INTEGER NOT NULL,
      due_at INTEGER NOT NULL,
      tries INTEGER NOT NULL,
      claim TEXT,                    -- who presents it, and with what (JSON)
      shown TEXT,                    -- what is known of it without Apple (JSON)
      PRIMARY KEY (payment, purpose)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX app_store_errands_due ON app_store_errands (due_at)",
    """
    CREATE TABLE receipts (          -- as received; evidence names them by digest
      digest TEXT PRIMARY KEY CHECK (length(digest) = 64), -- SHA-256 of its text, in hexadecimal
      text TEXT NOT NULL,
      received_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE app_store_histories ( -- how far a customer's transaction history was read
      customer INTEGER PRIMARY KEY REFERENCES payment_keys (id),
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      revision TEXT,
      read_at INTEGER,
      due_at INTEGER NOT NULL
    ) STRICT
    """,
    "CREATE INDEX app_store_histories_due ON app_store_histories (app, environment, due_at)",
  ]
}
