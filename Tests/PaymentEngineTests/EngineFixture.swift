import AppStoreIntegration
import AppStoreProtocol
import CounterfoilAPI
import Cryptography
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import SigningAuthorities
import SimulationKit
import StrictJSON

/// One shop over an in-memory store: an app with its catalog, the engine, and an App Store that signs for it.
struct EngineFixture: Sendable {
  static let noon = Timestamp(milliseconds: 1_772_366_400_000)
  static let appEnvironment = AppEnvironment(app: "shop", environment: .simulated)
  static let identity = AppIdentity(bundleId: "com.example.shop", appAppleId: 1234)

  let clock: StandingClock
  let now: @Sendable () -> Timestamp
  let storage: InMemoryStorage
  let engine: PaymentEngine
  let app: AppPolicy
  let signing: SigningChain

  static let products: [Product] = [
    Product(
      id: "coins.100", kind: .consumable, grant: .units("coin", perPiece: 100),
      appStoreProducts: ["com.example.coins100"]),
    Product(
      id: "coins.1000", kind: .consumable, grant: .units("coin", perPiece: 1000),
      appStoreProducts: ["com.example.coins1000"]),
    Product(
      id: "coin", kind: .consumable, grant: .units("coin", perPiece: 1),
      appStoreProducts: ["com.example.coin"]),
    Product(
      id: "premium", kind: .nonConsumable, grant: .entitlement("premium", period: nil),
      appStoreProducts: ["com.example.premium"]),
    Product(
      id: "monthly", kind: .autoRenewable, grant: .entitlement("club", period: nil),
      appStoreProducts: ["com.example.monthly"]),
    Product(
      id: "season", kind: .nonRenewing, grant: .entitlement("season", period: .days(90)),
      appStoreProducts: ["com.example.season"]),
  ]

  init(
    _ change: (inout AppPolicy) -> Void = { _ in }, home: StoreEnvironment = .simulated,
    faults: DatabaseFaults = DatabaseFaults(), exchange: HTTPExchange = .unreachable,
    limits: EngineLimits = EngineLimits(), log: @escaping Log = { _ in }, storage kept: InMemoryStorage? = nil,
    pause: @escaping @Sendable (DatabasePausePoint) async -> Void = { _ in }, in process: SimulatedProcess? = nil,
    beside others: [AppSettings] = [], clockAhead: @escaping @Sendable () -> TimeSpan = { .zero }
  ) throws {
    clock = StandingClock(Self.noon)
    let (clock, chance) = (clock, CountedChance())
    // Without a world the clock jumps ahead for a sleeping task.
    let dependencies =
      process.map { process in
        let dependencies = process.dependencies()
        return Dependencies(
          now: { dependencies.now() + clockAhead() }, randomBytes: dependencies.randomBytes, sleep: dependencies.sleep)
      }
      ?? Dependencies(
        now: { clock.now }, randomBytes: { chance.bytes($0) }, sleep: { clock.advance(by: $0) })
    now = dependencies.now
    storage =
      kept
      ?? InMemoryStorage.simulated(home == .production ? .production : .simulated)
    var app = AppPolicy(id: "shop", home: home, catalog: try Catalog(Self.products))
    change(&app)
    self.app = app
    let settings = AppSettings(app, appStore: AppStoreAccess(identity: Self.identity))
    let authority = AppleShapedAuthority(
      name: "Engine Tests", randomBytes: Array(repeating: 7, count: 48),
      notBefore: Self.noon - .days(365), notAfter: Self.noon + .days(3650))
    signing = authority.signingChain(
      serialNumber: 7, randomBytes: Array(repeating: 9, count: 32),
      notBefore: Self.noon - .days(30), notAfter: Self.noon + .days(700))
    engine = PaymentEngine.simulated(
      [settings] + others,
      database: InMemoryDatabase(storage, now: dependencies.now, faults: faults, pause: pause),
      verifier: try SignedDataVerifier(
        SignedDataConfiguration(profile: .development, anchors: [authority.root])),
      dependencies: dependencies,
      outside: exchange, limits: limits, log: log)
  }

  /// An order of a user, as their phone makes it.
  func order(
    _ product: ProductIdentifier = "coins.100", of user: UserIdentifier = "alice",
    quantity: Int = 1
  ) async throws -> OrderIdentifier {
    let request = OrderRequest(user: user, product: product, quantity: quantity, store: .appStore)
    return try await engine.createOrder(request, for: app, by: .user(user)).order.order.key.id
  }

  /// What the store signs about a purchase, from the phone; `change` edits the payload.
  func transaction(
    _ id: String, of product: String = "com.example.coins100", token: OrderIdentifier? = nil,
    type: String = "Consumable", _ change: (inout [String: JSONValue]) -> Void = { _ in }
  ) -> String {
    let now = now().milliseconds
    var payload: [String: JSONValue] = [
      "transactionId": .string(id), "originalTransactionId": .string(id),
      "bundleId": "com.example.shop", "productId": .string(product), "quantity": .integer(1),
      "purchaseDate": .integer(now), "originalPurchaseDate": .integer(now),
      "signedDate": .integer(now), "type": .string(type), "inAppOwnershipType": "PURCHASED",
      "environment": "Production", "transactionReason": "PURCHASE",
      "deviceVerification": "c29tZXRoaW5n",
      "deviceVerificationNonce": "0f3b9d3c-1111-4222-8333-444455556666",
    ]
    payload["appAccountToken"] = token.map { .string($0.appAccountToken) }
    change(&payload)
    return signing.sign(
      .object(payload.sorted { $0.key < $1.key }.map { JSONMember($0.key, $0.value) }))
  }

  /// A notification about a transaction, for the app and environment that its envelope names.
  func notification(
    _ uuid: String, _ type: String = "ONE_TIME_CHARGE", about transaction: String?,
    in environment: String = "Production"
  ) -> [UInt8] {
    let signed = signing.sign(
      .members([
        ("notificationType", .string(type)), ("notificationUUID", .string(uuid)),
        ("version", "2.0"), ("signedDate", .integer(now().milliseconds)),
        (
          "data",
          .members([
            ("environment", .string(environment)), ("bundleId", "com.example.shop"),
            ("appAppleId", .integer(1234)),
            ("signedTransactionInfo", transaction.map(JSONValue.string)),
          ])
        ),
      ]))
    return JSONValue.members([("signedPayload", .string(signed))]).bytes
  }

  /// Submits evidence as a user's phone does.
  func submit(
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

  /// A user's coins.
  func coins(of user: UserIdentifier = "alice") async throws -> Int64 {
    try await engine.readBalances(of: user, in: Self.appEnvironment).first { $0.unit == "coin" }?.amount ?? 0
  }

  /// The current state of an order.
  func state(of order: OrderIdentifier) async throws -> OrderState {
    try await engine.readOrder(.id(order), in: app.userEnvironments, of: nil).order.state
  }

  /// All violations that the audit finds, at rest.
  func violations() async throws -> [Violation] {
    try await engine.auditInvariants(atRest: true).violations
  }
}
