import AppStoreIntegration
package import AppStoreProtocol
package import CounterfoilAPI
import Cryptography
package import HTTPMessages
package import PaymentDatabase
package import PaymentEngine
package import PaymentModel
package import PaymentPrimitives
package import ServerConfiguration
package import SigningAuthorities
package import SimulationKit
package import StrictJSON

/// One shop over an in-memory store: an app with its catalog, the engine, and an App Store that signs for it.
package struct EngineFixture: ShopUnderTest {
  package static let noon = Timestamp(milliseconds: 1_772_366_400_000)
  package static let appEnvironment = AppEnvironment(app: "shop", environment: .simulated)
  package static let identity = AppIdentity(bundleId: "com.example.shop", appAppleId: 1234)
  package static let products = TestCatalog.appStore

  package let clock: StandingClock
  package let dependencies: Dependencies
  package let storage: InMemoryStorage
  package let engine: PaymentEngine
  package let app: AppPolicy

  package var now: @Sendable () -> Timestamp { dependencies.now }
  package var signing: SigningChain { TestAppStoreSigner.signing }

  /// What surrounds the engine.
  package struct Setup: Sendable {
    /// The database's content; nil: none yet.
    package var storage: InMemoryStorage?
    /// The database; nil: one in memory, over `storage`.
    package var database: (any PaymentDatabase)?
    package var faults = DatabaseFaults()
    package var pause: @Sendable (DatabasePausePoint) async -> Void = { _ in }
    /// Nil: time stands still, and jumps ahead for a sleeping task.
    package var dependencies: Dependencies?
    /// Nil: only the signatures of `TestAppStoreSigner` count.
    package var verifier: SignedDataVerifier?
    package var outside = HTTPExchange.unreachable
    /// The servers of the inner network; nil: the same as outside.
    package var anywhere: HTTPExchange?
    package var limits = EngineLimits()
    package var countsHours = false
    package var erasureList: (any ErasureList)?
    package var retention = RetentionPolicy()
    package var traces = Traces.off
    package var log: Log = { _ in }

    package init() {}
  }

  /// An engine for these apps; the first one is the shop.
  package init(serving apps: [AppSettings], _ setup: Setup = Setup()) throws {
    clock = StandingClock(Self.noon)
    dependencies = setup.dependencies ?? clock.dependencies
    app = apps[0].servedPolicy
    storage = setup.storage ?? InMemoryStorage.simulated(app.home == .production ? .production : .simulated)
    engine = PaymentEngine.simulated(
      apps,
      database: setup.database
        ?? InMemoryDatabase(storage, now: dependencies.now, faults: setup.faults, pause: setup.pause),
      verifier: try setup.verifier ?? TestAppStoreSigner.verifier(), dependencies: dependencies,
      outside: setup.outside, anywhere: setup.anywhere, erasureList: setup.erasureList,
      retention: setup.retention, limits: setup.limits, countsHours: setup.countsHours,
      traces: setup.traces, log: setup.log)
  }

  /// The usual shop.
  ///
  /// - Parameters:
  ///   - kept: the database of an earlier engine.
  ///   - process: the process of a simulated world in which the engine runs.
  ///   - clockAhead: how far that process's clock is ahead of the world's.
  package init(
    _ change: (inout AppPolicy) -> Void = { _ in }, home: StoreEnvironment = .simulated,
    faults: DatabaseFaults = DatabaseFaults(), exchange: HTTPExchange = .unreachable,
    limits: EngineLimits = EngineLimits(), log: @escaping Log = { _ in }, storage kept: InMemoryStorage? = nil,
    pause: @escaping @Sendable (DatabasePausePoint) async -> Void = { _ in }, in process: SimulatedProcess? = nil,
    beside others: [AppSettings] = [], clockAhead: @escaping @Sendable () -> TimeSpan = { .zero }
  ) throws {
    var app = AppPolicy(id: "shop", home: home, catalog: try Catalog(Self.products))
    change(&app)
    var setup = Setup()
    setup.storage = kept
    (setup.faults, setup.pause) = (faults, pause)
    (setup.outside, setup.limits, setup.log) = (exchange, limits, log)
    setup.dependencies = process.map { process in
      let dependencies = process.dependencies()
      return Dependencies(
        now: { dependencies.now() + clockAhead() }, randomBytes: dependencies.randomBytes, sleep: dependencies.sleep)
    }
    try self.init(serving: [AppSettings(app, appStore: AppStoreAccess(identity: Self.identity))] + others, setup)
  }

  package static func key(_ id: TransactionIdentifier) -> PaymentKey {
    PaymentKey(app: "shop", store: .appStore, environment: .simulated, transaction: id)
  }

  package static func key(_ id: String) -> PaymentKey { key(TransactionIdentifier(id)) }

  /// An order of a user, as their phone makes it.
  package func order(
    _ product: ProductIdentifier = "coins.100", of user: UserIdentifier = "alice",
    quantity: Int = 1
  ) async throws -> OrderIdentifier {
    let request = OrderRequest(user: user, product: product, quantity: quantity, store: .appStore)
    return try await engine.createOrder(request, for: app, by: .user(user)).order.order.key.id
  }

  /// What the store signs about a purchase, from the phone; `change` edits the payload.
  package func transaction(
    _ id: String, of product: String = "com.example.coins100", token: OrderIdentifier? = nil,
    type: String = "Consumable", _ change: (inout [String: JSONValue]) -> Void = { _ in }
  ) -> String {
    TestAppStoreSigner(at: now()).transaction(id, of: product, token: token?.appAccountToken, type: type, change)
  }

  /// A notification about a transaction, for the app and environment that its envelope names.
  package func notification(
    _ uuid: String, _ type: String = "ONE_TIME_CHARGE", about transaction: String?,
    in environment: String = "Production"
  ) -> [UInt8] {
    TestAppStoreSigner(at: now()).notification(uuid, type, about: transaction, environment: environment).bytes
  }

  /// Submits evidence as a user's phone does.
  package func submit(
    _ evidence: String, by user: UserIdentifier? = "alice", orders: [OrderIdentifier] = [],
    sameRun: OrderIdentifier? = nil, restoring: Bool = false
  ) async throws -> PaymentAnswer {
    var request = SubmitAppStorePayment.Request(evidence: evidence)
    request.isRestore = restoring
    request.orders = orders
    request.sameRun = sameRun
    let answer = try await engine.submitAppStorePayment(request, from: user, for: app)
    return answer.payments[0]
  }

  /// The current state of an order.
  package func state(of order: OrderIdentifier) async throws -> OrderState {
    try await engine.readOrder(.id(order), in: app.userEnvironments, of: nil).order.state
  }
}
