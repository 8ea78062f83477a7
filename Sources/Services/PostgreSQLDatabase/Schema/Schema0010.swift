/// Complaints of customers at WeChat Pay: SQLite's step 29 (record 300).
enum Schema0010 {
  static let statements = [
    """
    CREATE TABLE complaints (
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      id TEXT COLLATE "C" NOT NULL,              -- complaint_id
      opened_at BIGINT NOT NULL,
      state TEXT COLLATE "C" NOT NULL,           -- the store's word
      times BIGINT NOT NULL,
      begun_at BIGINT NOT NULL,                  -- the deadlines count from here
      answered_at BIGINT,
      done_at BIGINT,
      awaits_reply BIGINT NOT NULL CHECK (awaits_reply IN (0, 1)),
      order_id UUID,
      user_id TEXT COLLATE "C",
      facts TEXT COLLATE "C" NOT NULL,           -- JSON
      history TEXT COLLATE "C" NOT NULL,         -- JSON
      signed_date BIGINT NOT NULL,
      PRIMARY KEY (app, environment, id)
    )
    """,
    """
    CREATE INDEX complaints_open ON complaints ((app || ' ' || environment), begun_at, id) WHERE done_at IS NULL
    """,
    "CREATE INDEX complaints_opened ON complaints ((app || ' ' || environment), opened_at, id)",
    """
    CREATE INDEX complaints_of_user ON complaints ((app || ' ' || environment), user_id, opened_at, id)
      WHERE user_id IS NOT NULL
    """,
  ]
}
