import AppStoreProtocol
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
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

/// A shop with a server that may be killed at any step: one process after the other over one database. WeChat Pay and
/// the payer run in their own process, which is never killed.
final class KillableEngineFixture: Sendable {
  private struct Running {
    let process: SimulatedProcess
    let engine: PaymentEngine
  }

  private struct State {
    var running: Running?
    var processes: [SimulatedProcess] = []
    /// Notifications that wait for the current process's answer.
    var letters: [Letter] = []
    var hasVisited = false
  }

  let world: SimulatedWorld
  let outside: SimulatedProcess
  let storage = InMemoryStorage.simulated()
  let weChatPay: SimulatedWeChatPay
  let app: AppPolicy
  private let settings: AppSettings
  private let state = Mutex(State())

  /// A shop with this order lifetime; nothing of it runs yet.
  init(lifetime: TimeSpan) throws {
    let world = SimulatedWorld(seed: 1)
    let outside = SimulatedProcess("WeChat Pay", number: 1, in: world)
    let dependencies = outside.dependencies()
    let door = Door()
    weChatPay = try world.perform(in: outside) {
      try await SimulatedWeChatPay.open(
        log: VolatileSimulatorLog().log, dependencies: dependencies, exchange: door.exchange,
        keys: WeChatPayEngineFixture.platformKeys)
    }
    self.world = world
    self.outside = outside
    var settings = try WeChatPayEngineFixture.settings(of: weChatPay, in: outside, world)
    settings.orderLifetime = lifetime
    var app = AppSettings(
      id: "shop", home: .simulated, identity: EngineFixture.identity,
      catalog: try Catalog(WeChatPayEngineFixture.products))
    app.weChatPay = settings
    self.settings = app
    self.app = app.servedPolicy
    door.open { [weak self] request throws(HTTPExchangeError) in
      guard let self else { throw .unreachable("The shop is gone.") }
      return try await self.receive(request)
    }
    state.withLock { $0.processes = [outside] }
  }

  /// Ends the world; without this call, each world leaves its sleeping tasks behind.
  func end() { world.end(state.withLock { $0.processes }) }

  // MARK: the server

  /// Starts a server over the database as the last one left it.
  ///
  /// - Parameters:
  ///   - works: whether its background tasks run.
  ///   - step: the job before which it is killed; nil: never.
  func start(works: Bool, killedAt step: Int? = nil) throws -> SimulatedProcess {
    let number = state.withLock { $0.processes.count + 1 }
    let process = SimulatedProcess("server", number: number, in: world)
    if let step { process.kill(atStep: step) }
    let dependencies = process.dependencies()
    let engine = PaymentEngine.simulated(
      [settings],
      // The server may be killed before and after each commit.
      database: InMemoryDatabase(storage, now: dependencies.now, pause: { _ in await Task.yield() }),
      verifier: try SignedDataVerifier(
        SignedDataConfiguration(profile: .development, anchors: [WeChatPayEngineFixture.anchor])),
      dependencies: dependencies, anywhere: toWeChatPay)
    state.withLock { state in
      state.running = Running(process: process, engine: engine)
      state.processes.append(process)
    }
    process.whenKilled { [weak self] in self?.wasKilled() }
    if works { process.spawn { await engine.run() } }
    return process
  }

  private func wasKilled() {
    let letters = state.withLock { state in
      state.running = nil
      defer { state.letters = [] }
      return state.letters
    }
    for letter in letters { letter.answer(.failure(.outcomeUnknown("The server was killed."))) }
  }

  /// Runs something in the current server, until it is done.
  func perform<Value: Sendable>(
    _ body: @escaping @Sendable (KillableEngineFixture, PaymentEngine) async throws -> Value
  ) throws -> Value {
    guard let running = state.withLock({ $0.running }) else { throw NoServer() }
    return try world.perform(in: running.process) { try await body(self, running.engine) }
  }

  /// Begins something in the current server; it may never end.
  func begin(_ body: @escaping @Sendable (KillableEngineFixture, PaymentEngine) async throws -> Void) {
    guard let running = state.withLock({ $0.running }) else { return }
    running.process.spawn { try? await body(self, running.engine) }
  }

  struct NoServer: Error {}

  // MARK: the network

  private var toWeChatPay: HTTPExchange {
    HTTPExchange { [outside, weChatPay] request, limit throws(HTTPExchangeError) in
      let letter = Letter()
      outside.spawn {
        do throws(HTTPExchangeError) {
          letter.answer(.success(try await weChatPay.api.network.send(request, limit)))
        } catch { letter.answer(.failure(error)) }
      }
      return try await letter.wait()
    }
  }

  private func receive(_ request: HTTPRequest) async throws(HTTPExchangeError) -> HTTPResponse {
    let letter = Letter()
    let running = state.withLock { state in
      if state.running != nil { state.letters.append(letter) }
      return state.running
    }
    guard let running else { throw .unreachable("No server runs.") }
    running.process.spawn {
      let result = try? await running.engine.receiveWeChatPayNotification(
        fields: request.fields, body: request.body, for: "shop")
      switch result {
      case .kept(_, let answer), .refused(let answer, _): letter.answer(.success(answer))
      case nil: letter.answer(.success(HTTPResponse(status: 503)))
      }
    }
    return try await letter.wait()
  }

  // MARK: people

  /// WeChat Pay sends notifications from now on.
  func startNotifications() { outside.spawn { [weChatPay] in await NotificationSender(weChatPay).run() } }

  /// A phone orders under its key, and its owner does something in WeChat, once.
  func buy(_ engine: PaymentEngine, _ action: CashierAction = .pay) async throws {
    guard !state.withLock({ $0.hasVisited }) else { return }
    var request = OrderRequest(user: "alice", product: "coins.100", quantity: 1, store: .weChatPay)
    request.platform = "android"
    request.reference = "N-1"
    request.idempotency = .init(key: "k-1", digest: "d-1")
    let details = try await engine.createOrder(request, for: app, by: .backend("cfs_test")).order
    guard let visit = try details.handOff.map(CashierVisit.init(handedOver:)) else { return }
    outside.spawn { [self] in
      guard !state.withLock({ $0.hasVisited }) else { return }
      state.withLock { $0.hasVisited = true }
      _ = try? await weChatPay.cashier.visit(visit, openid: "o-alice", action)
    }
  }

  func order(_ engine: PaymentEngine) async throws -> OrderDetails {
    try await engine.readOrder(OrderName("N-1"), in: [WeChatPayEngineFixture.appEnvironment], of: nil)
  }
}

/// A place for one answer, for which one task waits.
private final class Letter: Sendable {
  private struct State {
    var result: Result<HTTPResponse, HTTPExchangeError>?
    var waiting: UnsafeContinuation<Result<HTTPResponse, HTTPExchangeError>, Never>?
  }

  private let state = Mutex(State())

  /// The first answer counts.
  func answer(_ result: Result<HTTPResponse, HTTPExchangeError>) {
    let waiting = state.withLock { state -> UnsafeContinuation<Result<HTTPResponse, HTTPExchangeError>, Never>? in
      guard state.result == nil else { return nil }
      state.result = result
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(returning: result)
  }

  func wait() async throws(HTTPExchangeError) -> HTTPResponse {
    let result = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let result = state.withLock { state in
          if state.result == nil { state.waiting = continuation }
          return state.result
        }
        if let result { continuation.resume(returning: result) }
      }
    } onCancel: {
      answer(.failure(.cancelled))
    }
    return try result.get()
  }
}

/// The connection from WeChat Pay to the shop, open once the shop runs.
private final class Door: Sendable {
  private typealias Way = @Sendable (HTTPRequest) async throws(HTTPExchangeError) -> HTTPResponse
  private let way = Mutex<Way?>(nil)

  func open(_ way: @escaping @Sendable (HTTPRequest) async throws(HTTPExchangeError) -> HTTPResponse) {
    self.way.withLock { $0 = way }
  }

  var exchange: HTTPExchange {
    HTTPExchange { [self] request, _ throws(HTTPExchangeError) in
      guard let way = way.withLock({ $0 }) else { throw .unreachable("no shop yet") }
      return try await way(request)
    }
  }
}
