import PaymentModel
package import PaymentPrimitives

/// What an app sold and gave back in some days, by store and currency and by more dimensions (record 297).
///
/// Days are those of Beijing time, as in the console and in WeChat Pay's bills. Amounts are in the smallest unit of
/// their currency, and currencies are never added together.
package struct RevenueReport: Sendable {
  /// What else the rows are divided by. The names are permanent.
  package enum Dimension: String, CaseIterable, Sendable {
    case day
    case month
    case product
    case storefront
  }

  package struct Request: Sendable {
    package var appEnvironment: AppEnvironment
    package var days: ReportDays
    package var dimensions: Set<Dimension>

    package init(_ days: ReportDays, by dimensions: Set<Dimension>, in appEnvironment: AppEnvironment) {
      self.days = days
      self.dimensions = dimensions
      self.appEnvironment = appEnvironment
    }

    /// Whether the rows are divided by what no bill names.
    var divides: Bool { dimensions.contains(.product) || dimensions.contains(.storefront) }
  }

  /// What makes a row another one.
  struct Key: Hashable, Comparable, Sendable {
    /// A day, a month, or empty.
    var period = ""
    var store: Store
    var currency: String
    var product: String?
    var storefront: String?

    static func < (a: Key, b: Key) -> Bool {
      (a.period, a.store, a.currency, a.product ?? "", a.storefront ?? "")
        < (b.period, b.store, b.currency, b.product ?? "", b.storefront ?? "")
    }
  }

  struct Sum: Hashable, Sendable {
    var count = 0
    var amount: Int64 = 0

    mutating func add(_ amount: Int64) {
      count += 1
      self.amount += amount
    }
  }

  struct Amounts: Sendable {
    var sales = Sum()
    var refunds = Sum()
    /// The part of paid periods that lies behind the end of the row's days.
    var deferred: Int64 = 0
    /// The fees of WeChat Pay's bills; nil where a bill was not compared. Of a row of a product or storefront, the part
    /// that falls on it.
    var fees: Int64?
    /// What coupons paid and WeChat Pay never hands over, by the same bills; nil and divided like the fees.
    var coupons: Int64?
    /// What is left after refunds, coupons and the store's part.
    var net: Int64?
  }

  /// Something that keeps the totals from being equal to the ledger, a bill or Apple's records.
  package struct Difference: Sendable {
    /// The names are permanent. Findings of a bill keep their own.
    package enum Kind: String, CaseIterable, Sendable {
      /// Paid, and not granted here: the details say why.
      case notGranted
      /// Paid, and granted by the earlier system.
      case imported
      /// The store states no price that can be read, so it is in no sum.
      case withoutPrice
      /// An upgrade ended it early. Apple gave back a part and does not say how much.
      case upgraded
      /// Several pieces in one purchase. Apple does not document whether its price is that of one: it is taken as such.
      case severalPieces
      /// The day's bill was not compared yet, so its fees are unknown too.
      case dayNotCompared
      /// The bill was compared by an earlier version, which did not keep its fees or coupons.
      case feesUnknown
      /// The bill's payments of that day are another sum than ours.
      case billPaymentsDiffer
      /// The bill's refunds of that day are another sum than ours.
      case billRefundsDiffer
      /// It failed after WeChat Pay had accepted it, so the bill has it.
      case refundFailed
    }

    /// What stands before the amount in fen in the details of a difference in a fund-flow bill. That bill is compared
    /// with the trade bill, not with amounts of ours.
    package static let expectedInFundFlow = "fund-flow bill, expected "

    var kind: String
    var store: Store
    var day: String?
    var transaction: String?
    var refund: String?
    var currency: String?
    var ours: Int64?
    var theirs: Int64?
    var details: String?

    init(_ kind: String, at store: Store) {
      self.kind = kind
      self.store = store
    }

    init(_ kind: Kind, at store: Store) { self.init(kind.rawValue, at: store) }
  }

  /// How many differences of a kind there are, and the sum of our amounts.
  struct DifferenceKey: Hashable, Comparable, Sendable {
    var kind: String
    var store: Store
    var currency: String

    static func < (a: DifferenceKey, b: DifferenceKey) -> Bool {
      (a.kind, a.store, a.currency) < (b.kind, b.store, b.currency)
    }
  }

  /// More rows are not made: fewer days or dimensions give fewer.
  package static let rowsMax = 10_000
  /// Differences that are named one by one; all are counted.
  package static let differencesMax = 1_000

  package let request: Request
  /// Apple's part in percent, from the configuration; nil without one.
  package let commissionPercent: Int64?
  let madeAt: Timestamp
  var rows: [(key: Key, amounts: Amounts)] = []
  /// By store and currency.
  var totals: [(key: Key, amounts: Amounts)] = []
  var granted: [Key: Sum] = [:]
  var differences: [Difference] = []
  var differenceSums: [DifferenceKey: Sum] = [:]
  /// What users were given without a payment in these days: no revenue.
  var promotional: [PromotionalCount] = []
  /// Units that users were given without a payment, by period and unit: no revenue.
  var credits: [(period: String, sum: CreditSum)] = []
}

/// There would be more than `RevenueReport.rowsMax` rows.
package struct ReportTooLarge: Error {}

/// Consecutive days of Beijing time.
package struct ReportDays: Hashable, Sendable {
  package let first: String
  package let last: String
  package let span: Range<Timestamp>

  private static let offset = TimeSpan.hours(8)
  private static let dayMilliseconds = TimeSpan.days(1).milliseconds
  /// The most days of a report, so that every sum of a report fits into a page of memory.
  package static let daysMax = 366

  /// - Parameters:
  ///   - first: such as `2026-03-01`.
  ///   - last: included.
  package init?(from first: String, to last: String) {
    guard let start = Self.start(of: first), let end = Self.start(of: last), start <= end,
      (end - start).milliseconds / Self.dayMilliseconds < Int64(Self.daysMax)
    else { return nil }
    self.first = first
    self.last = last
    span = start..<(end + .days(1))
  }

  var count: Int { Int((span.upperBound - span.lowerBound).milliseconds / Self.dayMilliseconds) }

  /// The number of a moment's day, from 0; nil outside of the days.
  func index(of moment: Timestamp) -> Int? {
    guard span.contains(moment) else { return nil }
    return Int((moment - span.lowerBound).milliseconds / Self.dayMilliseconds)
  }

  func day(_ index: Int) -> String { Self.day(of: span.lowerBound + .days(Int64(index))) }

  /// The day of a moment in Beijing time.
  package static func day(of moment: Timestamp) -> String { String((moment + offset).iso8601.prefix(10)) }

  private static func start(of day: String) -> Timestamp? {
    guard day.utf8.count == 10, let start = Timestamp(iso8601: day + "T00:00:00+08:00"), self.day(of: start) == day
    else { return nil }
    return start
  }
}
