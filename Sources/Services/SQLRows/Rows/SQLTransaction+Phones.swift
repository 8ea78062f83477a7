import PaymentDatabase
import PaymentModel
import PaymentPrimitives

extension SQLTransaction {
  func hasPhoneReport(_ id: OrderIdentifier, in appEnvironment: AppEnvironment) throws -> Bool {
    try first(
      PhoneSQL.report,
      {
        $0.add(appEnvironment)
        $0.add(id)
      }, { $0.integer() }) != nil
  }

  func phoneCounts(
    from first: String, to last: String, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [PhoneCount] {
    try all(
      PhoneSQL.counts,
      {
        $0.add(appEnvironment)
        $0.add(first)
        $0.add(last)
        $0.add(max(0, limit))
      },
      { row in
        let day = row.text()
        let kind = row.text()
        return PhoneCount(day: day, kind: kind, count: row.integer())
      })
  }

  func insert(_ report: PhoneReport) throws {
    try write(PhoneSQL.insertReport) {
      $0.add(report.appEnvironment)
      $0.add(report.id)
      $0.add(report.receivedAt)
    }
    try write(PhoneSQL.forget) {
      $0.add(report.appEnvironment)
      $0.add(report.receivedAt - PhoneReport.remembered)
    }
    for (kind, count) in report.counts.sorted(by: { $0.key < $1.key }) {
      try write(PhoneSQL.count) {
        $0.add(report.appEnvironment)
        $0.add(report.day)
        $0.add(kind)
        $0.add(count)
      }
    }
  }
}

/// The statements for what phones counted.
enum PhoneSQL {
  static let report = SQL("SELECT received_at FROM phone_reports WHERE app = ? AND environment = ? AND report = ?")
  static let insertReport = SQL(
    "INSERT INTO phone_reports (app, environment, report, received_at) VALUES (?, ?, ?, ?)")
  static let forget = SQL("DELETE FROM phone_reports WHERE \(listed: "phone_reports") AND received_at < ?")
  static let count = SQL(
    """
    INSERT INTO phone_counts (app, environment, day, kind, count) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (app, environment, day, kind) DO UPDATE SET count = phone_counts.count + excluded.count
    """)
  static let counts = SQL(
    """
    SELECT day, kind, count FROM phone_counts
    WHERE app = ? AND environment = ? AND day BETWEEN ? AND ? ORDER BY day DESC, kind LIMIT ?
    """)

  static let all = [report, insertReport, forget, count, counts]
}
