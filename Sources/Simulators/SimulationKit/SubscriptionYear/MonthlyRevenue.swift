import PaymentPrimitives

/// What was charged and given back in each month of Beijing time, by currency: `2026-03 CNY`.
///
/// The amounts are whole minor units, rounded down for each payment. The App Store's records and the books of a backend
/// are added up here. The server's own report is made elsewhere and compared with both.
struct MonthlyRevenue: Hashable, Sendable {
  struct Sum: Hashable, Sendable, CustomStringConvertible {
    var sales: Int64 = 0
    var refunds: Int64 = 0

    var description: String { "\(sales) less \(refunds)" }
  }

  /// The part that is the whole price, in thousandths of a percent.
  static let whole: Int64 = 100_000

  var sums: [String: Sum] = [:]

  mutating func sell(_ price: StatedPrice, at moment: Timestamp) {
    sums[Self.month(of: moment, price.currency), default: Sum()].sales += Self.minorUnits(of: price)
  }

  /// - Parameter percentage: what was given back of the price in total, in thousandths of a percent.
  mutating func giveBack(_ percentage: Int64, of price: StatedPrice, at moment: Timestamp) {
    sums[Self.month(of: moment, price.currency), default: Sum()].refunds += Self.minorUnits(of: price, percentage)
  }

  static func month(of moment: Timestamp, _ currency: String) -> String {
    "\((moment + .hours(8)).iso8601.prefix(7)) \(currency)"
  }

  /// The year has two currencies. A fen is ten thousandths of a yuan; a yen has no smaller unit.
  private static func minorUnits(of price: StatedPrice, _ percentage: Int64 = MonthlyRevenue.whole) -> Int64 {
    price.milliunits * percentage / whole / (price.currency == "JPY" ? 1000 : 10)
  }

  /// The months in which two sides differ, as sentences.
  func differences(from other: MonthlyRevenue, _ names: (one: String, other: String)) -> [String] {
    Set(sums.keys).union(other.sums.keys).sorted().compactMap { month in
      let (mine, its) = (sums[month] ?? Sum(), other.sums[month] ?? Sum())
      return mine == its ? nil : "\(month): \(names.one) has \(mine), \(names.other) \(its)"
    }
  }
}
