package import PaymentDatabase
package import PaymentEngine
package import PaymentModel
package import PaymentPrimitives

/// WeChat Pay: orders are opened there, its notifications are verified, it is asked about orders and refunds, and its
/// bills are compared with our ledger.
///
/// Its operations are extensions of `PaymentEngine` in this module. Read them in this order: `OpenOrder` ·
/// `PrepareWeChatPay` · `ReceiveWeChatPayNotification` · `AskWeChatPay` · `RefundOrder` · `ReconcileWeChatPay` ·
/// `LearnComplaints`.
package struct WeChatPayIntegration: StoreIntegration {
  package let store = Store.weChatPay
  let gateways: [AppIdentifier: WeChatPayGateway]
  let questions = RequestCoalescer<OrderKey>()

  /// - Parameter access: the apps that sell through WeChat Pay.
  package init(
    access: [AppIdentifier: WeChatPayAccess], exchanges: Exchanges, dependencies: Dependencies, metrics: Metrics,
    traces: Traces = .off, log: @escaping Log
  ) {
    gateways = Dictionary(
      uniqueKeysWithValues: access.map { app, access in
        let exchange = access.environment == .production ? exchanges.outside : exchanges.anywhere
        return (
          app,
          WeChatPayGateway(
            access, app: app, exchange: exchange, dependencies: dependencies, metrics: metrics, traces: traces,
            log: log)
        )
      })
  }

  /// Uses other keys for the calls that begin from now on.
  ///
  /// - Returns: the apps that go on with what they have: a client of another merchant or other hosts begins with a
  ///   server.
  package func replace(by access: [AppIdentifier: WeChatPayAccess]) async -> [AppIdentifier] {
    var kept: [AppIdentifier] = []
    for (app, gateway) in gateways.sorted(by: { $0.key < $1.key }) {
      guard let new = access[app], new.canFollow(gateway.access) else {
        kept.append(app)
        continue
      }
      await gateway.replace(by: new)
    }
    return kept
  }

  package func orderLifetime(of app: AppPolicy) -> TimeSpan? { gateways[app.id]?.access.orderLifetime }

  package func open(_ details: OrderDetails, for app: AppPolicy, in engine: PaymentEngine) async throws -> OrderDetails
  {
    try await engine.handOff(details, for: app)
  }

  package func ask(about order: OrderKey, for app: AppPolicy, in engine: PaymentEngine) async {
    await engine.askWeChatPay(about: order, for: app)
  }

  package func askWhileWaiting(for order: Order, in engine: PaymentEngine) async {
    await engine.askWhileWaiting(for: order)
  }

  package func keptStatements(
    of stopped: StoppedChange, _ payment: Payment?, _ evidence: [Evidence], for app: AppPolicy,
    in engine: PaymentEngine
  ) async throws -> [StoppedStatement]? {
    guard let payment else { return nil }
    var update = PaymentUpdate(facts: payment.facts, evidence: stopped.evidence, origin: stopped.origin)
    update.charge = VerifiedCharge(payment.facts)
    return [.payment(update)]
  }

  package func ask(about gap: BackupGap, in engine: PaymentEngine) async throws -> Int {
    try await engine.askWeChatPayAboutBackupGap()
  }

  package func uncomparedDays(
    in gap: BackupGap, of app: AppPolicy, _ reader: any DatabaseReader
  ) throws -> [UncomparedDay] {
    guard gateways[app.id] != nil else { return [] }
    return try gap.uncomparedDays(in: app.homeEnvironment, reader)
  }

  package var backgroundTasks: [BackgroundTask] {
    [{ await $0.askScheduled() }, { await $0.reconcileScheduled() }, { await $0.learnComplaintsScheduled() }]
  }
}

extension PaymentEngine {
  /// WeChat Pay; nil if no app sells there.
  var weChatPay: WeChatPayIntegration? { integration(WeChatPayIntegration.self) }
}
