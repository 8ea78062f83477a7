import AppStoreProtocol
import Cryptography
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentStore
import PaymentVocabulary
import ServerContract
import StrictJSON
import Synchronization

/// A clock that stands still until a test moves it.
final class StandingClock: Sendable {
  /// What becomes of one who sleeps.
  enum Sleep: Sendable {
    /// The clock jumps ahead for him.
    case instant
    /// He waits until the test moves the clock.
    case waiting
  }

  private struct State {
    var now: Timestamp
    var lastSleeper = 0
    var sleepers: [Int: (until: Timestamp, continuation: CheckedContinuation<Void, any Error>)] = [:]
  }

  private let state: Mutex<State>
  private let sleep: Sleep

  init(_ moment: Timestamp, _ sleep: Sleep) {
    state = Mutex(State(now: moment))
    self.sleep = sleep
  }

  var now: Timestamp { state.withLock { $0.now } }

  func advance(by span: TimeSpan) { advance(to: now + span) }

  private func advance(to moment: Timestamp) {
    let woken = state.withLock { state in
      state.now = max(state.now, moment)
      let due = state.sleepers.filter { $0.value.until <= state.now }.keys.sorted()
      return due.compactMap { state.sleepers.removeValue(forKey: $0)?.continuation }
    }
    for continuation in woken { continuation.resume() }
  }

  /// Moves on to the moment for which somebody sleeps; nothing happens when nobody does.
  func advanceToNextSleeper() {
    guard let next = state.withLock({ $0.sleepers.values.map(\.until).min() }) else { return }
    advance(to: next)
  }

  func sleep(_ span: TimeSpan) async throws {
    guard sleep == .waiting else { return advance(by: span) }
    let number = state.withLock { state in
      state.lastSleeper += 1
      return state.lastSleeper
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = state.withLock { state in
          guard !Task.isCancelled else { return true }
          state.sleepers[number] = (state.now + span, continuation)
          return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }
}

/// Chance that is the same in every run.
final class CountedChance: Sendable {
  private let state = Mutex<UInt64>(0)

  func bytes(_ count: Int) -> [UInt8] {
    state.withLock { state in
      (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 33)
      }
    }
  }
}

/// One shop over a store in memory: an app with its catalog, the engine, and an App Store that signs for it.
struct Shop: Sendable {
  static let noon = Timestamp(iso8601: "2026-03-01T12:00:00Z")!
  static let realm = Realm(app: "shop", environment: .simulated)
  static let identity = AppIdentity(bundleId: "com.example.shop", appAppleId: 1234)

  let clock: StandingClock
  let database: ReferenceDatabase
  let engine: PaymentEngine
  let app: AppSettings
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
    _ change: (inout AppSettings) -> Void = { _ in }, home: StoreEnvironment = .simulated,
    faults: ReferenceFaults = ReferenceFaults(), exchange: HTTPExchange = .unreachable,
    limits: EngineLimits = EngineLimits(), sleep: StandingClock.Sleep = .instant, log: @escaping Log = { _ in }
  ) throws {
    clock = StandingClock(Self.noon, sleep)
    let (clock, chance) = (clock, CountedChance())
    database = ReferenceDatabase(
      profile: home == .production ? .production : .simulated,
      installationSecret: String(repeating: "5c", count: 32))
    var app = AppSettings(
      id: "shop", home: home, identity: Self.identity, catalog: try Catalog(Self.products))
    change(&app)
    self.app = app
    let authority = AppleShapedAuthority(
      name: "Engine Tests", randomBytes: Array(repeating: 7, count: 48),
      notBefore: Self.noon - .days(365), notAfter: Self.noon + .days(3650))
    signing = authority.signingChain(
      serialNumber: 7, randomBytes: Array(repeating: 9, count: 32),
      notBefore: Self.noon - .days(30), notAfter: Self.noon + .days(700))
    let surroundings = Surroundings(
      now: { clock.now }, randomBytes: { chance.bytes($0) }, sleep: { try await clock.sleep($0) })
    engine = PaymentEngine(
      apps: AppDirectory([app]),
      store: ReferenceStore(database, now: { clock.now }, faults: faults),
      verifier: try SignedDataVerifier(
        SignedDataConfiguration(profile: .development, anchors: [authority.root])),
      surroundings: surroundings,
      exchanges: Exchanges(outside: exchange, anywhere: exchange),
      secret: Secret(Array(repeating: 3, count: 32)), limits: limits, log: log)
  }

  /// An order of a user, as his phone makes it.
  func order(
    _ product: ProductIdentifier = "coins.100", of user: UserIdentifier = "alice",
    quantity: Int = 1
  ) async throws -> OrderIdentifier {
    let request = OrderRequest(user: user, product: product, quantity: quantity, store: .appStore)
    return try await engine.createOrder(request, for: app, by: .user(user)).order.order.key.id
  }

  /// What the store signs of a purchase, from the phone; `change` edits the payload.
  func transaction(
    _ id: String, of product: String = "com.example.coins100", token: OrderIdentifier? = nil,
    type: String = "Consumable", _ change: (inout [String: JSONValue]) -> Void = { _ in }
  ) -> String {
    let now = clock.now.milliseconds
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

  /// A notification about a transaction.
  func notification(
    _ uuid: String, _ type: String = "ONE_TIME_CHARGE", about transaction: String?
  ) -> [UInt8] {
    let signed = signing.sign(
      .members([
        ("notificationType", .string(type)), ("notificationUUID", .string(uuid)),
        ("version", "2.0"), ("signedDate", .integer(clock.now.milliseconds)),
        (
          "data",
          .members([
            ("environment", "Production"), ("bundleId", "com.example.shop"),
            ("appAppleId", .integer(1234)),
            ("signedTransactionInfo", transaction.map(JSONValue.string)),
          ])
        ),
      ]))
    return JSONValue.members([("signedPayload", .string(signed))]).bytes
  }

  /// Hands evidence in as a user's phone does.
  func submit(
    _ evidence: String, by user: UserIdentifier? = "alice", orders: [OrderIdentifier] = [],
    sameRun: OrderIdentifier? = nil
  ) async throws -> PaymentAnswer {
    var request = SubmitAppStorePayment.Request(evidence: evidence)
    request.orders = orders
    request.sameRun = sameRun
    let answer = try await engine.submitAppStorePayment(request, from: user, for: app)
    return answer.payments[0]
  }

  /// A user's coins.
  func coins(of user: UserIdentifier = "alice") async throws -> Int64 {
    try await engine.readBalances(of: user, in: Self.realm).first { $0.unit == "coin" }?.amount ?? 0
  }

  /// An order as it stands.
  func state(of order: OrderIdentifier) async throws -> OrderState {
    try await engine.readOrder(.id(order), in: app.userRealms, of: nil).order.state
  }

  /// Lets the standing work go on, moving the clock when it rests, until something holds.
  func work(until holds: () async throws -> Bool) async throws -> Bool {
    let work = Task { await engine.run() }
    for _ in 0..<2000 where try await !holds() {
      for _ in 0..<50 { await Task.yield() }
      clock.advanceToNextSleeper()
    }
    work.cancel()
    await work.value
    return try await holds()
  }

  /// Everything that the audit finds wrong, at rest.
  func violations() async throws -> [Violation] {
    try await engine.auditInvariants(atRest: true).violations
  }
}

extension HTTPExchange {
  /// Nobody is there.
  static let unreachable = HTTPExchange { _, _ throws(HTTPExchangeError) in
    throw .unreachable("nobody is there")
  }
}
