import AppStoreIntegration
import AppStoreProtocol
import Cryptography
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PaymentServer
import ServerConfiguration
import SigningAuthorities
import SimulationKit
import StrictJSON
import Synchronization
import WeChatPayIntegration

/// What a server did besides answering: its log, and its requests over the network.
final class Recorder: Sendable {
  private struct State {
    var events: [LogEvent] = []
    var asked: [HTTPRequest] = []
  }

  private let state = Mutex(State())

  var events: [LogEvent] { state.withLock { $0.events } }
  var asked: [HTTPRequest] { state.withLock { $0.asked } }
  var log: Log { { [self] event in state.withLock { $0.events.append(event) } } }

  /// A network in which every server gives this response.
  func exchange(answering response: HTTPResponse) -> HTTPExchange {
    HTTPExchange { [self] request, _ throws(HTTPExchangeError) in
      state.withLock { $0.asked.append(request) }
      return response
    }
  }
}

/// Two apps on one server: `shop`, which the tests are about, and `other`, which must never be affected. Everything
/// goes through requests and answers as values.
struct ServerFixture: Sendable {
  static let noon = Timestamp(milliseconds: 1_772_366_400_000)
  static let shopIdentity = AppIdentity(bundleId: "com.example.shop", appAppleId: 1234)
  static let otherIdentity = AppIdentity(bundleId: "com.example.other", appAppleId: 5678)
  static let webhookSecret = "a webhook secret made for tests, 32 bytes"

  let now: @Sendable () -> Timestamp
  let clock: StandingClock
  let recorder: Recorder
  let engine: PaymentEngine
  let server: PaymentServer
  let keys: Keys

  /// The text of an API key of each kind, of both apps.
  struct Keys: Sendable {
    let shop: [APIKey.Kind: String]
    let other: [APIKey.Kind: String]

    var secret: String { shop[.secret] ?? "" }
    var publishable: String { shop[.publishable] ?? "" }
    var `operator`: String { shop[.operator] ?? "" }
    var otherSecret: String { other[.secret] ?? "" }
    var otherOperator: String { other[.operator] ?? "" }
  }

  /// What a test may change.
  struct Changes: Sendable {
    var database: (any PaymentDatabase)?
    var dependencies: Dependencies?
    var faults = DatabaseFaults()
    var engine = EngineLimits()
    var verifier = SignedDataLimits()
    var networkAnswers = HTTPResponse(status: 204)
    /// The servers of the inner network; by default the same as outside.
    var anywhere: HTTPExchange?
    var app: @Sendable (inout AppPolicy) -> Void = { _ in }
    var appStoreServer: AppStoreServerAccess?
    var weChatPay: WeChatPayAccess?
    var settings: @Sendable (inout ServerSettings) -> Void = { _ in }
  }

  static let products: [Product] = [
    Product(
      id: "coins.100", kind: .consumable, grant: .units("coin", perPiece: 100),
      appStoreProducts: ["com.example.coins100"]),
    Product(
      id: "coins.1000", kind: .consumable, grant: .units("coin", perPiece: 1000),
      appStoreProducts: ["com.example.coins1000"]),
    Product(
      id: "coin", kind: .consumable, grant: .units("coin", perPiece: 1), appStoreProducts: ["com.example.coin"]),
    Product(
      id: "premium", kind: .nonConsumable, grant: .entitlement("premium", period: nil),
      appStoreProducts: ["com.example.premium"]),
    Product(
      id: "season", kind: .nonRenewing, grant: .entitlement("season", period: .days(90)),
      appStoreProducts: ["com.example.season"]),
    Product(
      id: "android.only", kind: .consumable, grant: .units("coin", perPiece: 1),
      weChatPrice: Money(minorUnits: 100, currency: .cny)),
  ]

  /// A server with keys for both apps.
  static func open(_ change: (inout Changes) -> Void = { _ in }) async throws -> ServerFixture {
    var changes = Changes()
    change(&changes)
    return try await ServerFixture(changes)
  }

  private init(_ changes: Changes) async throws {
    let (clock, chance, recorder) = (StandingClock(), CountedChance(), Recorder())
    let dependencies =
      changes.dependencies
      ?? Dependencies(now: { clock.now }, randomBytes: { chance.bytes($0) }, sleep: { clock.advance(by: $0) })
    self.clock = clock
    self.recorder = recorder
    now = dependencies.now
    let storage = InMemoryStorage.simulated()
    var shop = AppSettings(
      id: "shop", home: .simulated, identity: Self.shopIdentity, catalog: try Catalog(Self.products))
    shop.policy.endpoints = [
      DeliveryEndpoint(
        name: "backend", url: "https://backend.example/hook", environments: [.simulated],
        secrets: [Secret(Array(Self.webhookSecret.utf8))])
    ]
    changes.app(&shop.policy)
    shop.appStore?.server = changes.appStoreServer
    shop.weChatPay = changes.weChatPay
    let other = AppSettings(
      id: "other", home: .simulated, identity: Self.otherIdentity, catalog: try Catalog(Self.products))
    let exchange = recorder.exchange(answering: changes.networkAnswers)
    engine = PaymentEngine.simulated(
      [shop, other],
      database: changes.database ?? InMemoryDatabase(storage, now: dependencies.now, faults: changes.faults),
      verifier: try SignedDataVerifier(
        SignedDataConfiguration(profile: .development, anchors: [TestAppStoreSigner.authority.root]),
        limits: changes.verifier),
      dependencies: dependencies, outside: exchange, anywhere: changes.anywhere ?? exchange, limits: changes.engine,
      log: recorder.log)
    var settings = ServerSettings(userTokenKeys: try TokenMaker.keys, isSimulated: true, version: "1.0-test")
    changes.settings(&settings)
    server = PaymentServer(engine: engine, settings: settings, dependencies: dependencies, log: recorder.log)
    var made: [AppIdentifier: [APIKey.Kind: String]] = [:]
    for app in [shop.id, other.id] {
      for kind in APIKey.Kind.allCases {
        made[app, default: [:]][kind] = try await engine.createKey(kind, for: app, label: "tests").text
      }
    }
    keys = Keys(shop: made["shop"] ?? [:], other: made["other"] ?? [:])
  }

  /// A valid token of a user of the shop.
  func token(of user: UserIdentifier = "alice") -> String { TokenMaker(at: now()).token(user: user) }

  /// All violations that the audit finds, at rest.
  func violations() async throws -> [Violation] { try await engine.auditInvariants(atRest: true).violations }
}
