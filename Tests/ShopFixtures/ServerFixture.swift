package import AppStoreIntegration
package import AppStoreProtocol
import Cryptography
package import HTTPMessages
package import PaymentDatabase
package import PaymentEngine
package import PaymentModel
package import PaymentPrimitives
package import PaymentServer
package import ServerConfiguration
package import SimulationKit
import Synchronization
import TestDoubles
package import WeChatPayIntegration

/// What a server did besides answering: its log, and its requests over the network.
package final class Recorder: Sendable {
  package init() {}

  private let eventLog = EventLog()
  private let requests = Mutex<[HTTPRequest]>([])

  package var events: [LogEvent] { eventLog.events }
  package var asked: [HTTPRequest] { requests.withLock { $0 } }
  var log: Log { eventLog.log }

  /// A network in which every server gives this response.
  func exchange(answering response: HTTPResponse) -> HTTPExchange {
    HTTPExchange { [self] request, _ throws(HTTPExchangeError) in
      requests.withLock { $0.append(request) }
      return response
    }
  }
}

/// Two apps on one server: `shop`, which the tests are about, and `other`, which must never be affected. Everything
/// goes through requests and answers as values.
package struct ServerFixture: Sendable {
  package static let webhookSecret = "a webhook secret made for tests, 32 bytes"
  private static let otherIdentity = AppIdentity(bundleId: "com.example.other", appAppleId: 5678)

  private let shop: EngineFixture
  package let recorder: Recorder
  package let server: PaymentServer
  package private(set) var keys: Keys

  /// The text of an API key of each kind, of both apps.
  package struct Keys: Sendable {
    package let shop: [APIKey.Kind: String]
    package let other: [APIKey.Kind: String]

    package var secret: String { shop[.secret] ?? "" }
    package var publishable: String { shop[.publishable] ?? "" }
    package var `operator`: String { shop[.operator] ?? "" }
    package var otherSecret: String { other[.secret] ?? "" }
    package var otherOperator: String { other[.operator] ?? "" }
  }

  /// What a test may change.
  package struct Changes: Sendable {
    package var database: (any PaymentDatabase)?
    package var dependencies: Dependencies?
    package var faults = DatabaseFaults()
    package var engine = EngineLimits()
    package var verifier = SignedDataLimits()
    package var networkAnswers = HTTPResponse(status: 204)
    /// The servers of the inner network; by default the same as outside.
    package var anywhere: HTTPExchange?
    package var app: @Sendable (inout AppPolicy) -> Void = { _ in }
    package var appStoreServer: AppStoreServerAccess?
    package var weChatPay: WeChatPayAccess?
    /// Whether the secret keys may give units.
    package var mayCredit = false
    /// Whether they may give entitlements.
    package var mayGiveEntitlements = false
    /// Whether they may erase users.
    package var mayErase = false
    package var traces = Traces.off
    package var settings: @Sendable (inout ServerSettings) -> Void = { _ in }

    package init() {}
  }

  /// A server without API keys; the first app is the shop.
  package init(
    serving apps: [AppSettings], _ setup: EngineFixture.Setup = .init(), recorder: Recorder = Recorder(),
    settings change: (inout ServerSettings) -> Void = { _ in }
  ) throws {
    shop = try EngineFixture(serving: apps, setup)
    self.recorder = recorder
    var settings = ServerSettings(userTokenKeys: try TokenMaker.keys, isSimulated: true, version: "1.0-test")
    change(&settings)
    server = PaymentServer(
      engine: shop.engine, settings: settings, dependencies: shop.dependencies,
      log: setup.traces.adding(to: recorder.log))
    keys = Keys(shop: [:], other: [:])
  }

  package var clock: StandingClock { shop.clock }
  package var now: @Sendable () -> Timestamp { shop.now }
  package var engine: PaymentEngine { shop.engine }
  package var database: InMemoryDatabase { shop.database }

  /// A server with keys for both apps.
  package static func open(_ change: (inout Changes) -> Void = { _ in }) async throws -> ServerFixture {
    var changes = Changes()
    change(&changes)
    let recorder = Recorder()
    var setup = EngineFixture.Setup()
    (setup.database, setup.dependencies, setup.faults) = (changes.database, changes.dependencies, changes.faults)
    setup.verifier = try TestAppStoreSigner.verifier(changes.verifier)
    setup.outside = recorder.exchange(answering: changes.networkAnswers)
    (setup.anywhere, setup.limits, setup.log) = (
      changes.anywhere, changes.engine, changes.traces.adding(to: recorder.log)
    )
    setup.traces = changes.traces
    let apps = try apps(changes)
    var front = try ServerFixture(serving: apps, setup, recorder: recorder, settings: changes.settings)
    var made: [AppIdentifier: [APIKey.Kind: String]] = [:]
    for app in apps {
      for kind in APIKey.Kind.allCases {
        let mayCredit = kind == .secret && changes.mayCredit
        let mayGive = kind == .secret && changes.mayGiveEntitlements
        made[app.id, default: [:]][kind] = try await front.engine.createKey(
          kind, for: app.id, label: "tests", mayCredit: mayCredit, mayGiveEntitlements: mayGive,
          mayErase: kind == .secret && changes.mayErase
        ).text
      }
    }
    front.keys = Keys(shop: made["shop"] ?? [:], other: made["other"] ?? [:])
    return front
  }

  private static func apps(_ changes: Changes) throws -> [AppSettings] {
    let catalog = try Catalog(TestCatalog.server)
    var shop = AppSettings(id: "shop", home: .simulated, identity: EngineFixture.identity, catalog: catalog)
    shop.policy.endpoints = [
      DeliveryEndpoint(
        name: "backend", url: "https://backend.example/hook", environments: [.simulated],
        secrets: [Secret(Array(Self.webhookSecret.utf8))])
    ]
    changes.app(&shop.policy)
    shop.appStore?.server = changes.appStoreServer
    shop.weChatPay = changes.weChatPay
    return [shop, AppSettings(id: "other", home: .simulated, identity: Self.otherIdentity, catalog: catalog)]
  }

  /// A valid token of a user of the shop.
  package func token(of user: UserIdentifier = "alice") -> String { TokenMaker(at: now()).token(user: user) }

  /// All violations that the audit finds, at rest.
  package func violations() async throws -> [Violation] { try await engine.auditInvariants(atRest: true).violations }
}
