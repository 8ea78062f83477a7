/// Users who were erased (record 301), and whom merges gave to a user.
enum Migration0031 {
  static let statements = [
    """
    CREATE TABLE erasures (
      app TEXT NOT NULL,
      alias TEXT NOT NULL,
      user_id TEXT,                  -- while the erasure is under way
      begun_at INTEGER NOT NULL,
      done_at INTEGER,
      orders INTEGER NOT NULL,       -- how many got the alias
      payments INTEGER NOT NULL,
      PRIMARY KEY (app, alias),
      UNIQUE (app, user_id),
      CHECK ((user_id IS NULL) = (done_at IS NOT NULL))
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX erasures_under_way ON erasures (app, alias) WHERE done_at IS NULL",
    "CREATE INDEX merged_users_into ON merged_users (app, environment, merged_into, user_id)",
    "ALTER TABLE api_keys ADD COLUMN may_erase INTEGER NOT NULL DEFAULT 0",
  ]
}
