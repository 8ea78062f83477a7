import AppStoreSimulator
import Foundation
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import SystemPlatform
import TestDatabases
import TestDoubles
import TestPlatform
import TestTier
import Testing

/// The number of faults. `make chaos` does as many as `make night`, or those that CHAOS_FAULTS names.
private let faults = number("CHAOS_FAULTS") ?? Tier.among(test: 0, check: ChaosFault.allCases.count, night: 1000)
/// What they are drawn from.
private let seed = number("CHAOS_SEED") ?? 1

private func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

@Suite(.enabled(if: PostgreSQLServer.isPresent && faults > 0, "many processes and minutes: make check, make chaos"))
struct `Three nodes over one PostgreSQL with a synchronous standby, under fire` {
  // One of each kind takes a minute and a half, on a busy machine three.
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
      // Kept after the run if CHAOS_HISTORY names a file.
      let kept = ProcessInfo.processInfo.environment["CHAOS_HISTORY"]
      let history = try ClientHistory(kept ?? shop.folder + "/history.jsonl")
      shop.note(in: history)
      receiver.note(in: history)
      let load = Load(shop, customers: 6)
      let spending = Spending(shop)
      let tally = try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await load.run() }
        group.addTask { try await spend(spending, load) }
        group.addTask { try await Watchers(shop: shop, load: load).run() }
        defer { load.end() }
        let chaos = Chaos(database, nodes, schema: schema, seed: UInt64(seed))
        try await chaos.strike(faults)
        load.end()
        try await group.waitForAll()
        return await chaos.tally
      }
      #expect(faults < ChaosFault.allCases.count || tally.missing == [], "the run is incomplete: \(tally)")
      #expect(tally.tooFew(of: faults) == [])
      #expect(load.problems == [])
      #expect(spending.problems == [])
      try await rest(shop, database, schema)
      let charges = await shop.store.charges().map {
        (transaction: $0.transaction.id.text, order: $0.transaction.appAccountToken.map { "\($0)" })
      }
      let findings = try ChaosChecker(
        server: database.primary, schema: schema, facts: load.facts, charges: charges, spending: spending,
        received: receiver.attempts
      ).findings()
      #expect(findings == [])
      try await Watchers.readAll(shop, [load])
      let verdict = try await history.verdict()
      #expect(verdict.findings == [])
      // Of what each node has met since its last start: a commit whose outcome it gave up to find out.
      let unknown = #"counterfoil_database_unknown_commits_total{found="unknown"}"#
      #expect(try await nodes.metric(unknown) == [0, 0, 0])
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
      for fact in load.newFacts() where fact.isFulfilled && spent.insert(fact.order).inserted {
        try await spending.spend(after: fact)
      }
      if isOver { return }
      try await Dependencies.system.sleep(.milliseconds(20))
    }
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
