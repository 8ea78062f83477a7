import PaymentModel
import PaymentPrimitives

extension InMemoryTransaction {
  func hasPhoneReport(_ id: OrderIdentifier, in appEnvironment: AppEnvironment) throws -> Bool {
    try proceed()
    return rows.phoneReports[.init(appEnvironment: appEnvironment, id: id)] != nil
  }

  func phoneCounts(
    from first: String, to last: String, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [PhoneCount] {
    try proceed()
    return rows.phoneCounts
      .filter { $0.key.appEnvironment == appEnvironment && first <= $0.key.day && $0.key.day <= last }
      .map { PhoneCount(day: $0.key.day, kind: $0.key.kind, count: $0.value) }
      .sorted { a, b in a.day == b.day ? precedes(a.kind, b.kind) : a.day > b.day }
      .limited(to: limit)
  }

  func insert(_ report: PhoneReport) throws {
    try proceed()
    let key = InMemoryRows.PhoneReportKey(appEnvironment: report.appEnvironment, id: report.id)
    guard rows.phoneReports[key] == nil else { throw conflict(on: "report") }
    try require(report.counts.values.allSatisfy { $0 > 0 }, "A report counts nothing.")
    let oldest = report.receivedAt - PhoneReport.remembered
    for (other, moment) in rows.phoneReports
    where other.appEnvironment == report.appEnvironment && moment < oldest {
      remove(\.phoneReports, other)
    }
    set(\.phoneReports, key, value: report.receivedAt)
    for (kind, count) in report.counts {
      let place = InMemoryRows.PhoneCountKey(appEnvironment: report.appEnvironment, day: report.day, kind: kind)
      set(\.phoneCounts, place, value: (rows.phoneCounts[place] ?? 0) + count)
    }
  }
}
