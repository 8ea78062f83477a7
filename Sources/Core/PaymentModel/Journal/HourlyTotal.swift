package import PaymentPrimitives

/// How often something happened in an hour, and for how much money: counted from the journal and the deliveries (record
/// 310). It names no user.
package struct HourlyTotal: Hashable, Sendable {
  package struct Key: Hashable, Sendable {
    package let appEnvironment: AppEnvironment
    /// Whole hours since 1970 in UTC.
    package let hour: Int64
    /// The name of a counted event of the journal, or `deliveryMade`.
    package let what: String
    /// The currency of the amount as the store spells it; empty if nothing states a price.
    package let currency: String

    package init(_ appEnvironment: AppEnvironment, hour: Int64, what: String, currency: String) {
      self.appEnvironment = appEnvironment
      self.hour = hour
      self.what = what
      self.currency = currency
    }
  }

  package let key: Key
  package var count: Int64
  /// In thousandths of a currency unit, never negative.
  package var amount: Int64

  package init(_ key: Key, count: Int64, amount: Int64) {
    self.key = key
    self.count = count
    self.amount = amount
  }

  /// The most that one amount holds: the sum of two fits into 64 bits.
  package static let amountMax = Int64.max / 2

  package static let deliveryMade = "delivery.made"
  /// The events with which an order is paid.
  package static let paidOrders = [JournalEvent.orderPaid, .orderPaidLate, .orderDerived].map(\.name)
  /// The events with which a payment reaches a state, by the state's name.
  package static let outcomes = [
    "fulfilled", "held", "unclaimed", "verified", "setAside", "imported", "revoked", "reversed", "reinstated",
  ].map { "payment." + $0 }
  /// The events of the journal that are counted.
  package static let counted = paidOrders + outcomes

  /// The setting that says how far was counted; whoever writes totals writes it, too.
  package static let place = "totals.place"

  package static func hour(of moment: Timestamp) -> Int64 { moment.milliseconds.flooredDivision(by: 3_600_000) }

  package static func start(ofHour hour: Int64) -> Timestamp { Timestamp(milliseconds: hour * 3_600_000) }

  package mutating func add(_ other: HourlyTotal) {
    count += other.count
    amount = min(Self.amountMax, amount + other.amount)
  }
}

/// One row that is counted: an entry of the journal or a delivery.
package struct CountedRow: Hashable, Sendable {
  package let appEnvironment: AppEnvironment
  package let at: Timestamp
  package let what: String
  /// What the store states that the payment cost.
  package let price: StatedPrice?

  package init(_ what: String, in appEnvironment: AppEnvironment, at moment: Timestamp, price: StatedPrice?) {
    self.appEnvironment = appEnvironment
    self.at = moment
    self.what = what
    self.price = price
  }

  /// The sums of rows from an hour on. A negative price counts as none.
  package static func totals(of rows: [CountedRow], from first: Int64) -> [HourlyTotal] {
    var totals: [HourlyTotal.Key: HourlyTotal] = [:]
    for row in rows where HourlyTotal.hour(of: row.at) >= first {
      let price = row.price.flatMap { $0.milliunits < 0 ? nil : $0 }
      let key = HourlyTotal.Key(
        row.appEnvironment, hour: HourlyTotal.hour(of: row.at), what: row.what, currency: price?.currency ?? "")
      let one = HourlyTotal(key, count: 1, amount: min(HourlyTotal.amountMax, price?.milliunits ?? 0))
      totals[key, default: HourlyTotal(key, count: 0, amount: 0)].add(one)
    }
    return totals.values.sorted { $0.key < $1.key }
  }
}

extension HourlyTotal.Key: Comparable {
  package static func < (a: Self, b: Self) -> Bool {
    guard a.appEnvironment == b.appEnvironment else { return a.appEnvironment < b.appEnvironment }
    guard a.hour == b.hour else { return a.hour < b.hour }
    // As databases order texts: by their bytes.
    guard a.what == b.what else { return a.what.utf8.lexicographicallyPrecedes(b.what.utf8) }
    return a.currency.utf8.lexicographicallyPrecedes(b.currency.utf8)
  }
}
