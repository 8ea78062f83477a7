import PaymentModel
import PaymentPrimitives

/// What happened by the hour.
extension InMemoryTransaction {
  func hourlyTotals(in hours: Range<Int64>, of appEnvironment: AppEnvironment) throws -> [HourlyTotal] {
    try proceed()
    return rows.hourlyTotals.values
      .filter { $0.key.appEnvironment == appEnvironment && hours.contains($0.key.hour) }
      .sorted { $0.key < $1.key }
  }

  func countedRows(
    of table: CountedTable, after number: Int64, upTo end: Int64, limit: Int
  ) throws -> CountedBlock {
    try proceed()
    let first = max(0, number) + 1
    let rest = min(end, lastNumber(of: table))
    let last = min(rest, max(0, number) + Int64(max(0, limit)))
    guard first <= last else { return CountedBlock(rows: [], last: nil, hasMore: first <= rest) }
    let found =
      switch table {
      case .journal: (first...last).compactMap { rows.journal[$0] }.compactMap(counted)
      case .deliveries: deliveries(in: first...last).map(Self.made)
      }
    return CountedBlock(rows: found, last: last, hasMore: last < rest)
  }

  func firstCountedRow(of table: CountedTable, from number: Int64) throws -> (number: Int64, at: Timestamp)? {
    try proceed()
    let number = max(1, number)
    let moment: Timestamp? =
      switch table {
      case .journal: rows.journal[number]?.at
      case .deliveries:
        number <= lastNumber(of: table) ? deliveries(in: number...number).first?.createdAt : nil
      }
    return moment.map { (number, $0) }
  }

  func openDeliveries(
    in hours: Range<Int64>, upTo number: Int64, of appEnvironment: AppEnvironment
  ) throws -> [OpenDeliveries] {
    try proceed()
    let open = rows.deliveries.values.filter { delivery in
      if case .acknowledged = delivery.state { return false }
      return delivery.payment.appEnvironment == appEnvironment && (rows.deliveryNumbers[delivery.id] ?? 0) <= number
        && hours.contains(HourlyTotal.hour(of: delivery.createdAt))
    }
    return [false, true].flatMap { isParked in
      let part = open.filter { ($0.state != .pending) == isParked }
      return Dictionary(grouping: part) { HourlyTotal.hour(of: $0.createdAt) }.sorted { $0.key < $1.key }
        .map { OpenDeliveries(hour: $0.key, isParked: isParked, count: Int64($0.value.count)) }
    }
  }

  func add(_ totals: [HourlyTotal]) throws {
    try proceed()
    for total in totals {
      var sum = rows.hourlyTotals[total.key] ?? HourlyTotal(total.key, count: 0, amount: 0)
      sum.add(total)
      set(\.hourlyTotals, total.key, value: sum)
    }
  }

  private func lastNumber(of table: CountedTable) -> Int64 {
    switch table {
    case .journal: Int64(rows.journal.count)
    case .deliveries: Int64(rows.deliveryNumbers.count)
    }
  }

  private func deliveries(in numbers: ClosedRange<Int64>) -> [Delivery] {
    rows.deliveryNumbers.filter { numbers.contains($0.value) }.sorted { $0.value < $1.value }
      .compactMap { rows.deliveries[$0.key] }
  }

  /// Nil for an event that is not counted.
  private func counted(_ entry: JournalEntry) -> CountedRow? {
    guard HourlyTotal.counted.contains(entry.what) else { return nil }
    let price = entry.payment.flatMap { rows.payments[$0] }?.facts.price
    return CountedRow(entry.what, in: entry.appEnvironment, at: entry.at, price: price)
  }

  private static func made(_ delivery: Delivery) -> CountedRow {
    CountedRow(
      HourlyTotal.deliveryMade, in: delivery.payment.appEnvironment, at: delivery.createdAt, price: nil)
  }
}
