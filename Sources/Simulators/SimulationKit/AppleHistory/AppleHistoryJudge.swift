import AppStoreSimulator
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// Compares the ledger of a history with the App Store's charges.
struct AppleHistoryJudge: Sendable {
  private let shop: AppleHistoryShop
  private let database: InMemoryDatabase

  init(_ shop: AppleHistoryShop) {
    self.shop = shop
    database = shop.database(shop.dependencies)
  }

  private func key(_ id: TransactionIdentifier) -> PaymentKey {
    PaymentKey(
      app: AppleHistoryShop.appEnvironment.app, store: .appStore,
      environment: AppleHistoryShop.appEnvironment.environment,
      transaction: id)
  }

  /// The charges and refunds that the server does not know yet.
  struct Missed: Sendable {
    var charges: Set<TransactionIdentifier> = []
    var refunds: Set<TransactionIdentifier> = []

    var count: Int { charges.count }
  }

  func missed() async throws -> Missed {
    var missed = Missed()
    for charge in await shop.appStore.charges() {
      let key = key(charge.transaction.id)
      let payment = try await database.read { try $0.payment(key) }
      if payment == nil { missed.charges.insert(charge.transaction.id) }
      if charge.refundedPercentage > 0, payment?.facts.revocation == nil {
        missed.refunds.insert(charge.transaction.id)
      }
    }
    return missed
  }

  /// Completes a report with the result of each charge.
  func report(_ before: AppleHistory.Report, _ missed: Missed) async throws -> AppleHistory.Report {
    var report = before
    let charges = await shop.appStore.charges()
    report.transactions = charges.count
    report.customers = Set(charges.map(\.transaction.owner)).count
    for charge in charges { try await judge(charge, missed, report: &report) }
    let engine = try shop.frontEngine()
    let audit = try await engine.auditInvariants(atRest: true)
    report.problems += shop.alarms.all.prefix(10)
    report.problems += audit.violations.prefix(10).map(\.description)
    return report
  }

  private func judge(
    _ charge: SimulatedCharge, _ missed: Missed, report: inout AppleHistory.Report
  ) async throws {
    let sold = charge.transaction
    let key = key(sold.id)
    let (payment, grant) = try await database.read { (try $0.payment(key), try $0.grant(key)) }
    let wasMissed = missed.charges.contains(sold.id)
    guard let payment else { return report.problems.append("\(sold.id) was charged, and is not known") }
    if wasMissed { report.found += 1 }
    if charge.refundedPercentage > 0 {
      if payment.facts.revocation == nil {
        report.problems.append("\(sold.id) was refunded, and the server does not know it")
      } else if missed.refunds.contains(sold.id) {
        report.refundsFound += 1
      }
    }
    switch payment.state {
    case .fulfilled, .reversed, .reinstated, .revoked:
      if wasMissed { report.healed += 1 }
      guard payment.state.wasGranted else { return }
      let user = OrderIdentifier(sold.appAccountToken?.text ?? "")
      try await judge(grant, payment, named: user, report: &report)
    case .unclaimed where sold.appAccountToken == nil, .held where sold.appAccountToken == nil:
      // The owner is unknown, or the user who presented it has reached the claim limit.
      if wasMissed { report.waiting += 1 }
    case .unclaimed, .verified, .held, .setAside, .imported:
      report.problems.append("\(sold.id) came to rest as \(payment.state.name)")
    }
  }

  private func judge(
    _ grant: Grant?, _ payment: Payment, named: OrderIdentifier?, report: inout AppleHistory.Report
  ) async throws {
    let id = payment.key.transaction
    guard let grant else { return report.problems.append("\(id) is \(payment.state.name) without a grant") }
    guard let named else { return }
    let order = try await database.read {
      try $0.order(OrderKey(appEnvironment: AppleHistoryShop.appEnvironment, id: named))
    }
    if order?.user != grant.user {
      report.problems.append("\(id) was granted to \(grant.user), who had not ordered it")
    }
  }

  /// Checks that no endpoint was called more often in any second than Apple allows, and that Apple never reported too
  /// many calls.
  func judgeRates(_ report: inout AppleHistory.Report) {
    for count in report.calls where count.highest > count.allowed {
      report.problems.append("\(count.endpoint) was asked \(count.highest) times within a second")
    }
    if report.tooOften > 0 { report.problems.append("Apple said \(report.tooOften) times that it is asked too often") }
  }
}
