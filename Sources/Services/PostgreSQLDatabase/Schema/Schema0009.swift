/// The tables of SQLite's step 28: merged users (record 293) and spending limits (record 294). The step only adds. A
/// server of an earlier version knows neither: merge and limit once all servers are of this version.
enum Schema0009 {
  static let statements = [
    """
    CREATE TABLE merged_users (
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      user_id TEXT COLLATE "C" NOT NULL,
      merged_into TEXT COLLATE "C" NOT NULL,
      at BIGINT NOT NULL,
      orders BIGINT NOT NULL,
      payments BIGINT NOT NULL,
      PRIMARY KEY (app, environment, user_id),
      CHECK (user_id <> merged_into)
    )
    """,
    """
    CREATE TABLE spending_limits (
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      user_id TEXT COLLATE "C" NOT NULL,
      currency TEXT COLLATE "C" NOT NULL,
      minor_units BIGINT,
      set_at BIGINT NOT NULL,
      PRIMARY KEY (app, environment, user_id, currency)
    )
    """,
  ]
}
