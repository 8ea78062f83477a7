import AppStoreProtocol
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
import TestDoubles
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
    var unanswered: [PendingResponse] = []
    var hasVisited = false
  }

  let outside = SimulatorFixture("WeChat Pay")
  let storage = InMemoryStorage.simulated()
  let weChatPay: SimulatedWeChatPay
  let app: AppPolicy
  private let settings: AppSettings
  private let state = Mutex(State())

  var world: SimulatedWorld { outside.world }

  /// A shop with this order lifetime; nothing of it runs yet.
  init(lifetime: TimeSpan) throws {
    let dependencies = outside.dependencies
    let route = LateExchange()
    let (weChatPay, known) = try outside.perform {
      let weChatPay = try await TestMerchant().openWeChatPay(in: dependencies, notifying: route.exchange)
      return (weChatPay, try await TestMerchant().access(to: weChatPay))
    }
    var access = known
    access.orderLifetime = lifetime
    self.weChatPay = weChatPay
    settings = try WeChatPayEngineFixture.settings(access)
    app = settings.servedPolicy
    route.open(
      to: HTTPExchange { [weak self] request, _ throws(HTTPExchangeError) in
        guard let self else { throw .unreachable("The shop is gone.") }
        return try await self.receive(request)
      })
    state.withLock { $0.processes = [outside.process] }
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
    var setup = EngineFixture.Setup()
    (setup.storage, setup.dependencies, setup.anywhere) = (storage, process.dependencies(), toWeChatPay)
    // The server may be killed before and after each commit.
    setup.pause = { _ in await Task.yield() }
    let engine = try EngineFixture(serving: [settings], setup).engine
    state.withLock { state in
      state.running = Running(process: process, engine: engine)
      state.processes.append(process)
    }
    process.whenKilled { [weak self] in self?.wasKilled() }
    if works { process.spawn { await engine.run() } }
    return process
  }

  private func wasKilled() {
    let unanswered = state.withLock { state in
      state.running = nil
      defer { state.unanswered = [] }
      return state.unanswered
    }
    for response in unanswered { response.answer(.failure(.outcomeUnknown("The server was killed."))) }
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
      let response = PendingResponse()
      outside.process.spawn {
        do throws(HTTPExchangeError) {
          response.answer(.success(try await weChatPay.api.network.send(request, limit)))
        } catch { response.answer(.failure(error)) }
      }
      return try await response.wait()
    }
  }

  private func receive(_ request: HTTPRequest) async throws(HTTPExchangeError) -> HTTPResponse {
    let response = PendingResponse()
    let running = state.withLock { state in
      if state.running != nil { state.unanswered.append(response) }
      return state.running
    }
    guard let running else { throw .unreachable("No server runs.") }
    running.process.spawn {
      let result = try? await running.engine.receiveWeChatPayNotification(
        fields: request.fields, body: request.body, for: "shop")
      switch result {
      case .kept(_, let answer), .refused(let answer, _): response.answer(.success(answer))
      case nil: response.answer(.success(HTTPResponse(status: 503)))
      }
    }
    return try await response.wait()
  }

  // MARK: people

  /// WeChat Pay sends notifications from now on.
  func startNotifications() { outside.process.spawn { [weChatPay] in await NotificationSender(weChatPay).run() } }

  /// A phone orders under its key, and its owner does something in WeChat, once.
  func buy(_ engine: PaymentEngine, _ action: CashierAction = .pay) async throws {
    guard !state.withLock({ $0.hasVisited }) else { return }
    var request = OrderRequest(user: "alice", product: "coins.100", quantity: 1, store: .weChatPay)
    request.platform = "android"
    request.reference = "N-1"
    request.idempotency = .init(key: "k-1", digest: "d-1")
    let details = try await engine.createOrder(request, for: app, by: .backend("cfs_test")).order
    guard let visit = try details.handOff.map(CashierVisit.init(handedOver:)) else { return }
    outside.process.spawn { [self] in
      guard !state.withLock({ $0.hasVisited }) else { return }
      state.withLock { $0.hasVisited = true }
      _ = try? await weChatPay.cashier.visit(visit, openid: "o-alice", action)
    }
  }

  func order(_ engine: PaymentEngine) async throws -> OrderDetails {
    try await engine.readOrder(OrderName("N-1"), in: [EngineFixture.appEnvironment], of: nil)
  }
}

/// A place for one answer, for which one task waits.
private final class PendingResponse: Sendable {
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
