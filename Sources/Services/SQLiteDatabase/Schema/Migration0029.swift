/// Complaints of customers at WeChat Pay (record 300). A server of the version before does not read them.
enum Migration0029 {
  static let statements = [
    """
    CREATE TABLE complaints (
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      id TEXT NOT NULL,              -- complaint_id
      opened_at INTEGER NOT NULL,
      state TEXT NOT NULL,           -- the store's word
      times INTEGER NOT NULL,
      begun_at INTEGER NOT NULL,     -- the deadlines count from here
      answered_at INTEGER,
      done_at INTEGER,
      awaits_reply INTEGER NOT NULL CHECK (awaits_reply IN (0, 1)),
      order_id BLOB,
      user_id TEXT,
      facts TEXT NOT NULL,           -- JSON
      history TEXT NOT NULL,         -- JSON
      signed_date INTEGER NOT NULL,
      PRIMARY KEY (app, environment, id)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX complaints_open ON complaints (app, environment, begun_at, id) WHERE done_at IS NULL",
    "CREATE INDEX complaints_opened ON complaints (app, environment, opened_at, id)",
    """
    CREATE INDEX complaints_of_user ON complaints (app, environment, user_id, opened_at, id)
    WHERE user_id IS NOT NULL
    """,
  ]
}
