package import AppStoreProtocol
package import Cryptography
package import HTTPMessages
import PaymentModel
package import PaymentDatabase
package import PaymentPrimitives

/// The engine between stores and the app's backend: one file per operation.
///
/// Read them in this order: `CreateOrder` · `SubmitAppStorePayment` · `ReceiveAppStoreNotification` ·
/// `FulfilPayment`, the central part · `DeliverOutbox` · `AuditInvariants`. It holds no durable state of its own:
/// everything that must last is in the database.
package struct PaymentEngine: Sendable {
  /// The apps that it serves, in their present configuration.
  package var apps: AppDirectory { directory.all }
  let directory: CurrentApps
  let store: any PaymentDatabase
  let verifier: SignedDataVerifier
  let dependencies: Dependencies
  let exchanges: Exchanges
  let secret: Secret
  let limits: EngineLimits
  /// The counters and timings for `/metrics`.
  package let metrics: Metrics
  let bell: ChangeSignal<OrderIdentifier>
  let deliveryBell: ChangeSignal<AppEnvironment>
  let forwardBell: ChangeSignal<AppIdentifier>
  /// Signals that a question to a store is due.
  let storeBell: ChangeSignal<Int>
  let gateways: [AppIdentifier: WeChatPayGateway]
  /// The clients of Apple's servers, for the apps that have a key.
  package let appStoreGateways: [AppIdentifier: AppStoreGateway]
  /// The clients of `verifyReceipt`, for the apps that may use it.
  let receiptGateways: [AppIdentifier: AppStoreGateway]
  let receiptAnswers: ReceiptAnswers
  let questions: RequestCoalescer<OrderKey>
  let appStoreQuestions: RequestCoalescer<PaymentKey>
  let bareQuestions: TransactionLookupLimiter
  let receiptVerifier: ReceiptVerifier
  let health = StoreHealth()
  let clock = ClockMark()
  let log: Log

  /// An engine on a database.
  ///
  /// - Parameters:
  ///   - verifier: checks what Apple signs; it remembers good chains, so one serves all apps.
  ///   - secret: the installation's secret; ids derived with it are the same on every node and after a restore.
  ///   - exchanges: how the app's backends are reached.
  package init(
    apps: AppDirectory, store: any PaymentDatabase, verifier: SignedDataVerifier, dependencies: Dependencies,
    exchanges: Exchanges, secret: Secret, limits: EngineLimits = EngineLimits(),
    metrics: Metrics = Metrics(), log: @escaping Log
  ) {
    directory = CurrentApps(apps)
    self.store = store
    self.verifier = verifier
    self.dependencies = dependencies
    self.exchanges = exchanges
    self.secret = secret
    self.limits = limits
    self.metrics = metrics
    self.bell = ChangeSignal()
    self.deliveryBell = ChangeSignal()
    self.forwardBell = ChangeSignal()
    self.log = log
    storeBell = ChangeSignal()
    questions = RequestCoalescer()
    appStoreQuestions = RequestCoalescer()
    bareQuestions = TransactionLookupLimiter()
    receiptVerifier = ReceiptVerifier(trustingLike: verifier)
    let gateways = apps.all.compactMap { app -> (AppSettings, AppStoreGateway)? in
      guard app.appStore != nil || app.verifyReceipt != nil else { return nil }
      let isGenuine = app.appStore?.isGenuine ?? true && app.verifyReceipt?.hosts.areGenuine ?? true
      let gateway = AppStoreGateway(
        app.appStore, receipts: app.verifyReceipt, app: app.id,
        exchange: isGenuine ? exchanges.outside : exchanges.anywhere, dependencies: dependencies, metrics: metrics,
        log: log)
      return (app, gateway)
    }
    appStoreGateways = Dictionary(
      gateways.filter { $0.0.appStore != nil }.map { ($0.0.id, $0.1) }
    ) { first, _ in first }
    receiptGateways = Dictionary(
      gateways.filter { $0.0.verifyReceipt != nil }.map { ($0.0.id, $0.1) }
    ) { first, _ in first }
    receiptAnswers = ReceiptAnswers()
    self.gateways = Dictionary(
      apps.all.compactMap { app in
        app.weChatPay.map { settings in
          let isGenuine = settings.environment == .production
          let gateway = WeChatPayGateway(
            settings, app: app.id, exchange: isGenuine ? exchanges.outside : exchanges.anywhere,
            dependencies: dependencies, metrics: metrics, log: log)
          return (app.id, gateway)
        }
      }
    ) { first, _ in first }
  }

  /// Runs the background tasks until the task is cancelled: deliveries, the closing of expired orders, questions to
  /// stores.
  package func run() async {
    for app in apps.all where app.isObserving {
      log(LogEvent(.warning, "app.onlyObserves", [("app", app.id.text)]))
    }
    tellOfGaps()
    await recallGoodChains()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await keepWatch() }
      group.addTask { await applyKeptAtStart() }
      group.addTask { await retryStoppedScheduled() }
      group.addTask { await decideHeldAtStart() }
      group.addTask { await deliverOutbox() }
      group.addTask { await forwardNotifications() }
      group.addTask { await expireOrders() }
      group.addTask { await askScheduled() }
      group.addTask { await reconcileScheduled() }
      group.addTask { await runAppStoreTasks() }
      group.addTask { await reconcileAppStoreScheduled() }
      await group.waitForAll()
    }
  }
}

/// How other machines are reached: the public network, and the private one for endpoints that the configuration
/// allows.
package struct Exchanges: Sendable {
  /// Refuses private, loopback and link-local addresses, whatever host name resolves to them.
  package var outside: HTTPExchange
  package var anywhere: HTTPExchange

  /// Exchanges with public addresses only, and with any address.
  package init(outside: HTTPExchange, anywhere: HTTPExchange) {
    self.outside = outside
    self.anywhere = anywhere
  }
}
