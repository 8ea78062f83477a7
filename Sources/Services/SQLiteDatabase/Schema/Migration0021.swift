/// What phones counted about orders that were nearly lost (record 211): sums, and the ids of the reports for as long as
/// one may be repeated.
enum Migration0021 {
  static let statements = [
    """
    CREATE TABLE phone_reports (
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      report BLOB NOT NULL,
      received_at INTEGER NOT NULL,
      PRIMARY KEY (app, environment, report)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX phone_reports_received ON phone_reports (app, environment, received_at)",
    """
    CREATE TABLE phone_counts (
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      day TEXT NOT NULL,
      kind TEXT NOT NULL,
      count INTEGER NOT NULL CHECK (count > 0),
      PRIMARY KEY (app, environment, day, kind)
    ) STRICT, WITHOUT ROWID
    """,
  ]
}
