import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import StrictJSON
import WeChatPayProtocol
import WeChatPaySimulator

/// Checks the payments that WeChat Pay charged.
struct WeChatPayCheck: WorldCheck {
  let records: WorldRecords

  /// The server's data about one order at WeChat Pay.
  private struct WeChatFinding: Sendable {
    var order: Order?
    var row: WeChatPayOrder?
    var payment: Payment?
    var grant: Grant?
    var origins: [Evidence.Origin] = []
    var journal: [String] = []
  }

  func run() async throws {
    for truth in records.weChatOrders { try await check(truth) }
    for refund in records.weChatRefunds { try await check(refund) }
    try await checkOwnRefunds()
    try await checkWeChatPayments()
    try await checkBill()
    for handOver in records.phones.flatMap(\.handOvers) {
      let key = PaymentModel.OrderKey(appEnvironment: context.appEnvironment, id: handOver.order)
      let order = try await database.read { try $0.order(key) }
      guard let order else {
        events.reportViolation("WeChat was opened for \(handOver.order), which is no order")
        continue
      }
      if !handOver.users.contains(order.user) {
        events.reportViolation("WeChat was opened for an order of \(order.user), who had not asked for it")
      }
    }
  }

  // MARK: orders

  private func finding(of truth: SimulatedOrder, _ id: OrderIdentifier) async throws -> WeChatFinding {
    let orderKey = PaymentModel.OrderKey(appEnvironment: context.appEnvironment, id: id)
    let paymentKey = truth.transactionId.map(records.weChatPayKey)
    return try await database.read { database in
      var finding = WeChatFinding()
      finding.order = try database.order(orderKey)
      finding.row = try database.weChatPayOrder(orderKey)
      finding.journal = try database.journal(of: orderKey).map(\.what)
      guard let paymentKey else { return finding }
      finding.payment = try database.payment(paymentKey)
      finding.grant = try database.grant(paymentKey)
      finding.origins = try database.evidence(of: paymentKey).map(\.origin)
      finding.journal += try database.journal(of: paymentKey).map(\.what)
      return finding
    }
  }

  private func check(_ truth: SimulatedOrder) async throws {
    guard let id = OrderIdentifier(truth.outTradeNo) else {
      return events.reportViolation("WeChat Pay has an order with a number that is none of ours: \(truth.outTradeNo)")
    }
    let finding = try await finding(of: truth, id)
    guard let order = finding.order, let row = finding.row else {
      return events.reportViolation("WeChat Pay has the order \(id), which is not here")
    }
    if finding.journal.contains("weChatPay.prepareUnknown") { events.mark(.weChatPrepareUnknown) }
    guard truth.paidAt != nil else {
      if order.state.payment != nil || finding.payment != nil {
        events.reportViolation("\(id) counts as paid at WeChat Pay, and no customer paid it")
      }
      switch row.state {
      case .closed: return events.mark(.weChatClosed)
      case .preparing, .unknown, .prepared, .closing, .paid:
        return events.reportViolation("\(id) came to rest as \(row.state.name) at WeChat Pay")
      }
    }
    guard let payment = finding.payment else {
      return events.reportViolation(
        "\(id) is paid at WeChat Pay, and the server does not know: \(order.state), \(row.state.name)")
    }
    note(finding, order)
    switch payment.state {
    case .fulfilled, .reversed, .reinstated: checkGrant(finding, order, payment: payment, truth: truth)
    case .revoked:
      if records.refunded(truth) != truth.total { events.reportViolation("\(id) counts as given back, and is not") }
    case .held where records.isBeingRefunded(id): events.mark(.held)
    case .held(let reason):
      // The scheduled queries and the bill check have run since WeChat Pay stopped signing false data.
      events.reportViolation("\(id) is paid at WeChat Pay and still held: \(reason)")
    case .unclaimed, .verified, .setAside, .imported:
      events.reportViolation("\(id) came to rest as \(payment.state.name)")
    }
  }

  private func checkGrant(_ finding: WeChatFinding, _ order: Order, payment: Payment, truth: SimulatedOrder) {
    let id = order.key.id
    guard let grant = finding.grant else {
      return events.reportViolation("\(id) is \(payment.state.name) without a grant")
    }
    events.mark(.weChatPaid)
    if order.state.payment != payment.key {
      events.reportViolation("\(id) is paid at WeChat Pay and \(order.state) here")
    }
    if grant.user != order.user {
      events.reportViolation("\(id) is an order of \(order.user), granted to \(grant.user)")
    }
    if grant.content != order.product.grant.content(of: payment.facts) || payment.facts.quantity != order.quantity {
      events.reportViolation("\(id) granted \(grant.content)")
    }
    let back = records.refunded(truth)
    if back > truth.total {
      events.reportViolation("\(id) was given back more than once: \(back) of \(truth.total) fen")
    }
    let parts =
      switch back {
      case 0: 0...0 as ClosedRange<Int64>
      case truth.total: grant.parts...grant.parts
      default: 0...max(0, grant.parts - 1)
      }
    if !parts.contains(grant.takenBack) {
      events.reportViolation(
        "of \(id) \(back) of \(truth.total) fen went back, and \(grant.takenBack) of \(grant.parts) parts")
    }
    if back == truth.total { events.mark(.weChatRefunded) } else if back > 0 { events.mark(.weChatRefundedInPart) }
  }

  private func note(_ finding: WeChatFinding, _ order: Order) {
    if finding.journal.contains("order.paidLate") { events.mark(.weChatPaidLate) }
    if finding.journal.contains("weChatPay.closing"), order.state.payment != nil { events.mark(.weChatClosedRace) }
    if finding.journal.contains(where: { $0.hasPrefix("payment.held") }) { events.mark(.weChatHeldByLie) }
    if finding.origins.first == .notification { events.mark(.weChatNotified) }
    if finding.origins.first == .storeAnswer { events.mark(.weChatAsked) }
  }

  // MARK: refunds

  private func check(_ truth: SimulatedRefund) async throws {
    let number = truth.key.outRefundNo
    let ours = try await database.read { try $0.refund(number, in: context.appEnvironment) }
    guard let ours else { return events.reportViolation("WeChat Pay has the refund \(number), which is not here") }
    switch (truth.status, ours.state) {
    case (.success, .done): return
    case (.closed, .failed), (.abnormal, .stuck): events.mark(.weChatRefundFailed)
    default: events.reportViolation("the refund \(number) is \(truth.status) at WeChat Pay and \(ours.state.name) here")
    }
  }

  /// Checks that a refund that never reached WeChat Pay has failed, with a reason.
  private func checkOwnRefunds() async throws {
    let known = Set(records.weChatRefunds.map(\.key.outRefundNo))
    let ours = try await database.read { database in
      try database.payments(after: nil, limit: 10_000).flatMap { try database.refunds(of: $0.key) }
    }
    for refund in ours where !known.contains(refund.number) {
      guard case .failed = refund.state else {
        events.reportViolation("the refund \(refund.number) is \(refund.state.name) here and unknown at WeChat Pay")
        continue
      }
      events.mark(.weChatRefundFailed)
    }
  }

  // MARK: payments here without a charge at WeChat Pay

  private func checkWeChatPayments() async throws {
    let payments = try await database.read { try $0.payments(after: nil, limit: 10_000) }
    let paid = Set(records.weChatOrders.filter { $0.paidAt != nil }.compactMap(\.transactionId))
    for payment in payments where payment.key.store == .weChatPay && !paid.contains(payment.key.transaction.text) {
      events.reportViolation("the payment \(payment.key.transaction) was never made at WeChat Pay")
    }
    let grants = try await database.read { database in try payments.compactMap { try database.grant($0.key) } }
    let users = Dictionary(grouping: grants, by: \.user)
    if users.values.contains(where: { Set($0.map(\.payment.store)).count == 2 }) { events.mark(.boughtAtBothStores) }
  }

  /// Checks that the schedule compared the day with its bill, and left nothing unexplained.
  private func checkBill() async throws {
    let day = BeijingTime.day(SimulatedWorld.beginning)
    let record = try await database.read { try $0.reconciliation(of: day, at: .weChatPay, in: context.appEnvironment) }
    guard let record, record.doneAt != nil, let text = record.report,
      let report = try? JSONReader.read(Array(text.utf8))
    else { return events.reportViolation("\(day) was never compared with its bill") }
    if report["differences"]?.integer != 0 { events.reportViolation("the bill of \(day) differs: \(text)") }
    if let healed = report["healed"]?.integer, healed > 0 { events.mark(.weChatHealedByBill) }
  }
}
