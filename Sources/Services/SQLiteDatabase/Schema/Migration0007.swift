/// Deliveries are looked up block by block of payments.
///
/// The id of a delivery is a digest. An index by the id alone would write another page for almost every delivery of a
/// large database. That page costs more than all other effects of a large database on a fulfilment (record 0118).
enum Migration0007 {
  /// Payments in sequence share about one index page: a block is 8192 of them.
  ///
  /// An id is derived from its payment, so an id that is unique within its payment's block is unique everywhere.
  static func block(of payment: String) -> String { "\(payment) >> 13" }

  static let statements = [
    "DROP INDEX deliveries_ready",
    "DROP INDEX deliveries_parked",
    "DROP INDEX deliveries_by_time",
    "DROP INDEX deliveries_of_order",
    // SQLite cannot change a constraint of a table: the table is created again, and its rows keep their numbers.
    "ALTER TABLE deliveries RENAME TO former_deliveries",
    """
    CREATE TABLE deliveries (        -- what the app's backend is told
      id INTEGER PRIMARY KEY,
      delivery_id TEXT NOT NULL,     -- a digest of the payment, the kind and the cause
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
    INSERT INTO deliveries (
      id, delivery_id, payment, app, environment, order_id, kind, sequence, body, created_at, state, state_at, attempts,
      next_attempt_at, lease_until, lease_fence, last_problem)
    SELECT
      id, delivery_id, payment, app, environment, order_id, kind, sequence, body, created_at, state, state_at, attempts,
      next_attempt_at, lease_until, lease_fence, last_problem
    FROM former_deliveries
    """,
    "DROP TABLE former_deliveries",
    "CREATE UNIQUE INDEX deliveries_by_identifier ON deliveries (\(block(of: "payment")), delivery_id)",
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
  ]
}
