extension Migration0001 {
  static let ledger = [
    """
    CREATE TABLE grants (            -- what a payment gave, once
      payment INTEGER PRIMARY KEY REFERENCES payments (id),
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      user_id TEXT NOT NULL,
      gives TEXT NOT NULL CHECK (gives IN ('units', 'entitlement')),
      gives_name TEXT NOT NULL,
      amount INTEGER,                -- of units
      starts_at INTEGER,             -- of a right; without an end it lasts
      ends_at INTEGER,
      granted_at INTEGER NOT NULL,
      taken_back INTEGER NOT NULL,   -- units, or 1 for a right
      CHECK ((gives = 'units') = (amount IS NOT NULL)),
      CHECK ((gives = 'entitlement') = (starts_at IS NOT NULL)),
      CHECK (ifnull(amount, 1) >= 1),
      CHECK (taken_back BETWEEN 0 AND ifnull(amount, 1))
    ) STRICT
    """,
    """
    CREATE INDEX grants_of_rights ON grants (app, environment, user_id, granted_at)
      WHERE gives = 'entitlement'
    """,
    """
    CREATE TABLE grant_changes (     -- refunds and their undoing, each once
      id INTEGER PRIMARY KEY,
      payment INTEGER NOT NULL REFERENCES payments (id),
      kind TEXT NOT NULL,
      cause TEXT NOT NULL,
      amount INTEGER NOT NULL CHECK (amount >= 1),
      at INTEGER NOT NULL,
      UNIQUE (payment, kind, cause)
    ) STRICT
    """,
    """
    CREATE TABLE postings (          -- movements of units from one account to another; nothing changes or removes them
      id INTEGER PRIMARY KEY,
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      unit TEXT NOT NULL,
      debit_user TEXT,
      debit_store TEXT,
      credit_user TEXT,
      credit_store TEXT,
      amount INTEGER NOT NULL CHECK (amount >= 1),
      payment INTEGER NOT NULL REFERENCES payments (id),
      cause TEXT NOT NULL,
      at INTEGER NOT NULL,
      UNIQUE (payment, cause),
      CHECK ((debit_user IS NULL) <> (debit_store IS NULL)),
      CHECK ((credit_user IS NULL) <> (credit_store IS NULL))
    ) STRICT
    """,
    """
    CREATE INDEX postings_to_user ON postings (app, environment, credit_user, unit, amount)
      WHERE credit_user IS NOT NULL
    """,
    """
    CREATE INDEX postings_from_user ON postings (app, environment, debit_user, unit, amount)
      WHERE debit_user IS NOT NULL
    """,
    """
    CREATE TABLE balances (          -- the sums of the postings, a row for each user and unit; stores have none
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      user_id TEXT NOT NULL,
      unit TEXT NOT NULL,
      amount INTEGER NOT NULL,
      PRIMARY KEY (app, environment, user_id, unit)
    ) STRICT, WITHOUT ROWID
    """,
  ]

  static let messages = [
    """
    CREATE TABLE notifications (     -- as received, each once
      id INTEGER PRIMARY KEY,
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      notification_id TEXT NOT NULL,
      type TEXT NOT NULL,
      subtype TEXT,
      signed_date INTEGER NOT NULL,
      transaction_id TEXT,
      signed_payload TEXT NOT NULL,
      received_at INTEGER NOT NULL,
      effect TEXT NOT NULL,
      UNIQUE (app, environment, notification_id)
    ) STRICT
    """,
    // The state columns of partial indexes are part of the index: only then can SQLite count without opening each row.
    """
    CREATE INDEX notifications_kept ON notifications (app, environment, type, effect)
      WHERE effect = 'kept'
    """,
    """
    CREATE TABLE deliveries (        -- what the app's backend is told
      id INTEGER PRIMARY KEY,
      delivery_id TEXT NOT NULL UNIQUE,
      payment INTEGER NOT NULL REFERENCES payments (id),
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      order_id BLOB,
      kind TEXT NOT NULL,
      sequence INTEGER NOT NULL CHECK (sequence >= 1),
      body TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('pending', 'acknowledged', 'parked')),
      state_at INTEGER,
      attempts INTEGER NOT NULL,
      next_attempt_at INTEGER NOT NULL,
      lease_until INTEGER,
      lease_fence INTEGER,
      last_problem TEXT,
      ready_at INTEGER NOT NULL AS (max(next_attempt_at, ifnull(lease_until, next_attempt_at))),
      UNIQUE (payment, sequence),
      CHECK ((state = 'pending') = (state_at IS NULL))
    ) STRICT
    """,
    """
    CREATE INDEX deliveries_ready ON deliveries (app, environment, ready_at, created_at, state)
      WHERE state = 'pending'
    """,
    """
    CREATE INDEX deliveries_parked ON deliveries (app, environment, created_at, state)
      WHERE state = 'parked'
    """,
    "CREATE INDEX deliveries_by_time ON deliveries (app, environment, created_at)",
    "CREATE INDEX deliveries_of_order ON deliveries (order_id) WHERE order_id IS NOT NULL",
    """
    CREATE TABLE journal (           -- the story of orders and payments; nothing changes or removes it
      id INTEGER PRIMARY KEY,
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      at INTEGER NOT NULL,
      what TEXT NOT NULL,
      order_id BLOB,
      payment INTEGER REFERENCES payment_keys (id),
      details TEXT NOT NULL
    ) STRICT
    """,
    "CREATE INDEX journal_of_order ON journal (order_id) WHERE order_id IS NOT NULL",
    "CREATE INDEX journal_of_payment ON journal (payment) WHERE payment IS NOT NULL",
  ]
}
