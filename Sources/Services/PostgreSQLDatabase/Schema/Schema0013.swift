/// What happened by the hour: SQLite's step 32 (record 310). The step only adds, and a server of an earlier version
/// does not know the table.
enum Schema0013 {
  static let statements = [
    """
    CREATE TABLE hourly_totals (
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      hour BIGINT NOT NULL,          -- whole hours since 1970 in UTC
      what TEXT COLLATE "C" NOT NULL,
      currency TEXT COLLATE "C" NOT NULL,
      count BIGINT NOT NULL,
      amount BIGINT NOT NULL,        -- in thousandths of a currency unit
      PRIMARY KEY (app, environment, hour, what, currency)
    )
    """
  ]
}
