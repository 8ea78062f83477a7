/// Users who were erased: SQLite's step 31 (record 301). The step only adds. A server of an earlier version would book
/// to a user who is being erased: erase once all servers are of this version.
enum Schema0012 {
  static let statements = [
    """
    CREATE TABLE erasures (
      app TEXT COLLATE "C" NOT NULL,
      alias TEXT COLLATE "C" NOT NULL,
      user_id TEXT COLLATE "C",      -- while the erasure is under way
      begun_at BIGINT NOT NULL,
      done_at BIGINT,
      orders BIGINT NOT NULL,        -- how many got the alias
      payments BIGINT NOT NULL,
      PRIMARY KEY (app, alias),
      UNIQUE (app, user_id),
      CHECK ((user_id IS NULL) = (done_at IS NOT NULL))
    )
    """,
    "CREATE INDEX erasures_under_way ON erasures (app, alias) WHERE done_at IS NULL",
    "CREATE INDEX merged_users_into ON merged_users ((app || ' ' || environment), merged_into, user_id)",
    "ALTER TABLE api_keys ADD COLUMN may_erase BIGINT NOT NULL DEFAULT 0",
  ]
}
