package import Cryptography
package import HTTPMessages
package import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives

/// The engine between stores and the app's backend: one file per operation.
///
/// Read them in this order: `CreateOrder` · `FulfilPayment`, the central part · `DeliverOutbox` · `AuditInvariants`.
/// It knows no store. Each store is a `StoreIntegration` in its own module, which adds operations by extensions. The
/// engine has no durable state: everything that must last is in the database.
package struct PaymentEngine: Sendable {
  /// What it consists of, behind one reference: every call copies the engine several times.
  private final class Parts: Sendable {
    let directory: CurrentApps
    let database: any PaymentDatabase
    let dependencies: Dependencies
    let exchanges: Exchanges
    let secret: Secret
    let erasureList: (any ErasureList)?
    let retention: RetentionPolicy
    let limits: EngineLimits
    let metrics: Metrics
    let traces: Traces
    let commits = CommitSignal()
    let deliverySignal = ChangeSignal<AppEnvironment>()
    let forwardSignal = ChangeSignal<AppIdentifier>()
    let storeSignal = ChangeSignal<Store>()
    let heldSignal = HeldSignal()
    let stores: [any StoreIntegration]
    let health = StoreHealth()
    let clock = ClockMark()
    let keyUses = KeyUses()
    let nodes = NodeWatch()
    let news = NodeNews()
    let settled = SettledRows()
    let log: Log

    init(
      apps: AppDirectory, database: any PaymentDatabase, stores: [any StoreIntegration], dependencies: Dependencies,
      exchanges: Exchanges, secret: Secret, erasureList: (any ErasureList)?, retention: RetentionPolicy,
      limits: EngineLimits, metrics: Metrics, traces: Traces, log: @escaping Log
    ) {
      directory = CurrentApps(apps)
      self.database = database
      self.stores = stores
      self.dependencies = dependencies
      self.exchanges = exchanges
      self.secret = secret
      self.erasureList = erasureList
      self.retention = retention
      self.limits = limits
      self.metrics = metrics
      self.traces = traces
      self.log = log
    }
  }

  private let parts: Parts

  /// The apps with their current configuration.
  package var apps: AppDirectory { directory.all }
  var directory: CurrentApps { parts.directory }
  var database: any PaymentDatabase { parts.database }
  package var dependencies: Dependencies { parts.dependencies }
  var exchanges: Exchanges { parts.exchanges }
  /// The installation's secret; ids derived with it are the same on every node and after a restore.
  package var secret: Secret { parts.secret }
  /// The list of erasures outside the database; nil if the configuration names none.
  package var erasureList: (any ErasureList)? { parts.erasureList }
  /// How long is kept what money does not need.
  var retention: RetentionPolicy { parts.retention }
  package var limits: EngineLimits { parts.limits }
  /// The counters and timings for `/metrics`.
  package var metrics: Metrics { parts.metrics }
  /// Where steps of work become spans; off unless the configuration names a collector.
  package var traces: Traces { parts.traces }
  /// Signals what each commit has written.
  package var commits: CommitSignal { parts.commits }
  var deliverySignal: ChangeSignal<AppEnvironment> { parts.deliverySignal }
  package var forwardSignal: ChangeSignal<AppIdentifier> { parts.forwardSignal }
  /// Signals that a question or a message to a store is due.
  package var storeSignal: ChangeSignal<Store> { parts.storeSignal }
  var heldSignal: HeldSignal { parts.heldSignal }
  var stores: [any StoreIntegration] { parts.stores }
  var health: StoreHealth { parts.health }
  var clock: ClockMark { parts.clock }
  var keyUses: KeyUses { parts.keyUses }
  var nodes: NodeWatch { parts.nodes }
  var news: NodeNews { parts.news }
  var settled: SettledRows { parts.settled }
  package var log: Log { parts.log }

  /// - Parameter stores: at most one integration per store.
  package init(
    apps: AppDirectory, database: any PaymentDatabase, stores: [any StoreIntegration], dependencies: Dependencies,
    exchanges: Exchanges, secret: Secret, erasureList: (any ErasureList)? = nil,
    retention: RetentionPolicy = RetentionPolicy(), limits: EngineLimits = EngineLimits(),
    metrics: Metrics = Metrics(), traces: Traces = .off, log: @escaping Log
  ) {
    parts = Parts(
      apps: apps, database: database, stores: stores, dependencies: dependencies.keepingTime(of: database),
      exchanges: exchanges, secret: secret, erasureList: erasureList, retention: retention, limits: limits,
      metrics: metrics, traces: traces, log: log)
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
      group.addTask { await watchBackupGap() }
      group.addTask { await retryStoppedScheduled() }
      group.addTask { await decideHeldScheduled() }
      group.addTask { await deliverOutbox() }
      group.addTask { await forwardNotifications() }
      group.addTask { await sendEvents() }
      group.addTask { await expireOrders() }
      group.addTask { await keepErasing() }
      group.addTask { await keepRetention() }
      if let interval = limits.totalsInterval { group.addTask { await keepTotals(each: interval) } }
      group.addTask { await keepKeyUses() }
      group.addTask { await keepNode() }
      group.addTask { await tellNodes() }
      group.addTask { await hearNodes() }
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
