import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

/// Compares a day's ledger with WeChat Pay's own data, which only a simulation can see.
struct WeChatDayJudge: Sendable {
  private let shop: WeChatDayShop

  init(_ shop: WeChatDayShop) { self.shop = shop }

  func report(day: String) async throws -> WeChatDay.Report {
    var report = WeChatDay.Report()
    let appEnvironment = WeChatDayShop.appEnvironment
    let record = try await shop.database.read { try $0.reconciliation(of: day, at: .weChatPay, in: appEnvironment) }
    if record?.doneAt == nil { report.problems.append("the schedule did not compare the day") }
    if let text = record?.report, text.contains("\"healed\":true") {
      report.healed = Self.count("\"healed\":true", in: text)
    }
    // Compares once more, after all late events: now everything must be equal.
    guard case .compared(let compared) = try await shop.engine.reconcileWeChatPay(day, for: shop.app) else {
      report.problems.append("there is no bill")
      return report
    }
    report.unexplained = compared.differences.count
    for difference in compared.differences.prefix(10) { report.problems.append("unexplained: \(difference.json.text)") }
    for finding in compared.findings where finding.kind == .notGranted {
      report.problems.append("not granted: \(finding.json.text)")
    }
    report.billFen = compared.payments.amount - compared.refunds.amount
    try await judge(&report, day)
    let audit = try await shop.engine.auditInvariants(atRest: true)
    report.problems += shop.alarms.all.prefix(10)
    report.problems += audit.violations.prefix(10).map(\.description)
    return report
  }

  private func isGivenBack(_ order: Order) async throws -> Bool {
    let appEnvironment = WeChatDayShop.appEnvironment
    return try await shop.database.read { database in
      guard let transaction = try database.weChatPayOrder(order.key)?.transaction else { return false }
      let key = PaymentKey(
        app: appEnvironment.app, store: .weChatPay, environment: appEnvironment.environment, transaction: transaction)
      return try database.payment(key)?.state == .revoked
    }
  }

  /// Describes an order that is paid at WeChat Pay but not here.
  private func events(of id: OrderIdentifier, _ order: Order) async throws -> String {
    let key = PaymentModel.OrderKey(appEnvironment: WeChatDayShop.appEnvironment, id: id)
    let (row, journal) = try await shop.database.read { (try $0.weChatPayOrder(key), try $0.journal(of: key)) }
    let told = journal.map(\.what).joined(separator: ", ")
    return "paid and not granted: \(id), \(order.state), at the store \(row?.state.name ?? "none") \(told)"
  }

  private static func count(_ word: String, in text: String) -> Int {
    var count = 0
    var rest = text.utf8[...]
    while let first = rest.firstIndex(of: 0x22) {
      rest = rest[first...]
      if rest.starts(with: word.utf8) { count += 1 }
      rest = rest.dropFirst()
    }
    return count
  }

  /// Checks that an order paid at WeChat Pay is paid here, granted once and to its user, and that an unpaid one is not
  /// granted.
  private func judge(_ report: inout WeChatDay.Report, _ day: String) async throws {
    let appEnvironment = WeChatDayShop.appEnvironment
    var money: Int64 = 0
    for truth in await shop.weChatPay.orders() {
      report.orders += 1
      guard let id = OrderIdentifier(truth.key.outTradeNo) else { continue }
      let isPaid = truth.paidAt != nil
      if isPaid { report.paid += 1 }
      let order = try await shop.database.read {
        try $0.order(PaymentModel.OrderKey(appEnvironment: appEnvironment, id: id))
      }
      guard let order else {
        report.problems.append("the store has an order that is not here: \(id)")
        continue
      }
      guard let key = order.state.payment else {
        if isPaid, try await isGivenBack(order) {
          // A held payment, which the backend refunded in full before its grant.
          if let paidAt = truth.paidAt, BeijingTime.day(paidAt) == day { money += truth.total }
        } else if isPaid {
          report.problems.append(try await events(of: id, order))
        }
        continue
      }
      if !isPaid { report.problems.append("granted and never paid: \(id)") }
      let grant = try await shop.database.read { try $0.grant(key) }
      if grant?.user != order.user { report.problems.append("granted to another user: \(id)") }
      if let paidAt = truth.paidAt, BeijingTime.day(paidAt) == day { money += truth.total }
    }
    for refund in await shop.weChatPay.refunds() {
      let number = refund.key.outRefundNo
      let ours = try await shop.database.read { try $0.refund(number, in: appEnvironment) }
      if refund.status == .success {
        report.refunds += 1
        if case .done = ours?.state { continue }
        report.problems.append("refunded and not noted: \(number), \(ours?.state.name ?? "unknown")")
      } else if case .done = ours?.state {
        report.problems.append("noted as refunded and not: \(number)")
      }
    }
    for refund in await shop.weChatPay.refunds() where BeijingTime.day(refund.createdAt) == day {
      money -= refund.refund
    }
    report.ledgerFen = money
    if report.ledgerFen != report.billFen {
      report.problems.append("the bill says \(report.billFen) fen, the truth \(report.ledgerFen)")
    }
  }
}
