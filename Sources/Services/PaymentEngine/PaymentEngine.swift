package import Cryptography
package import HTTPMessages
package import PaymentDatabase
import PaymentModel
package import PaymentPrimitives

/// The engine between stores and the app's backend: one file per operation.
///
/// Read them in this order: `CreateOrder` · `FulfilPayment`, the central part · `DeliverOutbox` · `AuditInvariants`.
/// It knows no store. Each store is a `StoreIntegration` in its own module, which adds operations by extensions. The
/// engine has no durable state: everything that must last is in the database.
package struct PaymentEngine: Sendable {
  /// The apps with their current configuration.
  package var apps: AppDirectory { directory.all }
  let directory: CurrentApps
  let database: any PaymentDatabase
  package let dependencies: Dependencies
  let exchanges: Exchanges
  /// The installation's secret; ids derived with it are the same on every node and after a restore.
  package let secret: Secret
  package let limits: EngineLimits
  /// The counters and timings for `/metrics`.
  package let metrics: Metrics
  /// Signals what each commit has written.
  package let commits = CommitSignal()
  let deliverySignal = ChangeSignal<AppEnvironment>()
  package let forwardSignal = ChangeSignal<AppIdentifier>()
  /// Signals that a question or a message to a store is due.
  package let storeSignal = ChangeSignal<Store>()
  let stores: [any StoreIntegration]
  let health = StoreHealth()
  let clock = ClockMark()
  let keyUses = KeyUses()
  package let log: Log

  /// - Parameter stores: at most one integration per store.
  package init(
    apps: AppDirectory, database: any PaymentDatabase, stores: [any StoreIntegration], dependencies: Dependencies,
    exchanges: Exchanges, secret: Secret, limits: EngineLimits = EngineLimits(), metrics: Metrics = Metrics(),
    log: @escaping Log
  ) {
    directory = CurrentApps(apps)
    self.database = database
    self.stores = stores
    self.dependencies = dependencies
    self.exchanges = exchanges
    self.secret = secret
    self.limits = limits
    self.metrics = metrics
    self.log = log
  }

  /// The integration of a store; nil if the engine does not sell through it.
  func integration(of store: Store) -> (any StoreIntegration)? { stores.first { $0.store == store } }

  /// The integration of that type; nil if the engine does not sell through its store.
  package func integration<Integration: StoreIntegration>(_ type: Integration.Type) -> Integration? {
    for case let integration as Integration in stores { return integration }
    return nil
  }

  /// Runs the background tasks until the task is cancelled: deliveries, the closing of expired orders, and the stores'
  /// own tasks.
  package func run() async {
    for app in apps.all where app.isObserving {
      log(LogEvent(.warning, "app.onlyObserves", [("app", app.id.text)]))
    }
    tellOfGaps()
    for store in stores { await store.start(in: self) }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await keepWatch() }
      group.addTask { await askAboutBackupGap() }
      group.addTask { await retryStoppedScheduled() }
      group.addTask { await decideHeldAtStart() }
      group.addTask { await deliverOutbox() }
      group.addTask { await forwardNotifications() }
      group.addTask { await expireOrders() }
      group.addTask { await keepKeyUses() }
      for task in stores.flatMap({ $0.backgroundTasks }) { group.addTask { await task(self) } }
      await group.waitForAll()
    }
  }
}

/// The HTTP clients of the engine.
package struct Exchanges: Sendable {
  /// Refuses private, loopback and link-local addresses, whatever host name resolves to them.
  package var outside: HTTPExchange
  /// Reaches any address; for the endpoints that the configuration allows in a private network.
  package var anywhere: HTTPExchange

  package init(outside: HTTPExchange, anywhere: HTTPExchange) {
    self.outside = outside
    self.anywhere = anywhere
  }
}
