import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import WeChatPayProtocol

/// One comparison of a bill with the ledger: every line of the bill against our rows, then the reverse.
struct BillComparison {
  typealias Finding = ReconciliationReport.Finding

  let engine: PaymentEngine
  let app: AppPolicy
  let gateway: WeChatPayGateway
  let span: Range<Timestamp>
  private(set) var report: ReconciliationReport
  private var seenPayments: Set<String> = []
  private var seenRefunds: Set<String> = []

  /// Time around midnight in which clock differences may put a refund into the neighbouring day's bill.
  private static let midnight = TimeSpan.minutes(10)
  /// Our rows that are read at a time.
  private static let page = 500

  init(
    engine: PaymentEngine, app: AppPolicy, gateway: WeChatPayGateway, day: String, span: Range<Timestamp>
  ) {
    self.engine = engine
    self.app = app
    self.gateway = gateway
    self.span = span
    report = ReconciliationReport(app: app.id, store: .weChatPay, day: day)
  }

  private var appEnvironment: AppEnvironment { app.homeEnvironment }

  mutating func compare(_ bill: TradeBill) async throws {
    for row in bill.rows {
      try Task.checkCancellation()
      guard let order = Self.order(row.outTradeNo) else {
        report.foreignLines += 1
        continue
      }
      if row.feeUnits != 0 { report.fees.add(Self.fen(feeUnits: row.feeUnits)) }
      if row.unsettled != 0 { report.coupons.add(row.unsettled) }
      switch row.event {
      case .payment: try await payment(row, order)
      case .refund(let refund): try await self.refund(row, refund, order: order)
      case .other(let word):
        var finding = Finding(.unknownEvent, transaction: row.transactionId)
        finding.order = order
        finding.billAmount = row.total
        finding.details = word
        report.findings.append(finding)
      }
    }
    try await ourPayments()
    try await ourRefunds()
  }

  /// A fee in whole fen, as it moves: the bill states thousandths of a fen.
  private static func fen(feeUnits: Int64) -> Int64 {
    (feeUnits + (feeUnits < 0 ? -500 : 500)) / 1000
  }

  /// Our order numbers are exactly 32 upper-case hexadecimal digits.
  private static func order(_ number: String) -> OrderIdentifier? {
    guard let order = OrderIdentifier(number), order.outTradeNo.utf8.elementsEqual(number.utf8) else { return nil }
    return order
  }

  private func key(_ transaction: String) -> PaymentKey {
    PaymentKey(
      app: appEnvironment.app, store: .weChatPay, environment: appEnvironment.environment,
      transaction: TransactionIdentifier(transaction))
  }

  // MARK: the bill's lines

  private mutating func payment(_ row: TradeBillRow, _ order: OrderIdentifier) async throws {
    report.payments.add(row.total)
    guard seenPayments.insert(row.transactionId).inserted else { return doubled(row, order) }
    let (key, orderKey) = (key(row.transactionId), OrderKey(appEnvironment: appEnvironment, id: order))
    var payment = try await engine.read { try $0.payment(key) }
    let wasMissed = payment == nil
    if wasMissed {
      guard try await engine.read({ try $0.weChatPayOrder(orderKey) }) != nil else {
        return add(.orderUnknown, row, order: order)
      }
      await engine.askWeChatPay(about: orderKey, for: app)
      payment = try await engine.read { try $0.payment(key) }
    }
    guard var payment else { return add(.missedPayment, row, order: order) }
    let before = payment
    if payment.awaitsOwner || payment.facts.price.map({ $0.milliunits / 10 }) != row.total {
      // The stored facts may not be true: WeChat Pay is asked once more before a difference is reported.
      await engine.askWeChatPay(about: orderKey, for: app, again: true)
      payment = try await engine.read { try $0.payment(key) } ?? payment
    }
    let ours = payment.facts.price.map { $0.milliunits / 10 }
    guard ours == row.total else { return add(.amountDiffers, row, order: order) { $0.ourAmount = ours } }
    guard payment.facts.token == order else {
      return add(.orderDiffers, row, order: order) { $0.details = payment.facts.token?.description }
    }
    if payment.awaitsOwner {
      return add(.notGranted, row, order: order) {
        $0.details = if case .held(let reason) = payment.state { reason.rawValue } else { payment.state.name }
      }
    }
    if wasMissed || before.awaitsOwner { add(.missedPayment, row, order: order) { $0.isHealed = true } }
  }

  private mutating func refund(
    _ row: TradeBillRow, _ refund: TradeBillRow.Refund, order: OrderIdentifier
  ) async throws {
    report.refunds.add(refund.requested)
    guard seenRefunds.insert(refund.outRefundNo).inserted else { return doubled(row, order) }
    let appEnvironment = appEnvironment
    let before = try await engine.read { try $0.refund(refund.outRefundNo, in: appEnvironment) }
    // The line shows the state of that day and is never updated; WeChat Pay's answer is current. A refund that failed
    // here has a line only if WeChat Pay accepted it after all.
    if before?.state.isDone != true {
      await engine.askAboutRefund(refund.outRefundNo, for: app)
    }
    guard let present = try await engine.read({ try $0.refund(refund.outRefundNo, in: appEnvironment) }) else {
      return add(.missedRefund, row, order: order)
    }
    guard present.payment == key(row.transactionId) else {
      return add(.orderDiffers, row, order: order) { $0.details = present.order?.description }
    }
    guard present.amount.minorUnits == refund.requested else {
      return add(.amountDiffers, row, order: order) { $0.ourAmount = present.amount.minorUnits }
    }
    if before == nil || before?.state.name != present.state.name {
      add(.missedRefund, row, order: order) {
        $0.ourAmount = present.amount.minorUnits
        $0.isHealed = true
      }
    }
  }

  private mutating func doubled(_ row: TradeBillRow, _ order: OrderIdentifier) { add(.doubledLine, row, order: order) }

  private mutating func add(
    _ kind: Finding.Kind, _ row: TradeBillRow, order: OrderIdentifier,
    change: (inout Finding) -> Void = { _ in }
  ) {
    var finding = Finding(kind, transaction: row.transactionId)
    finding.order = order
    finding.refund = row.refund?.outRefundNo
    // The line of a refund has no amount of the order.
    finding.billAmount = row.refund?.requested ?? row.total
    change(&finding)
    report.findings.append(finding)
  }

  // MARK: our rows

  private mutating func ourPayments() async throws {
    let (span, appEnvironment) = (span, appEnvironment)
    var last: (date: Timestamp, transaction: TransactionIdentifier)?
    while true {
      let after = last
      let page = try await engine.read {
        try $0.charges(madeIn: span, after: after, in: appEnvironment, limit: Self.page)
      }
      for payment in page where !seenPayments.contains(payment.key.transaction.text) {
        var finding = Finding(.paymentNotInBill, transaction: payment.key.transaction.text)
        finding.order = payment.facts.token
        finding.ourAmount = payment.facts.price.map { $0.milliunits / 10 }
        finding.details = payment.state.name
        report.findings.append(finding)
      }
      guard page.count == Self.page, let end = page.last else { return }
      last = (end.facts.purchaseDate, end.key.transaction)
    }
  }

  private mutating func ourRefunds() async throws {
    let (span, appEnvironment) = (span, appEnvironment)
    var last: (date: Timestamp, number: String)?
    while true {
      let after = last
      let page = try await engine.read {
        try $0.refunds(madeIn: span, after: after, in: appEnvironment, limit: Self.page)
      }
      for refund in page where isMissing(refund) {
        var finding = Finding(.refundNotInBill, transaction: refund.payment.transaction.text)
        finding.order = refund.order
        finding.refund = refund.number
        finding.ourAmount = refund.amount.minorUnits
        finding.details = refund.state.name
        report.findings.append(finding)
      }
      guard page.count == Self.page, let end = page.last else { return }
      last = (end.createdAt, end.number)
    }
  }

  /// Whether a refund of ours is missing from the bill. One that WeChat Pay has not accepted yet, or rejected, has no
  /// line. One from the minutes around midnight may be in the neighbouring bill.
  private func isMissing(_ refund: Refund) -> Bool {
    guard refund.state.counts, refund.storeNumber != nil, !seenRefunds.contains(refund.number) else { return false }
    return refund.createdAt >= span.lowerBound + Self.midnight && refund.createdAt < span.upperBound - Self.midnight
  }
}

extension TradeBillRow {
  /// What coupons paid that the merchant had not paid in: it is part of the amount, and the merchant never gets it. A
  /// refund gives it back to the coupon, so there it is negative.
  fileprivate var unsettled: Int64 {
    switch event {
    case .payment: total - settlementTotal
    case .refund(let refund): refund.amount - refund.requested
    case .other: 0
    }
  }
}
