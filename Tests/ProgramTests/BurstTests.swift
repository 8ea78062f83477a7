import AppStoreSimulator
import Foundation
import PaymentPrimitives
import StrictJSON
import SystemPlatform
import TestDatabases
import TestPlatform
import TestTier
import Testing

/// How long ten times as many customers as usual buy at once, in seconds. `make night` takes the whole minute.
private let seconds = Tier.among(test: 0, check: 10, night: 60)

@Suite(.enabled(if: PostgreSQLServer.isPresent && seconds > 0, "a minute of many purchases: make check, make night"))
struct `A tenfold burst over three nodes` {
  /// What a node may need beside what it needed before. Its queues and caches have bounds that stay far below.
  private static let growthMax = 256 << 20

  @Test(.timeLimit(.minutes(10)))
  func
    `loses nothing, is told to the backend within a minute after it, and needs no more memory than the bounds allow`()
    async throws
  {
    let app = ShopApp(id: "game", webhook: try freePort())
    let server = try await PostgreSQLServer()
    try await withShop(apps: [app], database: databaseTable(server, schema: "burst")) { shop in
      let receiver = try WebhookReceiver(port: app.webhook ?? 0, secret: shop.webhookSecret)
      defer { receiver.stop() }
      let nodes = try ShopNodes(shop, count: 3)
      defer { nodes.close() }
      try await nodes.startAll()
      let history = try ClientHistory(shop.folder + "/history.jsonl")
      shop.note(in: history)
      receiver.note(in: history)

      let usual = try await buy(shop, customers: 2, name: "usual", for: .seconds(5))
      let before = nodes.memory
      let burst = try await buy(shop, customers: 20, name: "burst", for: .seconds(Int64(seconds)))
      let end = SystemClock.monotonicNanoseconds()
      let charges = await shop.store.charges().count
      let isTold = try await eventually(tries: 6_000) { receiver.booked.count == charges }
      let drained = (SystemClock.monotonicNanoseconds() - end) / 1_000_000
      // What they had in between is gone again by now, so the peaks are compared.
      let peaks = nodes.memoryPeaks
      #expect(isTold && drained <= 60_000, "\(receiver.booked.count) of \(charges) were told after \(drained) ms")
      #expect(usual.problems + burst.problems == [])
      for (before, peak) in zip(before, peaks) { #expect((0..<Self.growthMax).contains(peak - before)) }
      // Nothing was cut off, so the store has nothing to repeat.
      try await Watchers.readAll(shop, [usual, burst])
      let verdict = try await history.verdict()
      #expect(verdict.findings == [])
      #expect(try await nodes.stopAll() == [0, 0, 0])
      let counts = "\(usual.facts.count) purchases by 2 customers in 5 s, \(burst.facts.count) by 20 in \(seconds) s"
      let memory = zip(before, peaks).map { "\($0 >> 20) to \($1 >> 20) at most" }.joined(separator: ", ")
      StandardStreams.output("burst: \(counts); told \(drained) ms after its end; megabytes of the nodes: \(memory)\n")
    }
  }

  private func buy(_ shop: Shop, customers: Int, name: String, for span: TimeSpan) async throws -> Load {
    let load = Load(shop, customers: customers, name: name)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await load.run() }
      try await Dependencies.system.sleep(span)
      load.end()
      try await group.waitForAll()
    }
    return load
  }
}
