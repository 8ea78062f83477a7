package import AppStoreProtocol
package import Cryptography
package import HTTPMessages
import PaymentModel
package import PaymentDatabase
package import PaymentPrimitives

/// The machine between stores and the app's backend: one file per thing that it does.
///
/// Read them in this order: `CreateOrder` · `SubmitAppStorePayment` · `ReceiveAppStoreNotification` · `FulfilPayment`,
/// the heart · `DeliverOutbox` · `AuditInvariants`. It holds no state of its own: everything that must last is in the
/// store.
package struct PaymentEngine: Sendable {
  /// The apps that it serves, as they are configured at present.
  package var apps: AppDirectory { directory.all }
  let directory: CurrentApps
  let store: any PaymentDatabase
  let verifier: SignedDataVerifier
  let surroundings: Dependencies
  let exchanges: Exchanges
  let secret: Secret
  let limits: EngineLimits
  /// What it counts and times, for `/metrics`.
  package let metrics: Metrics
  let bell: ChangeSignal<OrderIdentifier>
  let deliveryBell: ChangeSignal<AppEnvironment>
  let forwardBell: ChangeSignal<AppIdentifier>
  /// Rings when a question to a store has come to be due.
  let storeBell: ChangeSignal<Int>
  let gateways: [AppIdentifier: WeChatPayGateway]
  /// The ways to Apple's servers of the apps that have a key.
  package let appStoreGateways: [AppIdentifier: AppStoreGateway]
  /// The ways to `verifyReceipt` of the apps that may use it.
  let receiptGateways: [AppIdentifier: AppStoreGateway]
  let receiptAnswers: ReceiptAnswers
  let questions: RequestCoalescer<OrderKey>
  let appStoreQuestions: RequestCoalescer<PaymentKey>
  let bareQuestions: TransactionLookupLimiter
  let receiptVerifier: ReceiptVerifier
  let health = StoreHealth()
  let clock = ClockMark()
  let log: Log

  /// An engine over a store.
  ///
  /// - Parameters:
  ///   - verifier: checks what Apple signs; it remembers good chains, so one serves all apps.
  ///   - secret: the installation's secret; ids derived with it are the same on every node and after a restore.
  ///   - exchanges: how the app's backends are reached.
  package init(
    apps: AppDirectory, store: any PaymentDatabase, verifier: SignedDataVerifier, surroundings: Dependencies,
    exchanges: Exchanges, secret: Secret, limits: EngineLimits = EngineLimits(),
    metrics: Metrics = Metrics(), log: @escaping Log
  ) {
    directory = CurrentApps(apps)
    self.store = store
    self.verifier = verifier
    self.surroundings = surroundings
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
        exchange: isGenuine ? exchanges.outside : exchanges.anywhere, surroundings: surroundings, metrics: metrics,
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
            surroundings: surroundings, metrics: metrics, log: log)
          return (app.id, gateway)
        }
      }
    ) { first, _ in first }
  }

  /// Does the standing work until the task is cancelled: deliveries, the closing of expired orders, questions to
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

/// How other machines are reached: the open network, and, for endpoints that the configuration allows it, the inner
/// one.
package struct Exchanges: Sendable {
  /// Refuses private, loopback and link-local addresses, whatever name they hide behind.
  package var outside: HTTPExchange
  package var anywhere: HTTPExchange

  /// Exchanges with the outside alone, and with anything.
  package init(outside: HTTPExchange, anywhere: HTTPExchange) {
    self.outside = outside
    self.anywhere = anywhere
  }
}
