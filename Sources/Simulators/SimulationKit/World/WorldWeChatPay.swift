import Cryptography
import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import Synchronization
import WeChatPaySimulator

/// The simulated WeChat Pay as a process that can be killed; it keeps only its log.
final class WorldWeChatPay: Sendable {
  private struct State {
    var process: SimulatedProcess?
    var opening: SimulatedProcess?
    var service: SimulatedWeChatPay?
    var platform: (identifier: String, key: RSAPublicKey)?
    var isAsleep = false
  }

  private let context: SimulationContext
  private let file = WorldLogFile()
  private let state = Mutex(State())

  init(_ context: SimulationContext) { self.context = context }

  var process: SimulatedProcess? { state.withLock { $0.process ?? $0.opening } }
  /// The identifier and key that a server must trust; known after the first start.
  var platform: (identifier: String, key: RSAPublicKey)? { state.withLock { $0.platform } }

  /// Starts a process, and returns when it answers; it never answers if it is killed while it opens.
  func start() async {
    let process = context.process("WeChat Pay")
    state.withLock { $0.opening = process }
    process.whenKilled { [weak self] in self?.wasKilled() }
    let opened = NetworkMessage<Bool>()
    process.spawn { [weak self] in await self?.open(in: process, opened) }
    _ = await context.wait(for: opened, atMost: .minutes(1))
  }

  private func open(in process: SimulatedProcess, _ opened: NetworkMessage<Bool>) async {
    let events = context.events
    do {
      let service = try await SimulatedWeChatPay.open(
        log: file.weChatPayLog(process.dependencies()), dependencies: process.dependencies(),
        exchange: context.exchange(from: .weChatPay, to: .server), keys: WorldShop.platformKeys,
        report: { event in if event.name == "weChatPaySimulator.tornLinesDropped" { events.mark(.weChatLogTorn) } })
      try await service.control.setMerchant(WorldShop.merchant)
      let platform = (service.platform.publicKeyIdentifier, service.platform.publicKey)
      state.withLock { state in
        state.service = service
        state.process = process
        state.platform = platform
      }
      opened.answer(true)
      await NotificationSender(service).run()
    } catch { if !context.isOver { events.reportViolation("WeChat Pay does not open: \(error)") } }
  }

  /// Stops it for days without work; `start` starts it again.
  func sleep() {
    state.withLock { $0.isAsleep = true }
    process?.kill()
  }

  private func wasKilled() {
    if !state.withLock({ $0.isAsleep }) { context.events.record("WeChat Pay", "is killed", mark: .weChatPayKilled) }
    state.withLock { state in
      state.isAsleep = false
      state.process = nil
      state.opening = nil
      state.service = nil
    }
  }

  /// Kills the current process while it writes a line.
  ///
  /// - Parameter count: which line from now on, counted from 1.
  func kill(inLine count: Int) {
    guard let process else { return }
    // The kill comes just before its next step, so the rest of the line is never written.
    file.strike(inLine: count) { process.kill(atStep: process.steps + 1) }
  }

  /// The endpoint that runs work at WeChat Pay now; nil if no process is ready.
  func attendance<Answer: Sendable>(
    _ body: @escaping @Sendable (SimulatedWeChatPay) async -> Answer
  ) -> NetworkEndpoint<Answer>? {
    let (process, service) = state.withLock { ($0.process, $0.service) }
    guard let process, let service else { return nil }
    return NetworkEndpoint(process: process) { await body(service) }
  }

  /// Retries until it answers; for actions from outside the simulated system.
  func insist<Answer: Sendable>(
    _ body: @escaping @Sendable (SimulatedWeChatPay) async throws -> Answer
  ) async throws -> Answer {
    while true {
      if let attendance = attendance({ service -> Result<Answer, any Error> in
        do { return .success(try await body(service)) } catch { return .failure(error) }
      }) {
        let letter = NetworkMessage<Result<Answer, any Error>>()
        attendance.process.spawn { letter.answer(await attendance.work()) }
        if let answer = await context.wait(for: letter, atMost: .minutes(2)) { return try answer.get() }
      }
      try await context.sleep(.seconds(5))
    }
  }

  /// Whether it writes to a customer, who would read it twice. WeChat Pay recognizes no repetition, so the network
  /// makes none.
  private static func isAnswer(_ request: HTTPRequest) -> Bool {
    request.method == "POST" && request.target.hasSuffix("/response")
  }

  /// The server's connection to it: the simulator's connection faults and the network's faults both apply.
  var exchange: HTTPExchange {
    HTTPExchange { [self] request, limit throws(HTTPExchangeError) in
      let what = "\(request.method) \(request.target.prefix { $0 != "?" })"
      let result = try await context.network.carry(
        what, from: .server, to: .weChatPay, limit: limit, mayRepeat: !Self.isAnswer(request)
      ) { [self] in
        attendance { service -> Result<HTTPResponse, HTTPExchangeError> in
          do throws(HTTPExchangeError) { return .success(try await service.api.network.send(request, limit)) } catch {
            return .failure(error)
          }
        }
      }
      return try result.get()
    }
  }
}
