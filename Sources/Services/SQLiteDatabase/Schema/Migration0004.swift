/// The data for a migration from an earlier system: until when its list of deliveries is complete, the owners of its
/// transactions, and the notifications forwarded to it.
enum Migration0004 {
  static let statements = [
    "ALTER TABLE earlier_lists ADD COLUMN reach INTEGER",  // until when the list names every delivery
    """
    CREATE TABLE imported_owners (   -- whose a transaction was by the earlier system's books
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      store TEXT NOT NULL,
      transaction_id TEXT NOT NULL,
      user_id TEXT NOT NULL,
      product TEXT,
      imported_at INTEGER NOT NULL,
      PRIMARY KEY (app, environment, store, transaction_id)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE notification_forwards ( -- notifications as they are passed on
      id INTEGER PRIMARY KEY,
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      notification_id TEXT NOT NULL,
      body TEXT,                     -- as received, to the byte; let go of once the other side has it
      created_at INTEGER NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('pending', 'acknowledged', 'parked')),
      state_at INTEGER,
      attempts INTEGER NOT NULL,
      next_attempt_at INTEGER NOT NULL,
      lease_until INTEGER,
      lease_fence INTEGER,
      last_problem TEXT,
      ready_at INTEGER NOT NULL AS (max(next_attempt_at, ifnull(lease_until, next_attempt_at))),
      UNIQUE (app, environment, notification_id),
      FOREIGN KEY (app, environment, notification_id)
        REFERENCES notifications (app, environment, notification_id),
      CHECK ((state = 'pending') = (state_at IS NULL)),
      CHECK ((state = 'acknowledged') = (body IS NULL))
    ) STRICT
    """,
    """
    CREATE INDEX notification_forwards_ready
      ON notification_forwards (app, ready_at, environment, notification_id, created_at, state) WHERE state = 'pending'
    """,
    """
    CREATE INDEX notification_forwards_open
      ON notification_forwards (app, created_at, environment, notification_id, state) WHERE state <> 'acknowledged'
    """,
  ]
}
