import CounterfoilCLI
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentPrimitives
import PaymentServer
import SQLiteDatabase
import StrictJSON
import Synchronization

/// Measures rows 3 and 4. The same paid purchases are fulfilled again and again, each time on a copy of one database:
/// by a bare loop of the same SQL, by the engine, and over HTTP, in turn.
struct FulfilBench: Sendable {
  /// The numbers of transactions that the bare loop puts into one commit; the best of them is the reference.
  static let batches = [1, 8, 32, 128, 512]

  let options: BenchFulfilCommand.Settings
  let shop: FulfilShop
  let platform: Platform

  init(_ options: BenchFulfilCommand.Settings, _ platform: Platform) throws {
    self.options = options
    self.platform = platform
    shop = try FulfilShop(platform)
  }

  private var base: String { options.folder + "/base.db" }
  private var copy: String { options.folder + "/copy.db" }
  private var calls: String { options.folder + "/calls" }

  private func removeOwnFiles() throws {
    for database in [base, copy] { try platform.removeDatabase(at: database) }
    try platform.removeCalls(at: calls)
  }

  /// Measures all rounds.
  ///
  /// - Throws: `CommandFailure` if a run does not reconcile: its figures are then invalid.
  func run() async throws -> FulfilResult {
    try platform.files.makeFolder(options.folder)
    try removeOwnFiles()
    let open = try await shop.open(base)
    let purchases: PaidPurchases
    do { purchases = try await PaidPurchases.make(options.orders, at: options.store, shop, open: open) } catch {
      await open.database.close()
      throw error
    }
    await open.database.close()
    try LoadClient.write(purchases.calls, to: calls, platform)
    let recording = try await record(purchases)
    var result = FulfilResult(
      store: options.store, orders: options.orders,
      statements: Double(recording.statementsPerTransactionInTenths) / 10)
    for _ in 0..<options.rounds { result.rounds.append(try await round(purchases, recording)) }
    try removeOwnFiles()
    return result
  }

  private func round(_ purchases: PaidPurchases, _ recording: StatementRecording) async throws -> FulfilRound {
    var bare: [FulfilCost] = []
    for batch in Self.batches.prefix(3) { bare.append(try await runBare(recording, batch)) }
    let engine = try await runEngine(purchases)
    for batch in Self.batches.dropFirst(3) { bare.append(try await runBare(recording, batch)) }
    let verify = try await measure { for turn in 0..<options.orders { purchases.verify(turn) } }
    let json = try await measure {
      for call in purchases.calls { precondition((try? JSONReader.read(call.body)) != nil) }
    }
    let (http, answer) = try await runHTTP()
    let echo = try await runEcho(answer)
    return FulfilRound(bare: bare, engine: engine, verify: verify, json: json, http: http, echo: echo)
  }

  // MARK: The same purchases, each time on a fresh copy

  private func record(_ purchases: PaidPurchases) async throws -> StatementRecording {
    let recording = StatementRecording()
    try await onCopy("recorded") { path in
      let open = try await shop.open(path) { settings in
        settings.recording = recording
        // All statements on one connection, the reads too.
        settings.plannersMax = 0
        settings.batchMax = 1
      }
      for update in purchases.update { _ = try await open.engine.fulfil(update, for: shop.policy) }
      await open.database.close()
    }
    return recording
  }

  private func runBare(_ recording: StatementRecording, _ batch: Int) async throws -> FulfilCost {
    try await onCopy("the bare loop in batches of \(batch)") { path in
      let settings = SQLiteSettings(path: path, profile: .simulated, holder: "counterfoil-lab bench")
      let loop = try BareLoop(recording, settings: settings)
      guard loop.count == options.orders else {
        throw CommandFailure("\(loop.count) transactions were recorded of \(options.orders) fulfilments.")
      }
      let cost = try await measure { try loop.run(batch: batch) }
      loop.close()
      return cost
    }
  }

  private func runEngine(_ purchases: PaidPurchases) async throws -> FulfilCost {
    try await onCopy("the engine") { path in
      let open = try await shop.open(path)
      let cost = try await Self.fulfil(purchases, with: options, in: open, of: shop, on: platform)
      await open.database.close()
      return cost
    }
  }

  /// Fulfils all purchases from many callers.
  static func fulfil(
    _ purchases: PaidPurchases, with options: BenchFulfilCommand.Settings, in open: OpenShop, of shop: FulfilShop,
    on platform: Platform
  ) async throws -> FulfilCost {
    let turns = Turns(purchases.update.count)
    let (engine, app) = (open.engine, shop.policy)
    return try await measure(options, platform) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<options.callers {
          group.addTask {
            while let turn = turns.next() {
              _ = try await engine.fulfil(purchases.update[turn], for: app)
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  /// Over HTTP; also returns one answer, so that the answer of the echo server can have the same size.
  private func runHTTP() async throws -> (FulfilCost, HTTPResponse) {
    let answer = Mutex<HTTPResponse?>(nil)
    let cost = try await onCopy("the server") { path in
      let open = try await shop.open(path)
      let cost = try await serve { request, peer in
        let response = await open.server.respond(to: request, from: peer)
        answer.withLock { $0 = response }
        return response
      }
      await open.database.close()
      return cost
    }
    guard let answer = answer.withLock({ $0 }) else { throw CommandFailure("nothing was handed in.") }
    return (cost, answer)
  }

  private func runEcho(_ answer: HTTPResponse) async throws -> FulfilCost {
    try await serve { _, _ in answer }
  }

  /// Lets the client submit all purchases.
  private func serve(_ handler: @escaping HTTPHandler) async throws -> FulfilCost {
    try await LoadServer.measure((calls, options.orders), connections: options.connections, platform, handler: handler)
  }

  /// Runs work on a copy of the prepared database, and compares the result with the payments.
  private func onCopy<Value>(_ name: String, _ body: (String) async throws -> Value) async throws -> Value {
    guard let bytes = try platform.files.read(base, 1 << 32) else { throw CommandFailure("\(base) is gone.") }
    for suffix in ["-wal", "-shm"] { try platform.files.remove(copy + suffix) }
    try platform.files.replace(copy, bytes)
    let value = try await body(copy)
    if let difference = try await FulfilReconciliation.difference(copy, paid: options.orders, shop) {
      throw CommandFailure("\(name) does not reconcile: \(difference).")
    }
    return value
  }

  private func measure(_ work: () async throws -> Void) async throws -> FulfilCost {
    try await Self.measure(options, platform, work)
  }

  private static func measure(
    _ options: BenchFulfilCommand.Settings, _ platform: Platform, _ work: () async throws -> Void
  ) async throws -> FulfilCost {
    let (wall, processor) = (platform.monotonicNanoseconds(), platform.processorNanoseconds())
    try await work()
    return FulfilCost(
      count: options.orders, wall: platform.monotonicNanoseconds() - wall,
      processor: platform.processorNanoseconds() - processor)
  }
}
