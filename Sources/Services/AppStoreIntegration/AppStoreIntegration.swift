package import AppStoreProtocol
package import PaymentEngine
package import PaymentModel
package import PaymentPrimitives

/// The App Store: what it signs is verified, Apple is asked and told, and its records are compared with ours.
///
/// Its operations are extensions of `PaymentEngine` in this module. Read them in this order: `SubmitAppStorePayment` ·
/// `ReceiveAppStoreNotification` · `AskAppStore` · `RunAppStoreTasks` · `ReconcileAppStore`.
package struct AppStoreIntegration: StoreIntegration {
  package let store = Store.appStore
  /// The identifiers of the apps that sell here.
  let identities: [AppIdentifier: AppIdentity]
  let verifier: SignedDataVerifier
  let receiptVerifier: ReceiptVerifier
  /// The clients of Apple's servers, for the apps that have a key.
  package let gateways: [AppIdentifier: AppStoreGateway]
  /// The clients of `verifyReceipt`, for the apps that may use it.
  let receiptGateways: [AppIdentifier: AppStoreGateway]
  let receiptAnswers = ReceiptAnswers()
  let questions = RequestCoalescer<PaymentKey>()
  let lookups = TransactionLookupLimiter()
  /// Asks whether Apple's certificates are revoked.
  let statuses: CertificateStatusClient

  /// - Parameters:
  ///   - access: the apps that sell through the App Store.
  ///   - verifier: checks what Apple signs; it remembers good chains, so one serves all apps.
  package init(
    access: [AppIdentifier: AppStoreAccess], verifier: SignedDataVerifier, exchanges: Exchanges,
    dependencies: Dependencies, metrics: Metrics, traces: Traces = .off, log: @escaping Log
  ) {
    identities = access.mapValues(\.identity)
    self.verifier = verifier
    receiptVerifier = ReceiptVerifier(trustingLike: verifier)
    statuses = CertificateStatusClient(
      verifier.statuses, exchanges, dependencies: dependencies, metrics: metrics, log: log)
    let clients = access.map { app, access in
      let exchange = access.isGenuine ? exchanges.outside : exchanges.anywhere
      let gateway = AppStoreGateway(
        access.server, receipts: access.verifyReceipt, app: app, exchange: exchange, dependencies: dependencies,
        metrics: metrics, traces: traces, log: log)
      return (app: app, access: access, gateway: gateway)
    }
    gateways = Dictionary(
      uniqueKeysWithValues: clients.filter { $0.access.server != nil }.map { ($0.app, $0.gateway) })
    receiptGateways = Dictionary(
      uniqueKeysWithValues: clients.filter { $0.access.verifyReceipt != nil }.map { ($0.app, $0.gateway) })
  }

  func identity(of app: AppIdentifier) -> AppIdentity? { identities[app] }

  func server(of app: AppIdentifier) -> AppStoreServerAccess? { gateways[app]?.settings }

  /// Uses other keys and policies for the calls that begin from now on.
  ///
  /// - Returns: the apps that go on with what they have: a client of other hosts or interfaces begins with a server.
  package func replace(by access: [AppIdentifier: AppStoreAccess]) -> [AppIdentifier] {
    identities.sorted { $0.key < $1.key }.filter { app, identity in
      let gateway = gateways[app] ?? receiptGateways[app]
      let running = AppStoreAccess(identity: identity, server: gateway?.settings, verifyReceipt: gateway?.receipts)
      guard let new = access[app], new.canFollow(running) else { return true }
      gateway?.replace(by: new.server, receipts: new.verifyReceipt)
      return false
    }.map(\.key)
  }

  package func check(
    _ product: Product, for request: OrderRequest, of app: AppPolicy
  ) throws(CodedError<EngineErrorCode>) {
    guard identities[app.id] != nil else { throw CodedError(.storeNotConfigured) }
    guard !product.appStoreProducts.isEmpty else { throw CodedError(.productNotSoldAtStore) }
  }

  package func keptStatements(
    of stopped: StoppedChange, _ payment: Payment?, _ evidence: [Evidence], for app: AppPolicy,
    in engine: PaymentEngine
  ) async throws -> [StoppedStatement]? {
    guard stopped.statement != UnreadStatement.name else {
      // Apple would sign the same words again: only another version can read them.
      let read = evidence.flatMap { engine.statements(of: $0, presentedAs: stopped.presentations, app) }
      return read.isEmpty ? nil : read
    }
    let read = evidence.compactMap { engine.statement(of: $0, presentedBy: payment?.presenter, app) }
    // If Apple's signature is missing, as in a receipt, Apple is asked. The answer is processed as usual.
    let isAsked = try await engine.askAgain(about: stopped.payment, app)
    return read.isEmpty && !isAsked ? nil : read
  }

  package func ask(about gap: BackupGap, in engine: PaymentEngine) async throws -> Int {
    try await engine.askAppStoreAboutBackupGap()
  }

  package func keep(to share: StoreShare) async {
    for gateway in gateways.values { await gateway.keep(to: share) }
    for gateway in receiptGateways.values { await gateway.keep(to: share) }
  }

  package func start(in engine: PaymentEngine) async {
    await engine.recallGoodChains()
    await engine.recallRevokedCertificates()
  }

  package var backgroundTasks: [BackgroundTask] {
    [
      { await $0.applyKeptAtStart() }, { await $0.runAppStoreTasks() }, { await $0.reconcileAppStoreScheduled() },
      { await $0.keepCertificateStatuses() },
    ]
  }
}

extension PaymentEngine {
  /// The App Store; nil if no app sells there.
  package var appStore: AppStoreIntegration? { integration(AppStoreIntegration.self) }
}
