import AppStoreIntegration
import AppStoreProtocol
import AppStoreSimulator
import CounterfoilAPI
import Cryptography
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import SimulationKit
import SimulatorCore
import Synchronization

/// A shop with a key for Apple's servers, and a simulated App Store beside it, which really answers, signs and counts
/// each call.
final class AppStoreEngineFixture: Sendable {
  static let appEnvironment = AppEnvironment(app: "shop", environment: .simulated)
  static let alice = AppOwner(account: "alice@example.com", bundleId: EngineFixture.identity.bundleId)
  static let bob = AppOwner(account: "bob@example.com", bundleId: EngineFixture.identity.bundleId)

  let world: SimulatedWorld
  let process: SimulatedProcess
  let storage: InMemoryStorage
  let engine: PaymentEngine
  let app: AppPolicy
  let apple: SimulatedAppStore
  let now: @Sendable () -> Timestamp
  let calls: APICalls

  init(
    seed: UInt64 = 1, limits: EngineLimits = EngineLimits(), hasKey: Bool = true, asksVerifyReceipt: Bool = false,
    _ configure: (inout AppPolicy) -> Void = { _ in }, access change: (inout AppStoreAccess) -> Void = { _ in },
    answering: (@Sendable (String) -> String)? = nil
  ) throws {
    let world = SimulatedWorld(seed: seed)
    let process = SimulatedProcess("server", number: 1, in: world)
    let dependencies = process.dependencies()
    let door = NotificationRoute(from: .appStore)
    let calls = APICalls()
    let apple = try world.perform(in: process) {
      let apple = try await SimulatedAppStore.open(
        log: VolatileSimulatorLog().log, dependencies: dependencies, exchange: door.exchange,
        settings: SimulatorSettings(environment: .production))
      try await Self.stock(apple)
      return apple
    }
    var access = AppStoreAccess(identity: EngineFixture.identity)
    if hasKey { access.server = try apple.access(of: EngineFixture.identity.bundleId) }
    if asksVerifyReceipt {
      access.verifyReceipt = VerifyReceiptSettings(sharedSecret: Secret(apple.authority.testSharedSecret.utf8))
    }
    change(&access)
    var policy = AppPolicy(id: "shop", home: .simulated, catalog: try Catalog(EngineFixture.products))
    configure(&policy)
    let app = AppSettings(policy, appStore: access)
    let storage = InMemoryStorage.simulated()
    let network = calls.counting(apple.serverAPI.network, answering)
    let engine = PaymentEngine.simulated(
      [app], database: InMemoryDatabase(storage, now: dependencies.now),
      verifier: try apple.verifier(),
      dependencies: dependencies, outside: network, limits: limits)
    door.open(to: engine)
    (self.world, self.process, self.storage, self.engine) = (world, process, storage, engine)
    (self.app, self.apple, self.calls) = (app.servedPolicy, apple, calls)
    now = dependencies.now
  }

  private static func stock(_ apple: SimulatedAppStore) async throws {
    try await apple.catalog.setApp(
      SimulatedApp(
        bundleId: EngineFixture.identity.bundleId, appAppleId: 1234,
        notificationURL: "https://pay.example.com/notifications/app-store"))
    let kinds: [(StoreProductIdentifier, SimulatedProduct.Kind)] = [
      ("com.example.coins100", .consumable), ("com.example.premium", .nonConsumable),
      ("com.example.season", .nonRenewing), ("com.example.unsold", .consumable),
      ("com.example.monthly", .autoRenewable(group: "21752814", period: .month)),
    ]
    for (id, kind) in kinds {
      try await apple.catalog.setProduct(
        SimulatedProduct(id: id, kind: kind, price: StatedPrice(milliunits: 6000, currency: "CNY")),
        bundleId: EngineFixture.identity.bundleId)
    }
    for owner in [alice, bob] {
      try await apple.catalog.setAccount(SimulatedAppleAccount(id: owner.account, environment: .production))
    }
  }

  func perform<Value: Sendable>(_ body: @escaping @Sendable (AppStoreEngineFixture) async throws -> Value) throws
    -> Value
  {
    try world.perform(in: process) { try await body(self) }
  }

  func startBackgroundTasks() { process.spawn { [engine] in await engine.run() } }
  func startNotifications() { process.spawn { [apple] in await NotificationSender(apple).run() } }

  // MARK: actions of people

  func order(_ product: ProductIdentifier = "coins.100", of user: UserIdentifier = "alice") async throws
    -> OrderIdentifier
  {
    let request = OrderRequest(user: user, product: product, quantity: 1, store: .appStore)
    return try await engine.createOrder(request, for: app, by: .user(user)).order.order.key.id
  }

  /// Pays at the App Store.
  func buy(
    _ product: StoreProductIdentifier = "com.example.coins100", as owner: AppOwner = alice,
    token: OrderIdentifier? = nil
  ) async throws -> TransactionIdentifier {
    var request = SimulatedPurchaseRequest(owner: owner, product: product)
    request.appAccountToken = token.map { AppStoreUUID($0) }
    return try await apple.purchases.purchase(request).transaction.id
  }

  /// Submits evidence as a user's phone does.
  func submit(
    _ evidence: String, by user: UserIdentifier? = "alice", naming transaction: TransactionIdentifier? = nil,
    orders: [OrderIdentifier] = []
  ) async throws -> [PaymentAnswer] {
    var request = SubmitAppStorePayment.Request(evidence: evidence)
    request.orders = orders
    request.transaction = transaction
    return try await engine.submitAppStorePayment(request, from: user, for: app).payments
  }

  /// Submits a bare transaction number.
  func ask(_ transaction: TransactionIdentifier, by user: UserIdentifier = "alice") async throws -> PaymentAnswer? {
    var request = SubmitAppStorePayment.Request(evidence: "")
    request.evidence = nil
    request.transaction = transaction
    return try await engine.submitAppStorePayment(request, from: user, for: app).payments.first
  }

  // MARK: what tests see

  var database: InMemoryDatabase { InMemoryDatabase(storage, now: now) }

  func payment(_ id: TransactionIdentifier) async throws -> Payment? {
    let key = Self.key(id)
    return try await database.read { try $0.payment(key) }
  }

  static func key(_ id: TransactionIdentifier) -> PaymentKey {
    PaymentKey(app: "shop", store: .appStore, environment: .simulated, transaction: id)
  }

  func coins(of user: UserIdentifier = "alice") async throws -> Int64 {
    try await engine.readBalances(of: user, in: Self.appEnvironment).first { $0.unit == "coin" }?.amount ?? 0
  }

  func appStoreTasks() async throws -> [AppStoreTask] {
    let later = now() + .days(60)
    return try await database.read { try $0.appStoreTasks(dueAt: later, limit: 1000) }
  }

  func journal(_ id: TransactionIdentifier) async throws -> [String] {
    let key = Self.key(id)
    return try await database.read { try $0.journal(of: key).map(\.what) }
  }

  func violations() async throws -> [Violation] { try await engine.auditInvariants(atRest: true).violations }
}

/// The calls to Apple, as paths.
final class APICalls: Sendable {
  private let targets = Mutex<[String]>([])

  var all: [String] { targets.withLock { $0 } }
  func count(_ part: String) -> Int { all.count { $0.contains(part) } }

  /// - Parameter change: changes the bodies of answers on their way.
  func counting(_ exchange: HTTPExchange, _ change: (@Sendable (String) -> String)? = nil) -> HTTPExchange {
    HTTPExchange { [self] request, limit throws(HTTPExchangeError) in
      targets.withLock { $0.append(request.method + " " + request.target) }
      var response = try await exchange.send(request, limit)
      if let change { response.body = Array(change(String(decoding: response.body, as: UTF8.self)).utf8) }
      return response
    }
  }
}
