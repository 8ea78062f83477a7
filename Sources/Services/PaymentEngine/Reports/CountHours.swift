import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// How far was counted: the setting `HourlyTotal.place`. It is written in the commit that adds to the totals, so each
/// row is counted once, whatever is killed or repeated.
struct TotalsPlace: Hashable, Sendable {
  /// The last entry of the journal, and the last delivery, that were looked at.
  var numbers: [CountedTable: Int64]
  /// The first hour that is counted whole.
  let from: Int64

  init(_ numbers: [CountedTable: Int64], from hour: Int64) {
    self.numbers = numbers
    from = hour
  }

  /// Nil for a text of a later version: then nothing is counted, rather than twice.
  init?(text: String) {
    let words = text.split(separator: " ").map { Int64($0) }
    guard words.count == 3, let journal = words[0], let deliveries = words[1], let from = words[2] else { return nil }
    self.init([.journal: journal, .deliveries: deliveries], from: from)
  }

  var text: String { "\(self[.journal]) \(self[.deliveries]) \(from)" }

  subscript(_ table: CountedTable) -> Int64 { numbers[table] ?? 0 }

  /// The place before a time, for a database without totals.
  static func start(from moment: Timestamp, upTo ends: FeedEnds, _ reader: any DatabaseReader) throws -> TotalsPlace {
    var numbers: [CountedTable: Int64] = [:]
    for table in CountedTable.allCases {
      numbers[table] = try last(
        of: table, before: moment - PaymentEngine.eventDisorder, upTo: ends.end(of: table), reader)
    }
    return TotalsPlace(numbers, from: HourlyTotal.hour(of: moment))
  }

  /// The last row before the first one of that time or later, found by halving: its numbers grow with time.
  private static func last(
    of table: CountedTable, before moment: Timestamp, upTo end: Int64, _ reader: any DatabaseReader
  ) throws -> Int64 {
    var (low, high): (Int64, Int64) = (0, end)
    while low < high {
      let middle = low + (high - low) / 2
      guard let found = try reader.firstCountedRow(of: table, from: middle + 1), found.number <= high,
        found.at < moment
      else {
        high = middle
        continue
      }
      low = found.number
    }
    return low
  }
}

extension FeedEnds {
  func end(of table: CountedTable) -> Int64 {
    switch table {
    case .journal: journal
    case .deliveries: deliveries
    }
  }
}

extension PaymentEngine {
  /// Counts what happened by the hour, until the task is cancelled. One node is enough.
  func keepTotals(each interval: TimeSpan) async {
    await repeatUntilDone(loggingErrors: "totals.failed", pause: interval) {
      try await doAlone("totals") { while try await countHours() { try await dependencies.sleep(limits.totalsPause) } }
      try await dependencies.sleep(interval)
      return false
    }
  }

  /// Counts a bounded number of rows of the journal and of deliveries.
  ///
  /// - Returns: whether more of them wait.
  package func countHours() async throws -> Bool {
    guard let ends = try await settledRows() else { return false }
    let (limit, first) = (limits.rowsPerTotalsStep, now - limits.totalsReach)
    let step = try await read { reader in
      try TotalsStep(upTo: ends, limit: limit, from: first, reader)
    }
    guard let step, step.hasNews else { return false }
    try await transact { transaction in
      // Another process has counted these rows, or this closure has, and its answer was lost.
      guard try transaction.setting(HourlyTotal.place) == step.known else { return }
      try transaction.add(step.totals)
      try transaction.set(HourlyTotal.place, to: step.place.text)
    }
    return step.hasMore
  }
}

/// Rows that are counted in one commit.
private struct TotalsStep: Sendable {
  /// The setting as it was read.
  let known: String?
  var place: TotalsPlace
  var totals: [HourlyTotal] = []
  var hasMore = false

  /// Nil if a later version has counted.
  init?(upTo ends: FeedEnds, limit: Int, from moment: Timestamp, _ reader: any DatabaseReader) throws {
    known = try reader.setting(HourlyTotal.place)
    if let known {
      guard let place = TotalsPlace(text: known) else { return nil }
      self.place = place
    } else {
      place = try TotalsPlace.start(from: moment, upTo: ends, reader)
    }
    for table in CountedTable.allCases {
      let block = try reader.countedRows(
        of: table, after: place[table], upTo: ends.end(of: table), limit: limit)
      totals += CountedRow.totals(of: block.rows, from: place.from)
      if let last = block.last { place.numbers[table] = last }
      hasMore = hasMore || block.hasMore
    }
  }

  var hasNews: Bool { known != place.text }
}
