import AppStoreProtocol
import CounterfoilAPI
import CounterfoilCLI
import Cryptography
import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import PaymentServer
import SQLiteDatabase
import ServerConfiguration
import SigningAuthorities
import StrictJSON
import Synchronization

/// Submits the same paid purchases at a steady rate, alone and beside a flood, each time on a copy of one database.
struct FloodBench: Sendable {
  let options: BenchFloodCommand.Settings
  let shop: FulfilShop
  let platform: Platform

  init(_ options: BenchFloodCommand.Settings, _ platform: Platform) throws {
    self.options = options
    self.platform = platform
    shop = try FulfilShop(platform)
  }

  /// How often the bench checks that the flood has begun, every tenth of a second.
  private static let floodWaitsMax = 600
  /// The most different bogus tokens: each has some kilobytes.
  private static let bogusMax = 6000

  private var base: String { options.folder + "/base.db" }
  private var copy: String { options.folder + "/copy.db" }
  private var calls: String { options.folder + "/calls" }
  private var bogus: String { options.folder + "/bogus" }
  private var orders: Int { options.customersPerSecond * options.seconds }

  private func removeOwnFiles() throws {
    for database in [base, copy] { try platform.removeDatabase(at: database) }
    for path in [calls, bogus] { try platform.removeCalls(at: path) }
  }

  /// Measures all rounds.
  ///
  /// - Throws: `CommandFailure` if a run does not reconcile, or if the flood did not run.
  func run() async throws -> [FloodRound] {
    try platform.files.makeFolder(options.folder)
    try removeOwnFiles()
    let open = try await shop.open(base)
    let purchases: PaidPurchases
    do { purchases = try await PaidPurchases.make(orders, at: .appStore, shop, open: open) } catch {
      await open.database.close()
      throw error
    }
    await open.database.close()
    try LoadClient.write(purchases.calls, to: calls, platform)
    try LoadClient.write(bogusCalls(like: purchases.calls), to: bogus, platform)
    var rounds: [FloodRound] = []
    for _ in 0..<options.rounds {
      let (quiet, _) = try await handIn(beside: nil)
      let (flooded, answered) = try await handIn(beside: bogus)
      let asked = options.bogusPerSecond * options.seconds
      guard answered * 2 >= asked else {
        throw CommandFailure(
          "only \(answered) of about \(asked) bogus tokens were sent: this machine is too slow for the test.")
      }
      rounds.append(FloodRound(quiet: quiet, flooded: flooded, bogusAnswered: answered))
    }
    try removeOwnFiles()
    return rounds
  }

  // MARK: A run

  private func handIn(beside flood: String?) async throws -> (result: LoadClient.Result, bogus: Int) {
    guard let bytes = try platform.files.read(base, 1 << 32) else { throw CommandFailure("\(base) is gone.") }
    for suffix in ["-wal", "-shm"] { try platform.files.remove(copy + suffix) }
    try platform.files.replace(copy, bytes)
    let open = try await shop.open(copy)
    let result: LoadClient.Result
    let answered: Int
    do { (result, answered) = try await serve(open, beside: flood) } catch {
      await open.database.close()
      throw error
    }
    await open.database.close()
    if let difference = try await FulfilReconciliation.difference(copy, paid: orders, shop) {
      throw CommandFailure("a run \(flood == nil ? "alone" : "in the flood") does not reconcile: \(difference).")
    }
    return (result, answered - orders)
  }

  /// Submits the purchases; also returns how many requests were answered meanwhile.
  private func serve(
    _ open: OpenShop, beside flood: String?
  ) async throws -> (result: LoadClient.Result, answered: Int) {
    var settings = ListenSettings(address: "127.0.0.1", port: 0)
    settings.drainLimit = .seconds(1)
    let server = open.server
    let answered = Tally()
    let listener = try platform.listen(settings) { request, peer in
      let response = await server.respond(to: request, from: peer)
      answered.add()
      return response
    }
    let address = "http://127.0.0.1:\(listener.port)"
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await listener.run() }
      // Rate limits are per second, so the clock of the simulation must follow the wall clock.
      group.addTask {
        while (try? await platform.dependencies.sleep(.milliseconds(10))) != nil {
          for _ in 0..<10 { shop.clock.advance() }
        }
      }
      defer {
        listener.stop()
        group.cancelAll()
      }
      var flooding: ChildProcess?
      defer { flooding?.kill() }
      if let flood {
        flooding = try LoadClient.start(
          flood, to: address, connections: 16, pace: .over(perSecond: options.bogusPerSecond), platform)
        // The flood process reads its tokens first.
        for _ in 0..<Self.floodWaitsMax where answered.count == 0 {
          try await platform.dependencies.sleep(.milliseconds(100))
        }
      }
      let before = answered.count
      let result = try await LoadClient.run(
        calls, to: address, connections: 16, pace: .once(perSecond: options.customersPerSecond), platform)
      guard result.taken == orders else { throw CommandFailure("\(result.taken) of \(orders) were answered as taken.") }
      return (result, answered.count - before)
    }
  }

  // MARK: The flood

  /// Bogus tokens of every kind in turn; a signed-in customer sends each one.
  private func bogusCalls(like genuine: [HTTPRequest]) -> [HTTPRequest] {
    let now = shop.clock.now
    let stranger = BenchSubject.chain("Stranger", seed: 2, (now - .days(100), now + .days(100)))
    return (0..<min(Self.bogusMax, options.bogusPerSecond * (options.seconds + 1))).map { turn in
      var request = genuine[turn % genuine.count]
      request.body = JSONValue.members([("evidence", .string(bogusToken(turn, stranger)))]).bytes
      return request
    }
  }

  private func bogusToken(_ turn: Int, _ stranger: SigningChain) -> String {
    let payload = JSONValue.members([
      ("transactionId", .string("\(90_000_000_000 + turn)")), ("bundleId", .string(FulfilShop.bundleId)),
      ("productId", .string(FulfilShop.storeProduct)), ("environment", "Sandbox"),
    ])
    func header(_ chain: SigningChain, _ algorithm: String, note: String) -> [UInt8] {
      JSONValue.members([
        ("alg", .string(algorithm)), ("kid", .string(note)),
        ("x5c", .array(chain.certificates.map { .string(Base64.encode($0.der)) })),
      ]).bytes
    }
    switch turn % 6 {
    case 0: return Base64URL.encode((0..<3900).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ turn) })
    case 1: return shop.chain.sign(payload.bytes, header: header(shop.chain, "none", note: "\(turn)"))
    case 2: return shop.chain.sign(.members([("bundleId", "com.example.other"), ("environment", "Sandbox")]))
    // A chain that was rejected before, and one that is new.
    case 3: return stranger.sign(payload.bytes, header: header(stranger, "ES256", note: "once"))
    case 4: return stranger.sign(payload.bytes, header: header(stranger, "ES256", note: "\(turn)"))
    default:
      // The signature of another token under a genuine header: only the signature check itself detects it.
      let (own, other) = (shop.chain.sign(payload), shop.chain.sign(.members([("a", .integer(Int64(turn)))])))
      let (mine, its) = (own.split(separator: "."), other.split(separator: "."))
      return "\(mine[0]).\(mine[1]).\(its[2])"
    }
  }
}

final class Tally: Sendable {
  private let number = Atomic<Int>(0)

  var count: Int { number.load(ordering: .relaxed) }
  func add() { number.add(1, ordering: .relaxed) }
}
