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
import ShopFixtures
import SimulationKit
import StrictJSON
import Synchronization
import TestDoubles
import Testing

/// Fifty apps with a receiver each. The first may be dead: it takes a request and never answers.
private struct FiftyReceivers {
  struct Result {
    /// How long the deliveries to the 49 others took, each in milliseconds of simulated time.
    var spans: [Int64] = []
    /// How often the database was asked meanwhile.
    var questions = 0
  }

  private static let apps = 50
  private static let rounds = 2
  let isFirstDead: Bool

  private static func settings(_ number: Int) throws -> AppSettings {
    var app = AppPolicy(
      id: AppIdentifier("shop\(number)"), home: .simulated, catalog: try Catalog(EngineFixture.products))
    app.endpoints = [
      DeliveryEndpoint(
        name: "backend", url: "https://r\(number).example/hook", environments: [.simulated],
        secrets: [Secret(Array("a secret made for tests, 32 bytes".utf8))])
    ]
    let identity = AppIdentity(bundleId: "com.example.shop\(number)", appAppleId: Int64(1000 + number))
    return AppSettings(app, appStore: AppStoreAccess(identity: identity))
  }

  /// Each answers after 50 ms, the dead one not before the caller gives up.
  private func exchange(_ process: SimulatedProcess, _ arrivals: Arrivals) -> HTTPExchange {
    let isFirstDead = isFirstDead
    return HTTPExchange { request, limit throws(HTTPExchangeError) in
      let isDead = isFirstDead && request.target.hasPrefix("https://r0.example/")
      let dependencies = process.dependencies()
      try? await dependencies.sleep(isDead ? limit : .milliseconds(50))
      if isDead { throw .outcomeUnknown("no answer") }
      arrivals.note(request.target, at: dependencies.now())
      return HTTPResponse(status: 204)
    }
  }

  func run() throws -> Result {
    let simulator = SimulatorFixture(seed: 1)
    let (arrivals, counted) = (Arrivals(), Counted())
    let apps = try (0..<Self.apps).map(Self.settings)
    var setup = EngineFixture.Setup()
    setup.dependencies = simulator.process.dependencies()
    setup.outside = exchange(simulator.process, arrivals)
    setup.limits.watchInterval = .hours(1)
    setup.limits.expiryInterval = .hours(1)
    setup.pause = { if $0 == .beforeRun || $0 == .beforeRead { counted.add() } }
    let shop = try EngineFixture(serving: apps, setup)
    let engine = shop.engine
    simulator.process.spawn { await engine.run() }
    simulator.world.run(for: .seconds(1))
    let before = counted.count
    for round in 0..<Self.rounds {
      let at = simulator.world.now
      arrivals.begin(at)
      try simulator.perform {
        for (number, app) in apps.enumerated() {
          try await Self.buy("\(round)\(100 + number)", number, app.servedPolicy, shop)
        }
      }
      simulator.world.run(for: .seconds(20))
    }
    return Result(spans: arrivals.spans, questions: counted.count - before)
  }

  private static func buy(_ id: String, _ number: Int, _ app: AppPolicy, _ shop: EngineFixture) async throws {
    let request = OrderRequest(user: "alice", product: "coins.100", quantity: 1, store: .appStore)
    let order = try await shop.engine.createOrder(request, for: app, by: .user("alice")).order.order.key.id
    let evidence = shop.transaction(id, token: order) { payload in
      payload["bundleId"] = .string("com.example.shop\(number)")
    }
    let answer = try await shop.engine.submitAppStorePayment(
      SubmitAppStorePayment.Request(evidence: evidence), from: "alice", for: app)
    #expect(answer.payments.first?.verdict == .fulfilled)
  }
}

private final class Counted: Sendable {
  private let number = Mutex(0)
  var count: Int { number.withLock { $0 } }
  func add() { number.withLock { $0 += 1 } }
}

/// How long each delivery to one of the 49 others took.
private final class Arrivals: Sendable {
  private struct State {
    var begun = Timestamp(milliseconds: 0)
    var spans: [Int64] = []
  }

  private let state = Mutex(State())
  var spans: [Int64] { state.withLock { $0.spans.sorted() } }
  func begin(_ at: Timestamp) { state.withLock { $0.begun = at } }

  func note(_ target: String, at: Timestamp) {
    guard !target.hasPrefix("https://r0.example/") else { return }
    state.withLock { $0.spans.append((at - $0.begun).milliseconds) }
  }
}

@Suite struct `One dead receiver among fifty` {
  @Test func `costs the others no delivery, no time, and at most a tenth more questions to the database`() throws {
    let sound = try FiftyReceivers(isFirstDead: false).run()
    let dead = try FiftyReceivers(isFirstDead: true).run()
    #expect(sound.spans.count == 49 * 2 && dead.spans.count == sound.spans.count)
    let (before, after) = (sound.spans.reduce(0, +), dead.spans.reduce(0, +))
    #expect(10 * after <= 11 * before, "\(before) and \(after) ms of simulated time")
    #expect(10 * (dead.spans.last ?? 0) <= 11 * (sound.spans.last ?? 0))
    #expect(10 * dead.questions <= 11 * sound.questions, "\(sound.questions) and \(dead.questions) questions")
  }
}
