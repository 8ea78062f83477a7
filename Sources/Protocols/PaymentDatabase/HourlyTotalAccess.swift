package import PaymentModel
package import PaymentPrimitives

/// The tables whose rows are counted into hourly totals, each by its numbers.
package enum CountedTable: CaseIterable, Hashable, Sendable {
  case journal, deliveries
}

/// A block of rows that were looked through.
package struct CountedBlock: Hashable, Sendable {
  /// Those of `HourlyTotal.counted`, and every delivery, in the order of their numbers.
  package let rows: [CountedRow]
  /// The number of the last row that was looked through; nil if there was none.
  package let last: Int64?
  /// Whether it was not the whole rest.
  package let hasMore: Bool

  package init(rows: [CountedRow], last: Int64?, hasMore: Bool) {
    self.rows = rows
    self.last = last
    self.hasMore = hasMore
  }
}

/// Deliveries of an hour that are not acknowledged now.
package struct OpenDeliveries: Hashable, Sendable {
  package let hour: Int64
  package let isParked: Bool
  package let count: Int64

  package init(hour: Int64, isParked: Bool, count: Int64) {
    self.hour = hour
    self.isParked = isParked
    self.count = count
  }
}

/// What happened by the hour (record 310). No plan contains these reads.
package protocol HourlyTotalReader {
  /// The totals of hours, by (hour, what, currency).
  func hourlyTotals(in hours: Range<Int64>, of appEnvironment: AppEnvironment) throws -> [HourlyTotal]
  /// Looks through at most `limit` rows of all app environments with larger numbers than one, up to another.
  func countedRows(
    of table: CountedTable, after number: Int64, upTo end: Int64, limit: Int
  ) throws -> CountedBlock
  /// The first row with that number or a larger one, of whatever app, and its time.
  func firstCountedRow(of table: CountedTable, from number: Int64) throws -> (number: Int64, at: Timestamp)?
  /// Deliveries up to that number that were made in those hours and are not acknowledged, by (parked, hour).
  func openDeliveries(
    in hours: Range<Int64>, upTo number: Int64, of appEnvironment: AppEnvironment
  ) throws -> [OpenDeliveries]
}

/// The write about them.
package protocol HourlyTotalWriter {
  /// Adds to totals; each key at most once. The caller also sets `HourlyTotal.place`, which says what is in them.
  func add(_ totals: [HourlyTotal]) throws
}
