/// Wallets: accounts outside the stores, bookings without a payment, debts, consent. App Store tasks may have any
/// purpose.
enum Migration0005 {
  static let statements = postings + grants + consents + appStoreTasks

  private static let postings = [
    """
    CREATE TABLE bookings (          -- what a backend or an operator booked; nothing changes or removes it
      id INTEGER PRIMARY KEY,
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      booking_key TEXT NOT NULL,
      user_id TEXT NOT NULL,
      unit TEXT NOT NULL,
      kind TEXT NOT NULL,
      amount INTEGER NOT NULL CHECK (amount >= 1),
      request_digest TEXT NOT NULL,
      reason TEXT,
      metadata TEXT,
      at INTEGER NOT NULL,
      UNIQUE (app, environment, booking_key)
    ) STRICT
    """,
    // SQLite cannot change a constraint of a table: the table is created again, and its rows keep their numbers.
    "DROP INDEX postings_to_user",
    "DROP INDEX postings_from_user",
    "ALTER TABLE postings RENAME TO former_postings",
    """
    CREATE TABLE postings (          -- movements of units from one account to another; nothing changes or removes them
      id INTEGER PRIMARY KEY,
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      unit TEXT NOT NULL,
      debit_user TEXT,
      debit_account TEXT,            -- issued:appStore, issued:weChatPay, spent, writtenOff
      credit_user TEXT,
      credit_account TEXT,
      amount INTEGER NOT NULL CHECK (amount >= 1),
      payment INTEGER REFERENCES payments (id),
      cause TEXT NOT NULL,
      booking INTEGER REFERENCES bookings (id),
      at INTEGER NOT NULL,
      UNIQUE (payment, cause),
      CHECK ((debit_user IS NULL) <> (debit_account IS NULL)),
      CHECK ((credit_user IS NULL) <> (credit_account IS NULL)),
      CHECK ((payment IS NULL) <> (booking IS NULL))
    ) STRICT
    """,
    """
    INSERT INTO postings (
      id, app, environment, unit, debit_user, debit_account, credit_user, credit_account, amount, payment, cause, at)
    SELECT id, app, environment, unit, debit_user, 'issued:' || debit_store, credit_user, 'issued:' || credit_store,
      amount, payment, cause, at
    FROM former_postings
    """,
    "DROP TABLE former_postings",
    // By number within a user's unit: this is the order of the list of entries, and sums need only the index.
    """
    CREATE INDEX postings_to_user ON postings (app, environment, credit_user, unit, id, amount)
      WHERE credit_user IS NOT NULL
    """,
    """
    CREATE INDEX postings_from_user ON postings (app, environment, debit_user, unit, id, amount)
      WHERE debit_user IS NOT NULL
    """,
    "CREATE UNIQUE INDEX postings_of_booking ON postings (booking) WHERE booking IS NOT NULL",
    "ALTER TABLE balances ADD COLUMN frozen_since INTEGER",
  ]

  private static let grants = [
    "ALTER TABLE orders ADD COLUMN debt TEXT",  // the product's debt policy, unless it is the default
    "ALTER TABLE grants ADD COLUMN debt TEXT",
    "CREATE INDEX grants_of_user ON grants (app, environment, user_id, taken_back, amount)",
  ]

  private static let consents = [
    """
    CREATE TABLE consumption_consents ( -- whether Apple may be told how far a user's purchases are used
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      user_id TEXT NOT NULL,
      is_given INTEGER NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (app, environment, user_id)
    ) STRICT, WITHOUT ROWID
    """
  ]

  private static let appStoreTasks = [
    "DROP INDEX app_store_errands_due",
    "ALTER TABLE app_store_errands RENAME TO former_errands",
    """
    CREATE TABLE app_store_errands (
      payment INTEGER NOT NULL REFERENCES payment_keys (id),
      purpose TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      due_at INTEGER NOT NULL,
      tries INTEGER NOT NULL,
      claim TEXT,                    -- who presents it, and with what (JSON)
      shown TEXT,                    -- what is known of it without Apple (JSON)
      PRIMARY KEY (payment, purpose)
    ) STRICT, WITHOUT ROWID
    """,
    """
    INSERT INTO app_store_errands (payment, purpose, created_at, due_at, tries, claim, shown)
    SELECT payment, purpose, created_at, due_at, tries, claim, shown FROM former_errands
    """,
    "DROP TABLE former_errands",
    "CREATE INDEX app_store_errands_due ON app_store_errands (due_at)",
  ]
}
