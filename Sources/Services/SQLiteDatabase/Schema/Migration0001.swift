/// The first schema, in the order of a purchase: installation, orders, payments, ledger, messages.
enum Migration0001 {
  static let statements = installation + orders + payments + ledger + messages

  private static let installation = [
    """
    CREATE TABLE settings (          -- of the installation: its profile, its secret
      name TEXT NOT NULL PRIMARY KEY,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE batch (             -- one row, changed by each commit: tells after a failed COMMIT whether it took
      id INTEGER PRIMARY KEY CHECK (id = 1),
      number INTEGER NOT NULL
    ) STRICT
    """,
    "INSERT INTO batch (id, number) VALUES (1, 0)",
    """
    CREATE TABLE api_keys (
      key_id TEXT NOT NULL PRIMARY KEY,
      app TEXT NOT NULL,
      kind TEXT NOT NULL,
      digest TEXT NOT NULL,          -- SHA-256 of the whole key, hexadecimal
      label TEXT NOT NULL,
      created_at INTEGER NOT NULL,   -- every moment is in milliseconds since 1970
      revoked_at INTEGER
    ) STRICT
    """,
    "CREATE INDEX api_keys_of_app ON api_keys (app, created_at, key_id)",
  ]

  private static let orders = [
    """
    CREATE TABLE payment_keys (      -- each store transaction ever named, once: elsewhere its number stands for it
      id INTEGER PRIMARY KEY,
      app TEXT NOT NULL,
      store TEXT NOT NULL,
      environment TEXT NOT NULL,
      transaction_id TEXT NOT NULL,
      UNIQUE (app, store, environment, transaction_id)
    ) STRICT
    """,
    """
    CREATE TABLE orders (
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      order_id BLOB NOT NULL CHECK (length(order_id) = 16),
      user_id TEXT NOT NULL,
      store TEXT NOT NULL,
      quantity INTEGER NOT NULL CHECK (quantity >= 1),
      product TEXT NOT NULL,         -- the product as it was when the order was made, up to is_physical
      product_kind TEXT NOT NULL,
      gives TEXT NOT NULL CHECK (gives IN ('units', 'entitlement')),
      gives_name TEXT NOT NULL,
      gives_amount INTEGER,          -- units of one piece, or the milliseconds that a right lasts
      app_store_products TEXT,       -- one a line, the preferred one first
      wechat_price INTEGER,          -- in the smallest unit of its currency
      wechat_currency TEXT,
      is_physical INTEGER NOT NULL,
      reference TEXT,
      reference_from TEXT CHECK (reference_from IN ('backend', 'app')),
      metadata TEXT,
      platform TEXT,
      scene TEXT,
      created_at INTEGER NOT NULL,
      derived_payment INTEGER REFERENCES payment_keys (id),
      derived_from BLOB,
      derived_reference TEXT,
      derived_reference_from TEXT,
      derived_flags TEXT,
      idempotency_caller TEXT,
      idempotency_key TEXT,
      request_digest TEXT,
      state TEXT NOT NULL CHECK (state IN ('awaitingPayment', 'paid', 'closed')),
      state_at INTEGER,
      close_reason TEXT,
      paid_by INTEGER REFERENCES payment_keys (id),
      expires_at INTEGER NOT NULL,
      approval_pending_since INTEGER,
      verdict TEXT,
      verdict_reason TEXT,
      verdict_at INTEGER,
      frozen_because TEXT,
      UNIQUE (app, environment, order_id),
      CHECK ((state = 'paid') = (paid_by IS NOT NULL)),
      CHECK ((state = 'closed') = (close_reason IS NOT NULL))
    ) STRICT
    """,
    """
    CREATE UNIQUE INDEX orders_backend_reference ON orders (app, environment, reference)
      WHERE reference_from = 'backend'
    """,
    """
    CREATE UNIQUE INDEX orders_app_reference ON orders (app, environment, user_id, reference)
      WHERE reference_from = 'app'
    """,
    """
    CREATE UNIQUE INDEX orders_idempotency ON orders (app, environment, idempotency_caller, idempotency_key)
      WHERE idempotency_key IS NOT NULL
    """,
    "CREATE INDEX orders_of_user ON orders (app, environment, user_id, order_id)",
    """
    CREATE INDEX orders_unpaid ON orders (app, environment, user_id, state, created_at)
      WHERE state <> 'paid'
    """,
    "CREATE INDEX orders_to_expire ON orders (expires_at) WHERE state = 'awaitingPayment'",
  ]

  private static let payments = [
    """
    CREATE TABLE payments (
      id INTEGER PRIMARY KEY REFERENCES payment_keys (id),
      app TEXT NOT NULL,             -- app and environment of the key, for the indexes
      environment TEXT NOT NULL,
      original INTEGER NOT NULL REFERENCES payment_keys (id),
      web_order_line_item TEXT,
      store_product TEXT NOT NULL,
      kind TEXT NOT NULL,
      quantity INTEGER NOT NULL,     -- as signed
      purchase_date INTEGER NOT NULL,
      original_purchase_date INTEGER,
      expires_date INTEGER,
      signed_date INTEGER NOT NULL,
      token BLOB,
      ownership TEXT NOT NULL,
      app_transaction TEXT,
      revocation_date INTEGER,
      revocation_reason INTEGER,
      revocation_type TEXT,
      revocation_percentage INTEGER,
      price_milliunits INTEGER,
      price_currency TEXT,
      is_renewal INTEGER NOT NULL,
      is_upgraded INTEGER NOT NULL,
      state TEXT NOT NULL,
      hold_reason TEXT,
      parts_taken INTEGER,           -- of a reversed or reinstated payment
      owner TEXT,
      order_id BLOB,
      match_rule TEXT,
      match_flags TEXT,
      match_at INTEGER,
      presenter TEXT,
      first_seen_at INTEGER NOT NULL,
      finished_at INTEGER,
      last_sequence INTEGER NOT NULL,
      CHECK ((state = 'held') = (hold_reason IS NOT NULL)),
      CHECK ((state IN ('reversed', 'reinstated')) = (parts_taken IS NOT NULL))
    ) STRICT
    """,
    """
    CREATE UNIQUE INDEX payments_of_order ON payments (app, environment, order_id)
      WHERE order_id IS NOT NULL
    """,
    "CREATE INDEX payments_in_line ON payments (original) WHERE original <> id",
    """
    CREATE INDEX payments_waiting ON payments (app, environment, state, first_seen_at)
      WHERE state <> 'fulfilled'
    """,
    """
    CREATE TABLE echoes (            -- later ids of what is already a payment
      id INTEGER PRIMARY KEY REFERENCES payment_keys (id),
      payment INTEGER NOT NULL REFERENCES payment_keys (id),
      first_seen_at INTEGER NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE evidence (          -- as received, in order of receipt; nothing changes or removes it
      id INTEGER PRIMARY KEY,
      payment INTEGER NOT NULL REFERENCES payment_keys (id),
      text TEXT NOT NULL,
      origin TEXT NOT NULL,
      received_at INTEGER NOT NULL
    ) STRICT
    """,
    "CREATE INDEX evidence_of_payment ON evidence (payment)",
    """
    CREATE TABLE lines (             -- subscriptions, by their original transaction
      id INTEGER PRIMARY KEY REFERENCES payment_keys (id),
      claimant TEXT
    ) STRICT
    """,
    """
    CREATE TABLE known_users (
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      app_transaction TEXT NOT NULL,
      user_id TEXT NOT NULL,
      PRIMARY KEY (app, environment, app_transaction, user_id)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE claims (
      id INTEGER PRIMARY KEY,
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      user_id TEXT NOT NULL,
      payment INTEGER NOT NULL REFERENCES payment_keys (id),
      at INTEGER NOT NULL
    ) STRICT
    """,
    "CREATE INDEX claims_of_user ON claims (app, environment, user_id, at)",
    """
    CREATE TABLE earlier_lists (     -- the earlier system's deliveries were loaded for these
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      store TEXT NOT NULL,
      PRIMARY KEY (app, environment, store)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE earlier_deliveries (
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      store TEXT NOT NULL,
      transaction_id TEXT NOT NULL,
      PRIMARY KEY (app, environment, store, transaction_id)
    ) STRICT, WITHOUT ROWID
    """,
  ]
}
