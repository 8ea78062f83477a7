/// Users who were merged into others (record 293), and what a user may spend in a month (record 294).
enum Migration0028 {
  static let statements = [
    """
    CREATE TABLE merged_users (      -- never changed or removed
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      user_id TEXT NOT NULL,
      merged_into TEXT NOT NULL,
      at INTEGER NOT NULL,
      orders INTEGER NOT NULL,       -- how many moved
      payments INTEGER NOT NULL,
      PRIMARY KEY (app, environment, user_id),
      CHECK (user_id <> merged_into)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE spending_limits (   -- for a month, in one currency; a lifted one has no number
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      user_id TEXT NOT NULL,
      currency TEXT NOT NULL,
      minor_units INTEGER,
      set_at INTEGER NOT NULL,
      PRIMARY KEY (app, environment, user_id, currency)
    ) STRICT, WITHOUT ROWID
    """,
  ]
}
