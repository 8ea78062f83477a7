import CounterfoilCLI
import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import PaymentServer
import SQLiteDatabase
import ServerConfiguration
import StrictJSON
import Synchronization

/// Purchases over HTTP: a whole server over a database on disk in this process, its load in another.
struct HTTPBench: Sendable {
  let options: BenchHTTPCommand.Settings
  let shop: FulfilShop
  let platform: Platform

  init(_ options: BenchHTTPCommand.Settings, _ platform: Platform) throws {
    self.options = options
    self.platform = platform
    shop = try FulfilShop(platform)
  }

  private static let patience = TimeSpan.minutes(10)

  private var database: String { options.folder + "/http.db" }
  private var order: String { options.folder + "/purchases" }

  private func removeOwnFiles() throws {
    try platform.removeDatabase(at: database)
    try platform.removeCalls(at: order)
  }

  /// Measures all rounds on one database, and compares it in the end with what was paid.
  ///
  /// - Throws: `CommandFailure` if a call is not answered as it should be, or the database does not reconcile: the
  ///   figures are then invalid.
  func run() async throws -> [HTTPRound] {
    try platform.files.makeFolder(options.folder)
    try removeOwnFiles()
    let open = try await shop.open(database)
    var rounds: [HTTPRound] = []
    do {
      for round in 0..<options.rounds { rounds.append(try await self.round(round, open)) }
    } catch {
      await open.database.close()
      throw error
    }
    await open.database.close()
    // A round buys twice: call by call, and all calls of a purchase one after the other.
    let paid = options.rounds * options.purchases * 2
    if let difference = try await FulfilReconciliation.difference(database, paid: paid, shop) {
      throw CommandFailure("the server does not reconcile: \(difference).")
    }
    try removeOwnFiles()
    return rounds
  }

  private func round(_ number: Int, _ open: OpenShop) async throws -> HTTPRound {
    let marks = PhaseMarks(platform)
    let server = open.server
    // An answer of the size of that of `/livez`.
    let echo = await server.respond(to: HTTPRequest("GET", "/livez"), from: "127.0.0.1")
    let listener = try platform.listen(.onThisMachine) { request, peer in
      if request.target == HTTPPhase.echoTarget { return echo }
      if request.target.hasPrefix(HTTPPhase.marks) { return marks.note(request.target) }
      return await server.respond(to: request, from: peer)
    }
    let work = HTTPShopper.Order(
      now: shop.clock.now, tokenSecret: shop.tokenSecret, first: number * options.purchases * 2,
      count: options.purchases, connections: options.connections)
    try platform.files.replace(order, work.json.bytes)
    try platform.files.remove(order + ".report")
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await listener.run() }
      group.addTask { await open.engine.run() }
      // Rate limits are per second, so the clock of the fixture must follow the wall clock.
      group.addTask {
        while (try? await platform.dependencies.sleep(.milliseconds(10))) != nil {
          for _ in 0..<10 { shop.clock.advance() }
        }
      }
      defer {
        listener.stop()
        group.cancelAll()
      }
      let latencies = try await shopped(at: "http://127.0.0.1:\(listener.port)")
      return try HTTPRound(marks, latencies: latencies, count: options.purchases)
    }
  }

  /// Lets a client do its phases, and returns how long each call took, by phase.
  private func shopped(at address: String) async throws -> JSONValue {
    let child = try platform.startSelf(["bench", "http", "--shopper", order, "--to", address], [:])
    let end = platform.monotonicNanoseconds() + UInt64(Self.patience.milliseconds) * 1_000_000
    while platform.monotonicNanoseconds() < end {
      try await platform.dependencies.sleep(.milliseconds(50))
      guard let bytes = try platform.files.read(order + ".report", 256 << 20) else {
        if child.hasEnded() { break }
        continue
      }
      await child.end()
      return try JSONReader.read(
        bytes, limits: JSONLimits(bytesMax: 256 << 20, depthMax: 8, valuesMax: 100_000_000))
    }
    child.kill()
    throw CommandFailure("the client has not done its purchases.")
  }
}

/// When each phase began and ended, in processor time of this process and in real time.
final class PhaseMarks: Sendable {
  private let marks = Mutex<[String: (processor: UInt64, wall: UInt64)]>([:])
  private let platform: Platform

  init(_ platform: Platform) { self.platform = platform }

  func note(_ target: String) -> HTTPResponse {
    let now = (platform.processorNanoseconds(), platform.monotonicNanoseconds())
    marks.withLock { $0[String(target.dropFirst(HTTPPhase.marks.count))] = now }
    return HTTPResponse(status: 204)
  }

  func cost(of phase: HTTPPhase, count: Int) -> FulfilCost? {
    marks.withLock { marks in
      guard let begin = marks[phase.rawValue + "/begin"], let end = marks[phase.rawValue + "/end"] else { return nil }
      return FulfilCost(count: count, wall: end.wall - begin.wall, processor: end.processor - begin.processor)
    }
  }
}

/// The costs of one round.
struct HTTPRound: Sendable {
  let costs: [HTTPPhase: FulfilCost]
  /// How long each call took, in microseconds, sorted.
  let latencies: [HTTPPhase: [Double]]

  init(_ marks: PhaseMarks, latencies: JSONValue, count: Int) throws {
    var costs: [HTTPPhase: FulfilCost] = [:]
    var sorted: [HTTPPhase: [Double]] = [:]
    for phase in HTTPPhase.allCases {
      guard let cost = marks.cost(of: phase, count: count), let times = latencies[phase.rawValue]?.array,
        times.count == count
      else { throw CommandFailure("the client has not done the phase \(phase.rawValue).") }
      costs[phase] = cost
      sorted[phase] = times.compactMap { $0.integer.map { Double($0) / 1000 } }.sorted()
    }
    self.costs = costs
    self.latencies = sorted
  }

  func microseconds(_ phase: HTTPPhase) -> Double { costs[phase]?.microseconds ?? 0 }

  /// The processor time of a purchase with its notification.
  var sum: Double { HTTPPhase.ofPurchase.reduce(0) { $0 + microseconds($1) } }

  func latency(_ phase: HTTPPhase, percent: Int) -> Double {
    let times = latencies[phase] ?? []
    return times.isEmpty ? 0 : times[min(times.count - 1, times.count * percent / 100)]
  }
}
