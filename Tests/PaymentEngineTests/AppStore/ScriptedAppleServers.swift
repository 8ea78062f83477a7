import AppStoreIntegration
import AppStoreProtocol
import Cryptography
import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import ShopFixtures
import SigningAuthorities
import SimulationKit
import StrictJSON
import Synchronization
import TestDoubles

/// Apple's servers as a script in a simulated world: the test decides answers and their times; requests are recorded.
final class ScriptedAppleServers: Sendable {
  /// The result of a request, and its delay.
  struct Turn: Sendable {
    var after = TimeSpan.milliseconds(100)
    var result: Result<HTTPResponse, HTTPExchangeError>

    static func answer(_ status: Int, _ body: String = "", after: TimeSpan = .milliseconds(100)) -> Turn {
      Turn(after: after, result: .success(HTTPResponse(status: status, body: Array(body.utf8))))
    }

    static let good = answer(200, "{\"signedTransactionInfo\":\"a.b.c\"}")

    static func error(_ number: Int64) -> Turn {
      answer(Int(number / 10_000), "{\"errorCode\":\(number),\"errorMessage\":\"No.\"}")
    }

    static let silence = Turn(after: .seconds(15), result: .failure(.outcomeUnknown("timed out")))

    static func limited(until: Timestamp) -> Turn {
      var turn = error(4_290_000)
      turn.result = turn.result.map { response in
        var response = response
        response.fields.set("Retry-After", "\(until.milliseconds)")
        return response
      }
      return turn
    }
  }

  /// One request, with the times of its arrival and its answer.
  struct Visit: Sendable {
    let host: String
    let path: String
    let begin: Timestamp
    var end: Timestamp?
    var status: Int?
  }

  private let simulator: SimulatorFixture
  let gateway: AppStoreGateway
  let metrics = Metrics()
  let logged = EventLog()

  init(
    seed: UInt64 = 1, isReleased: Bool = true, receipts: VerifyReceiptSettings? = nil,
    limits: AppStoreGatewayLimits = AppStoreGatewayLimits(),
    _ script: @escaping @Sendable (_ request: HTTPRequest, _ now: Timestamp) -> Turn
  ) throws {
    simulator = SimulatorFixture(seed: seed)
    let dependencies = simulator.dependencies
    let visited = Notes()
    let key = ECDSAPrivateKey(curve: .p256, randomBytes: Array(repeating: 5, count: 48))
    var settings = AppStoreServerAccess(
      credentials: try AppStoreServerCredentials(
        issuerId: "57246542-96fe-1a63-e053-0824d011072a", keyId: "ABCDEFGHIJ", bundleId: "com.example",
        privateKey: key))
    settings.isReleased = isReleased
    let exchange = HTTPExchange { request, limit throws(HTTPExchangeError) in
      let number = visited.begin(request, at: dependencies.now())
      let turn = script(request, dependencies.now())
      do { try await dependencies.sleep(min(turn.after, limit)) } catch { throw .cancelled }
      visited.end(number, at: dependencies.now(), turn.result)
      return try turn.result.get()
    }
    gateway = AppStoreGateway(
      settings, receipts: receipts, app: "shop", exchange: exchange, dependencies: dependencies, limits: limits,
      metrics: metrics, log: logged.log)
    notes = visited
  }

  private let notes: Notes

  var world: SimulatedWorld { simulator.world }
  var process: SimulatedProcess { simulator.process }

  /// All requests so far.
  var visits: [Visit] { notes.all }

  private final class Notes: Sendable {
    private let state = Mutex<[Visit]>([])

    var all: [Visit] { state.withLock { $0 } }

    func begin(_ request: HTTPRequest, at now: Timestamp) -> Int {
      let rest = request.target.dropFirst("https://".count)
      let host = String(rest.prefix { $0 != "/" })
      let path = String(rest.dropFirst(host.count))
      return state.withLock { state in
        state.append(Visit(host: host, path: path, begin: now))
        return state.count - 1
      }
    }

    func end(_ number: Int, at now: Timestamp, _ result: Result<HTTPResponse, HTTPExchangeError>) {
      state.withLock { state in
        state[number].end = now
        state[number].status = (try? result.get())?.status ?? 0
      }
    }
  }

  // MARK: actions of tests

  typealias Outcome = AppStoreServerOutcome<TransactionInfoResponse>

  /// Requests a transaction.
  func ask(
    _ id: TransactionIdentifier = "2000000000000001", in environment: StoreEnvironment? = .production,
    _ priority: StoreCallPriority = .livePurchase
  ) async throws -> AppStoreReply<TransactionInfoResponse> {
    await gateway.send(try .transactionInfo(id), environment: environment, priority: priority)
  }

  /// Runs something in the server's process.
  func perform<Value: Sendable>(_ body: @escaping @Sendable (ScriptedAppleServers) async throws -> Value) throws
    -> Value
  {
    try world.perform(in: process) { try await body(self) }
  }

  /// Sends many requests at once, each with its own priority; returns their results in order.
  func askAtOnce(_ priorities: [StoreCallPriority], in environment: StoreEnvironment = .production) throws -> [Outcome]
  {
    try perform { servers in
      try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
        for (index, priority) in priorities.enumerated() {
          group.addTask { (index, try await servers.ask(in: environment, priority).outcome) }
        }
        var outcomes: [(Int, Outcome)] = []
        for try await outcome in group { outcomes.append(outcome) }
        return outcomes.sorted { $0.0 < $1.0 }.map(\.1)
      }
    }
  }

  /// The most requests within any span of that length.
  static func most(of visits: [Visit], within span: TimeSpan) -> Int {
    let moments = visits.map(\.begin).sorted()
    var (most, first) = (0, 0)
    for (index, moment) in moments.enumerated() {
      while moments[first] + span <= moment { first += 1 }
      most = max(most, index - first + 1)
    }
    return most
  }
}
