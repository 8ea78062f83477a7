import AppStoreProtocol
import CFaultyDisk
import CounterfoilAPI
import Cryptography
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import ShopFixtures
import SimulationKit
import Synchronization
import TestDatabases
import TestDoubles
import Testing

@Suite struct `While the disk is full` {
  /// SQLite's error code for a full disk.
  private static let full: Int32 = 13

  private func engine(_ faulty: FaultyDatabase, _ clock: StandingClock, log: EventLog) throws -> PaymentEngine {
    var setup = EngineFixture.Setup()
    (setup.database, setup.dependencies, setup.log) = (faulty.database, clock.dependencies, log.log)
    let app = AppSettings(
      id: "shop", home: .simulated, identity: EngineFixture.identity, catalog: try Catalog(EngineFixture.products))
    return try EngineFixture(serving: [app], setup).engine
  }

  @Test func `the server reports it, the log names it once a minute, and all works again once there is room`()
    async throws
  {
    try await withFaultyDatabase { faulty async throws in
      let (clock, log) = (StandingClock(EngineFixture.noon), EventLog())
      let engine = try engine(faulty, clock, log: log)
      let app = try #require(engine.apps["shop"])
      func order() async -> EngineErrorCode? {
        do {
          let request = OrderRequest(user: "alice", product: "coins.100", quantity: 1, store: .appStore)
          _ = try await engine.createOrder(request, for: app, by: .user("alice"))
          return nil
        } catch { return (error as? CodedError<EngineErrorCode>)?.code }
      }
      func lines(_ name: String) -> [LogEvent] { log.events.filter { $0.name == name } }
      func gauge() async -> Bool {
        await engine.measureBacklog()
        return engine.metrics.text().contains("counterfoil_store_writable 1")
      }
      try await engine.checkReadiness()
      #expect(await gauge())
      faulty.disk.fail(faulty_disk_write, "-wal", times: 1_000_000, with: Self.full)
      try await engine.checkReadiness()
      for _ in 0..<50 { #expect(await order() == .storeUnavailable) }
      let error = await #expect(throws: CodedError<EngineErrorCode>.self) { try await engine.checkReadiness() }
      #expect(error?.code == .storeUnavailable)
      #expect(error?.details == DatabaseErrorCode.full.meaning.english)
      #expect(await !gauge())
      #expect(engine.metrics.text().contains(#"counterfoil_store_failing{cause="store_full"} 1"#))
      #expect(lines("store.failing").count == 1)
      #expect(lines("store.failing").first?.fields.first?.value == "store_full")
      clock.advance(by: .seconds(61))
      for _ in 0..<50 { _ = await order() }
      #expect(lines("store.failing").count == 2)
      #expect(lines("store.failing").last?.fields.first { $0.name == "failures" }?.value == "51")

      faulty.disk.heal()
      try await engine.checkReadiness()
      #expect(await order() == nil)
      #expect(await gauge())
      #expect(lines("store.writesAgain").count == 1)
      #expect(lines("store.failing").count == 2)
    }
  }

  @Test func `a background task finds out by itself that there is room again`() throws {
    let isFull = Mutex(false)
    let simulator = SimulatorFixture(seed: 3)
    let world = simulator.world
    let log = EventLog()
    let shop = try EngineFixture(
      faults: DatabaseFaults(transaction: { isFull.withLock { $0 } ? .refused(.full) : .none }), log: log.log,
      in: simulator.process)
    simulator.process.spawn { await shop.engine.run() }
    world.run(for: .seconds(1))
    isFull.withLock { $0 = true }
    try simulator.perform { () async throws in
      _ = await #expect(throws: CodedError<EngineErrorCode>.self) { try await shop.order() }
    }
    world.run(for: .minutes(10))
    #expect((9...12).contains(log.events.count { $0.name == "store.failing" }))
    isFull.withLock { $0 = false }
    world.run(for: .seconds(20))
    #expect(log.events.last { $0.name.hasPrefix("store.") }?.name == "store.writesAgain")
    try simulator.perform { () async throws in try await shop.engine.checkReadiness() }
  }
}
