import AppStoreSimulator
import Foundation
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import Synchronization
import SystemPlatform
import TestDatabases
import TestDoubles
import TestPlatform
import TestTier
import Testing

/// The number of faults. `make chaos` does as many as `make night`, or those that CHAOS_FAULTS names.
private let faults =
  ProcessInfo.processInfo.environment["CHAOS_FAULTS"].flatMap { Int($0) }
  ?? Tier.among(test: 0, check: 10, night: 1000)

@Suite(.enabled(if: PostgreSQLServer.isPresent && faults > 0, "many processes and minutes: make check, make chaos"))
struct `Three nodes over one PostgreSQL with a synchronous standby, under fire` {
  /// What was done to them.
  private struct Tally: CustomStringConvertible {
    var nodeKills = 0
    var pauses = 0
    var sessionKills = 0
    var restarts = 0
    var failOvers = 0
    var lineFaults = 0

    var description: String {
      "\(nodeKills) kills of nodes, \(pauses) pauses, \(sessionKills) ended sessions, \(restarts) restarts, "
        + "\(failOvers) fail-overs, \(lineFaults) COMMITs cut or with a swallowed answer"
    }
  }

  // Ten faults take a minute, on a busy machine three.
  @Test(.timeLimit(.minutes(10 + faults)))
  func `lose, double and misdirect nothing, and learn every outcome`() async throws {
    let database = try await ReplicatedPostgreSQL()
    let schema = "chaos"
    let table = databaseTable(database.primary, schema: schema, port: database.line.port)
    let app = ShopApp(id: "game", webhook: try freePort())
    try await withShop(apps: [app], database: table) { shop in
      let receiver = try WebhookReceiver(port: app.webhook ?? 0, secret: shop.webhookSecret)
      defer { receiver.stop() }
      let nodes = try ShopNodes(shop, count: 3)
      defer { nodes.close() }
      try await nodes.startAll()
      let history = try ClientHistory(shop.folder + "/history.jsonl")
      shop.note(in: history)
      receiver.note(in: history)
      let load = Load(shop, customers: 6)
      let spending = Spending(shop)
      let tally = try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await load.run() }
        group.addTask { try await spend(spending, load) }
        group.addTask { try await Watchers(shop: shop, load: load).run() }
        defer { load.end() }
        let tally = try await strike(database, nodes)
        load.end()
        try await group.waitForAll()
        return tally
      }
      #expect(load.problems == [] && spending.problems == [])
      try await rest(shop, database, schema)
      let charges = await shop.store.charges().map {
        (transaction: $0.transaction.id.text, order: $0.transaction.appAccountToken.map { "\($0)" })
      }
      let findings = try ChaosChecker(
        server: database.primary, schema: schema, facts: load.facts, charges: charges, spending: spending,
        received: receiver.attempts
      ).findings()
      #expect(findings == [])
      try await Watchers(shop: shop, load: load).readAll()
      let verdict = try await history.verdict()
      #expect(verdict.findings == [])
      #expect(try await nodes.stopAll() == [0, 0, 0])
      let audit = try await counterfoil("audit", "--idle", "--json", in: shop.folder)
      #expect(audit.code == 0, "\(audit.output) \(audit.errors)")
      let counts = "\(load.facts.count) orders, \(charges.count) charges, \(spending.taken.count) debits booked and "
      let more = "\(spending.refused.count) refused, \(receiver.attempts.count) deliveries attempted\n"
      StandardStreams.output("chaos: \(tally); \(counts)\(more)chaos: compared \(verdict.counts.text)\n")
    }
  }

  private func spend(_ spending: Spending, _ load: Load) async throws {
    var spent: Set<String> = []
    while true {
      let isOver = load.isOver
      for fact in load.facts where fact.isFulfilled && spent.insert(fact.order).inserted {
        try await spending.spend(after: fact)
      }
      if isOver { return }
      try await Dependencies.system.sleep(.milliseconds(20))
    }
  }

  /// One fault after another, drawn from a seed.
  private func strike(_ database: ReplicatedPostgreSQL, _ nodes: ShopNodes) async throws -> Tally {
    var chance = SplitMix64(seed: 20_261_126)
    var tally = Tally()
    for number in 0..<faults {
      try await Dependencies.system.sleep(.milliseconds(Int64(200 + chance.number(below: 800))))
      let node = Int(chance.number(below: 3))
      // The first ones are one of each kind, so that a small sample has all.
      switch number < 6 ? number : Int(chance.number(below: 40)) {
      case 0:
        try await database.failOver()
        tally.failOvers += 1
      case 1:
        try await database.restart()
        tally.restarts += 1
      case 2, 6...9:
        let count = 1 + Int(chance.number(below: 3))
        let before = database.line.faultCount
        try database.line.fail(chance.number(below: 2) == 0 ? .swallowAnswer : .cutBeforeCommit, times: count)
        _ = try await eventually(tries: 1000) { database.line.faultCount >= before + count }
        tally.lineFaults += database.line.faultCount - before
      case 3, 10...12: tally.sessionKills += try database.endSessions(oneIn: 2)
      case 4, 13...15:
        // Now and then longer than its leases last, so that the others take over what it holds.
        let span = number > 6 && chance.number(below: 10) == 0 ? TimeSpan.seconds(50) : .milliseconds(1_500)
        guard nodes.process(node)?.hold() == true else { throw ShopError("node \(node) ended by itself") }
        try await Dependencies.system.sleep(span)
        nodes.process(node)?.release()
        tally.pauses += 1
      default:
        guard let process = nodes.process(node), process.status == nil else {
          throw ShopError("node \(node) ended by itself: \(nodes.process(node)?.errors ?? "")")
        }
        process.kill()
        tally.nodeKills += 1
        try await nodes.start(node)
      }
    }
    return tally
  }

  /// Waits until everything is told: the store's notifications, which it repeats by its own clock, and the deliveries.
  private func rest(_ shop: Shop, _ database: ReplicatedPostgreSQL, _ schema: String) async throws {
    for _ in 0..<6 {
      let isQuiet = try await eventually {
        let now = await shop.store.now()
        return await shop.store.notifications().allSatisfy { $0.rests(at: now) }
      }
      #expect(isQuiet, "the store sends what is due")
      if await shop.store.notifications().allSatisfy({ $0.state == .delivered }) { break }
      _ = try await shop.store.advanceClock(by: .hours(73))
    }
    let isTold = try await eventually(tries: 12_000) {
      try database.primary.run("SELECT count(*) FROM \(schema).deliveries WHERE state <> 'acknowledged'") == "0"
    }
    #expect(isTold, "every delivery is acknowledged")
  }
}
