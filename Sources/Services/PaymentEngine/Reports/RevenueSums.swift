import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives

/// The sums of a report while its rows are read. It keeps no row: only sums, and the first differences by name.
struct RevenueSums {
  typealias Key = RevenueReport.Key
  typealias Difference = RevenueReport.Difference

  private let app: AppPolicy
  private let request: RevenueReport.Request
  /// The period of each day, and the moments at which a period ends.
  private let periods: [String]
  private let ends: [(period: String, at: Timestamp)]
  private(set) var report: RevenueReport
  private var rows: [Key: RevenueReport.Amounts] = [:]
  private var totals: [Key: RevenueReport.Amounts] = [:]
  /// What the bills of WeChat Pay should have: by day, in fen.
  private var billed: [(sales: Int64, refunds: Int64)]

  init(_ request: RevenueReport.Request, of app: AppPolicy, at now: Timestamp) {
    self.app = app
    self.request = request
    report = RevenueReport(
      request: request, commissionPercent: app.commissionPercent.map { Int64($0) }, madeAt: now)
    let days = (0..<request.days.count).map { request.days.day($0) }
    let byDay = request.dimensions.contains(.day)
    let byMonth = request.dimensions.contains(.month)
    let periods = days.map { byDay ? $0 : byMonth ? String($0.prefix(7)) : "" }
    self.periods = periods
    ends = periods.indices.filter { $0 + 1 == periods.count || periods[$0 + 1] != periods[$0] }.map {
      (periods[$0], request.days.span.lowerBound + .days(Int64($0 + 1)))
    }
    billed = Array(repeating: (0, 0), count: periods.count)
  }

  /// The periods of the rows with their times, the first one first.
  var spans: [(period: String, span: Range<Timestamp>)] {
    zip([request.days.span.lowerBound] + ends.map { $0.at }, ends).map { start, end in
      (period: end.period, span: start..<end.at)
    }
  }

  // MARK: payments

  /// A payment that was bought in the report's days.
  mutating func sold(_ payment: Payment) throws {
    guard let day = request.days.index(of: payment.facts.purchaseDate), payment.isCharged else { return }
    guard let price = payment.money() else {
      return add(Difference(.withoutPrice, of: payment, amount: nil))
    }
    try change(key(of: payment, period: periods[day], price)) { $0.sales.add(price.minorUnits) }
    if payment.key.store == .weChatPay { billed[day].sales += price.minorUnits }
    if payment.key.store == .appStore, payment.facts.quantity > 1 {
      var difference = Difference(.severalPieces, of: payment, amount: price)
      difference.details = "×\(payment.facts.quantity)"
      add(difference)
    }
    if payment.facts.isUpgraded, payment.facts.revocation == nil {
      add(Difference(.upgraded, of: payment, amount: price))
    }
    switch payment.state {
    case _ where payment.state.wasGranted:
      report.granted[Key(store: payment.key.store, currency: price.currency.code), default: .init()].add(
        price.minorUnits)
    // Nothing of it is left to be granted.
    case .revoked: break
    case .imported: add(Difference(.imported, of: payment, amount: price))
    default: add(Difference(.notGranted, of: payment, amount: price))
    }
  }

  /// A payment that Apple took back in the report's days.
  mutating func takenBack(_ payment: Payment) throws {
    guard payment.key.store == .appStore, payment.isCharged, let revocation = payment.facts.revocation,
      let day = request.days.index(of: revocation.date), let back = payment.moneyBack()
    else { return }
    try change(key(of: payment, period: periods[day], back)) { $0.refunds.add(back.minorUnits) }
  }

  /// A refund at WeChat Pay, which the bill has on the day of its acceptance.
  mutating func refunded(_ refund: Refund, of payment: Payment?) throws {
    guard let day = request.days.index(of: refund.createdAt), refund.storeNumber != nil else { return }
    guard refund.state.counts else {
      var difference = Difference(.refundFailed, at: .weChatPay)
      difference.day = request.days.day(day)
      difference.transaction = refund.payment.transaction.text
      difference.refund = refund.number
      difference.currency = refund.amount.currency.code
      difference.ours = refund.amount.minorUnits
      return add(difference)
    }
    let key =
      payment.map { self.key(of: $0, period: periods[day], refund.amount) }
      ?? Key(period: periods[day], store: .weChatPay, currency: refund.amount.currency.code)
    try change(key) { $0.refunds.add(refund.amount.minorUnits) }
    billed[day].refunds += refund.amount.minorUnits
  }

  /// A payment whose period may reach behind the end of a row's days.
  mutating func period(_ payment: Payment) throws {
    let facts = payment.facts
    guard facts.kind == .autoRenewable, payment.isCharged, !facts.isUpgraded, let end = facts.expiresDate,
      let price = payment.money(), end > facts.purchaseDate
    else { return }
    let length = (end - facts.purchaseDate).milliseconds
    for (period, at) in ends where facts.purchaseDate < at && at < end {
      let back = facts.revocation.map { $0.date < at } == true ? payment.moneyBack()?.minorUnits ?? 0 : 0
      let (high, low) = (price.minorUnits - back).multipliedFullWidth(by: (end - at).milliseconds)
      let left = length.dividingFullWidth((high, low)).quotient
      guard left > 0 else { continue }
      try change(key(of: payment, period: period, price), inTotals: at == request.days.span.upperBound) {
        $0.deferred += left
      }
    }
  }

  private func key(of payment: Payment, period: String, _ money: Money) -> Key {
    var key = Key(period: period, store: payment.key.store, currency: money.currency.code)
    let product = payment.facts.storeProduct
    if request.dimensions.contains(.product) {
      key.product =
        payment.key.store.opensOrders ? product.text : app.catalog.product(for: product)?.id.text ?? product.text
    }
    if request.dimensions.contains(.storefront) { key.storefront = payment.facts.storefront ?? "" }
    return key
  }

  private mutating func change(
    _ key: Key, inTotals: Bool = true, _ body: (inout RevenueReport.Amounts) -> Void
  ) throws {
    body(&rows[key, default: .init()])
    guard rows.count <= RevenueReport.rowsMax else { throw ReportTooLarge() }
    if inTotals { body(&totals[Key(store: key.store, currency: key.currency), default: .init()]) }
  }

  // MARK: differences

  private mutating func add(_ difference: Difference) {
    let key = RevenueReport.DifferenceKey(
      kind: difference.kind, store: difference.store, currency: difference.currency ?? "")
    report.differenceSums[key, default: .init()].add(difference.ours ?? 0)
    if report.differences.count < RevenueReport.differencesMax { report.differences.append(difference) }
  }

  // MARK: bills

  /// Compares each day with its bill, and takes the bill's fees.
  mutating func compare(_ bills: [String: ComparedBill]) throws {
    var taken: [String: BillDeduction] = [:]
    var unknown: Set<String> = []
    for (index, sums) in billed.enumerated() {
      let day = request.days.day(index)
      guard let bill = bills[day] else {
        unknown.insert(periods[index])
        add(.of(.dayNotCompared, day, ours: sums.sales - sums.refunds, theirs: nil))
        continue
      }
      if bill.payments != sums.sales {
        add(.of(.billPaymentsDiffer, day, ours: sums.sales, theirs: bill.payments))
      }
      if bill.refunds != sums.refunds {
        add(.of(.billRefundsDiffer, day, ours: sums.refunds, theirs: bill.refunds))
      }
      bill.findings.forEach { add($0) }
      if let deduction = bill.deduction {
        taken[periods[index], default: .init()].add(deduction)
      } else {
        unknown.insert(periods[index])
        add(.of(.feesUnknown, day, ours: nil, theirs: nil))
      }
    }
    for (period, deduction) in taken where !unknown.contains(period) {
      guard !divides else {
        divide(deduction.fees, ofPeriod: period, into: \.fees)
        divide(deduction.coupons, ofPeriod: period, into: \.coupons)
        continue
      }
      try change(Key(period: period, store: .weChatPay, currency: CurrencyCode.cny.code), inTotals: false) {
        ($0.fees, $0.coupons) = (deduction.fees, deduction.coupons)
      }
    }
    guard unknown.isEmpty else { return }
    let all = taken.values.reduce(into: BillDeduction()) { $0.add($1) }
    let total = Key(store: .weChatPay, currency: CurrencyCode.cny.code)
    totals[total, default: .init()].fees = all.fees
    totals[total, default: .init()].coupons = all.coupons
  }

  /// Whether products or storefronts divide the rows. A bill has one line for each payment and names neither.
  private var divides: Bool { request.divides }

  /// Divides the fees or coupons of a period among its rows, in proportion to what is left of their sales. The parts
  /// add up to the sum, so the net amounts do as well. They are an estimate.
  private mutating func divide(
    _ sum: Int64, ofPeriod period: String, into part: WritableKeyPath<RevenueReport.Amounts, Int64?>
  ) {
    let keys = rows.keys.filter { $0.store == .weChatPay && $0.period == period }.sorted()
    let left = keys.map { key in rows[key].map { $0.sales.amount - $0.refunds.amount } ?? 0 }
    // If all was given back, each row had its part of what was kept.
    let sales = keys.map { rows[$0]?.sales.amount ?? 0 }
    let weights = left.reduce(0, +) > 0 ? left : sales
    let whole = weights.reduce(0, +)
    guard whole > 0 else { return }
    var (before, given): (Int64, Int64) = (0, 0)
    for (key, weight) in zip(keys, weights) {
      before += weight
      let (high, low) = sum.multipliedFullWidth(by: before)
      let until = whole.dividingFullWidth((high, low)).quotient
      rows[key]?[keyPath: part] = until - given
      given = until
    }
  }

  /// What was given without a payment: no money, so no row has it.
  mutating func gave(_ counts: [PromotionalCount]) { report.promotional = counts }

  /// Units that were given without a payment: no money either.
  mutating func credited(_ credits: [CreditSum], in period: String) throws {
    for sum in credits { report.credits.append((period, sum)) }
    guard report.credits.count <= RevenueReport.rowsMax else { throw ReportTooLarge() }
  }

  // MARK: the end

  func finished() -> RevenueReport {
    var report = report
    report.rows = Self.sorted(rows, commission: report.commissionPercent)
    report.totals = Self.sorted(totals, commission: report.commissionPercent)
    return report
  }

  private static func sorted(
    _ rows: [Key: RevenueReport.Amounts], commission: Int64?
  ) -> [(key: Key, amounts: RevenueReport.Amounts)] {
    rows.sorted { $0.key < $1.key }.map { key, amounts in
      var amounts = amounts
      let left = amounts.sales.amount - amounts.refunds.amount
      switch key.store {
      // Apple's part is rounded down to the smallest unit.
      case .appStore: amounts.net = commission.map { left - left * $0 / 100 }
      case .weChatPay: amounts.net = amounts.fees.map { left - $0 - (amounts.coupons ?? 0) }
      }
      return (key, amounts)
    }
  }
}

extension RevenueReport.Difference {
  init(_ kind: Kind, of payment: Payment, amount: Money?) {
    self.init(kind, at: payment.key.store)
    transaction = payment.key.transaction.text
    currency = amount?.currency.code
    ours = amount?.minorUnits
    details = payment.state.reason ?? payment.state.name
  }

  /// About a day of WeChat Pay.
  static func of(_ kind: Kind, _ day: String, ours: Int64?, theirs: Int64?) -> Self {
    var difference = Self(kind, at: .weChatPay)
    (difference.day, difference.ours, difference.theirs) = (day, ours, theirs)
    difference.currency = CurrencyCode.cny.code
    return difference
  }
}

extension Payment {
  /// Family members get transactions of a purchase, and pay nothing.
  fileprivate var isCharged: Bool { facts.ownership != .familyShared }

  /// Nil without a price that can be read. The price at WeChat Pay is that of the order, and Apple's is that of one
  /// piece.
  fileprivate func money(thousandthsOfPercent share: Int64 = 100_000) -> Money? {
    guard let price = facts.price else { return nil }
    let pieces = key.store == .appStore ? Int64(facts.quantity) : 1
    let (whole, overflows) = price.milliunits.multipliedReportingOverflow(by: pieces)
    return overflows
      ? nil : StatedPrice(milliunits: whole, currency: price.currency).money(thousandthsOfPercent: share)
  }

  /// What the App Store gave back by its newest statement; nil if nothing.
  package func moneyBack() -> Money? {
    guard let revocation = facts.revocation, revocation.type != "FAMILY_REVOKE" else { return nil }
    return money(thousandthsOfPercent: revocation.percentage ?? 100_000)
  }
}
