package import PaymentModel
package import PaymentPrimitives

extension RecordingTransaction {
  package func hourlyTotals(in hours: Range<Int64>, of appEnvironment: AppEnvironment) throws -> [HourlyTotal] {
    try readWithoutKey { try $0.hourlyTotals(in: hours, of: appEnvironment) }
  }

  package func countedRows(
    of table: CountedTable, after number: Int64, upTo end: Int64, limit: Int
  ) throws -> CountedBlock {
    try readWithoutKey { try $0.countedRows(of: table, after: number, upTo: end, limit: limit) }
  }

  package func firstCountedRow(
    of table: CountedTable, from number: Int64
  ) throws -> (number: Int64, at: Timestamp)? {
    try readWithoutKey { try $0.firstCountedRow(of: table, from: number) }
  }

  package func openDeliveries(
    in hours: Range<Int64>, upTo number: Int64, of appEnvironment: AppEnvironment
  ) throws -> [OpenDeliveries] {
    try readWithoutKey { try $0.openDeliveries(in: hours, upTo: number, of: appEnvironment) }
  }

  package func add(_ totals: [HourlyTotal]) throws { try write(.installation(.addTotals(totals))) }
}
