import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import TestDoubles

extension RandomOperations {
  /// A report of a phone, often one that was counted before, and what the counts then are.
  mutating func insertPhoneReport(_ transaction: any DatabaseTransaction) throws -> String {
    let appEnvironment = appEnvironment()
    if chance.oneIn(3) { return try addTotals(transaction, in: appEnvironment) }
    let id = OrderIdentifier(high: 0, low: UInt64(chance.number(below: 6)))
    if try transaction.hasPhoneReport(id, in: appEnvironment), !chance.oneIn(8) { return "counted before" }
    let day = Timestamp(milliseconds: Int64(chance.number(below: 90)) * 86_400_000)
    let counts = ["recovered": Int64(chance.oneIn(20) ? 0 : 1 + chance.number(below: 3)), "reports": 1]
    try transaction.insert(PhoneReport(id: id, in: appEnvironment, at: day, counts: counts))
    let all = try transaction.phoneCounts(from: "0000-00-00", to: "9999-99-99", in: appEnvironment, limit: 9)
    return all.map { "\($0.day) \($0.kind) \($0.count)" }.joined(separator: ", ")
  }
  /// Counts everything once more, and tells what the totals then are.
  private mutating func addTotals(
    _ transaction: any DatabaseTransaction, in appEnvironment: AppEnvironment
  ) throws -> String {
    let most = Int(Int32.max)
    let rows = try CountedTable.allCases.flatMap { table in
      try transaction.countedRows(of: table, after: 0, upTo: .max, limit: most).rows
    }
    try transaction.add(CountedRow.totals(of: rows, from: 0))
    let totals = try transaction.hourlyTotals(in: 0..<Int64(most), of: appEnvironment)
    let open = try transaction.openDeliveries(in: 0..<Int64(most), upTo: .max, of: appEnvironment)
    return "\(rows) \(totals) \(open)"
  }
}
