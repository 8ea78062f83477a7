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
import ShopFixtures
import SimulationKit
import SimulatorCore
import Synchronization

/// A shop with a key for Apple's servers, and a simulated App Store beside it, which really answers, signs and counts
/// each call.
final class AppStoreEngineFixture: ShopUnderTest {
  static let alice = AppOwner(account: "alice@example.com", bundleId: EngineFixture.identity.bundleId)
  static let bob = AppOwner(account: "bob@example.com", bundleId: EngineFixture.identity.bundleId)

  private let simulator: SimulatorFixture
  private let shop: EngineFixture
  let apple: SimulatedAppStore
  let calls: APICalls

  var world: SimulatedWorld { simulator.world }
  var process: SimulatedProcess { simulator.process }
  var storage: InMemoryStorage { shop.storage }
  var engine: PaymentEngine { shop.engine }
  var app: AppPolicy { shop.app }
  var now: @Sendable () -> Timestamp { shop.now }

  init(
    seed: UInt64 = 1, limits: EngineLimits = EngineLimits(), hasKey: Bool = true, asksVerifyReceipt: Bool = false,
    revocations: RevocationCheck = .off, _ configure: (inout AppPolicy) -> Void = { _ in },
    access change: (inout AppStoreAccess) -> Void = { _ in },
    answering: (@Sendable (String) -> String)? = nil, after delay: TimeSpan = .zero
  ) throws {
    simulator = SimulatorFixture(seed: seed)
    let dependencies = simulator.dependencies
    let route = NotificationRoute(from: .appStore)
    apple = try simulator.perform {
      let apple = try await SimulatedAppStore.open(in: dependencies, notifying: route.exchange)
      try await apple.stock(
        SimulatedApp(
          bundleId: EngineFixture.identity.bundleId, appAppleId: 1234,
          notificationURL: "https://pay.example.com/notifications/app-store"), Self.kinds)
      if revocations != .off { await apple.publishCertificateStatus(at: "http://status.example.com") }
      for owner in [Self.alice, Self.bob] {
        try await apple.catalog.setAccount(SimulatedAppleAccount(id: owner.account, environment: .production))
      }
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
    calls = APICalls()
    var setup = EngineFixture.Setup()
    (setup.dependencies, setup.limits) = (dependencies, limits)
    setup.verifier = try apple.verifier(revocations: revocations)
    setup.outside = Self.late(calls.counting(apple.serverAPI.network, answering), by: delay, dependencies)
    shop = try EngineFixture(serving: [AppSettings(policy, appStore: access)], setup)
    route.open(to: shop.engine)
  }

  /// The same servers, whose answers are on their way for a time.
  private static func late(
    _ exchange: HTTPExchange, by delay: TimeSpan, _ dependencies: Dependencies
  ) -> HTTPExchange {
    guard delay > .zero else { return exchange }
    return HTTPExchange { request, limit throws(HTTPExchangeError) in
      let response = try await exchange.send(request, limit)
      do { try await dependencies.sleep(delay) } catch { throw .cancelled }
      return response
    }
  }

  private static let kinds: [(StoreProductIdentifier, SimulatedProduct.Kind)] = [
    ("com.example.coins100", .consumable), ("com.example.premium", .nonConsumable),
    ("com.example.season", .nonRenewing), ("com.example.unsold", .consumable),
    ("com.example.monthly", .autoRenewable(group: "21752814", period: .month)),
  ]

  func perform<Value: Sendable>(_ body: @escaping @Sendable (AppStoreEngineFixture) async throws -> Value) throws
    -> Value
  {
    try simulator.perform { try await body(self) }
  }

  /// Another server over the same database, which nobody answers; it must be started.
  func restarted() throws -> EngineFixture {
    var setup = EngineFixture.Setup()
    (setup.storage, setup.dependencies) = (storage, process.dependencies())
    setup.verifier = try apple.verifier(revocations: .soft)
    return try EngineFixture(
      serving: [AppSettings(app, appStore: AppStoreAccess(identity: EngineFixture.identity))], setup)
  }

  func startBackgroundTasks() { process.spawn { [engine] in await engine.run() } }
  func startNotifications() { process.spawn { [apple] in await NotificationSender(apple).run() } }

  // MARK: actions of people

  func order(_ product: ProductIdentifier = "coins.100", of user: UserIdentifier = "alice") async throws
    -> OrderIdentifier
  {
    try await shop.order(product, of: user)
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

  func appStoreTasks() async throws -> [AppStoreTask] {
    let later = now() + .days(60)
    return try await database.read { try $0.appStoreTasks(dueAt: later, limit: 1000) }
  }

  func journal(_ id: TransactionIdentifier) async throws -> [String] {
    try await database.read { try $0.journal(of: EngineFixture.key(id)).map(\.what) }
  }
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
