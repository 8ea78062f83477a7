import Cryptography
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Synchronization
import Testing

/// Counts the engine's reads of its database.
private final class ReadCounter: Sendable {
  private let count = Mutex(0)

  var value: Int { count.withLock { $0 } }

  var faults: DatabaseFaults {
    DatabaseFaults(read: { [self] in
      count.withLock { $0 += 1 }
      return nil
    })
  }
}

@Suite struct `An engine that waits` {
  private let world = SimulatedWorld(seed: 1)
  private let reads = ReadCounter()

  @Test func `for an order reads it at the start and at the end, and not in between (record 172)`() throws {
    let process = SimulatedProcess("server", number: 1, in: world)
    let shop = try EngineFixture(faults: reads.faults, in: process)
    let counted = try world.perform(in: process) { [reads] in
      let order = try await shop.order()
      let before = reads.value
      _ = try await shop.engine.readOrder(
        .id(order), in: [EngineFixture.appEnvironment], of: "alice", waiting: .seconds(25), until: .paid)
      return reads.value - before
    }
    #expect(counted == 2)
  }

  @Test func `for a slow receiver without a free slot does not look for deliveries that it could not send`() throws {
    let process = SimulatedProcess("server", number: 1, in: world)
    let dependencies = process.dependencies()
    let silent = HTTPExchange { _, limit throws(HTTPExchangeError) in
      try? await dependencies.sleep(limit)
      throw .outcomeUnknown("no answer")
    }
    var limits = EngineLimits()
    limits.deliveriesInFlightPerEndpoint = 1
    let shop = try EngineFixture(
      { app in
        app.endpoints = [
          DeliveryEndpoint(
            name: "backend", url: "https://backend.example", environments: [.simulated],
            secrets: [Secret(Array("a secret made for tests, 32 bytes".utf8))])
        ]
      }, faults: reads.faults, exchange: silent, limits: limits, in: process)
    process.spawn { await shop.engine.run() }
    try world.perform(in: process) {
      for id in ["1", "2", "3"] {
        let order = try await shop.order()
        _ = try await shop.submit(shop.transaction(id, token: order), orders: [order])
      }
    }
    let before = reads.value
    world.run(for: .seconds(14))
    #expect(reads.value - before < 30, "\(reads.value - before) looks while one attempt was under way")
  }

  @Test func `for one backend does not poll endlessly because another one pulls its deliveries`() throws {
    let process = SimulatedProcess("server", number: 1, in: world)
    let shop = try EngineFixture(
      { app in
        app.endpoints = [
          DeliveryEndpoint(
            name: "backend", url: "https://backend.example", environments: [.sandbox],
            secrets: [Secret(Array("a secret made for tests, 32 bytes".utf8))])
        ]
      }, faults: reads.faults, in: process)
    process.spawn { await shop.engine.run() }
    try world.perform(in: process) {
      let order = try await shop.order()
      _ = try await shop.submit(shop.transaction("1", token: order), orders: [order])
    }
    // Each background task looks once at its start.
    world.run(for: .seconds(1))
    let before = reads.value
    world.run(for: .seconds(14))
    #expect(reads.value - before < 30, "\(reads.value - before) looks for a delivery that is not its own")
  }

  @Test func `for a database that refuses writes tries once a second, not fifty times`() throws {
    let process = SimulatedProcess("server", number: 1, in: world)
    let isFull = Mutex(false)
    let refused = Mutex(0)
    let shop = try EngineFixture(
      { app in
        app.endpoints = [
          DeliveryEndpoint(
            name: "backend", url: "https://backend.example", environments: [.simulated],
            secrets: [Secret(Array("a secret made for tests, 32 bytes".utf8))])
        ]
      },
      faults: DatabaseFaults(transaction: {
        guard isFull.withLock({ $0 }) else { return .none }
        refused.withLock { $0 += 1 }
        return .refused(.full)
      }), in: process)
    try world.perform(in: process) {
      let order = try await shop.order()
      _ = try await shop.submit(shop.transaction("1", token: order), orders: [order])
    }
    isFull.withLock { $0 = true }
    process.spawn { await shop.engine.run() }
    world.run(for: .seconds(10))
    // Deliveries try once a second; the other background tasks try a few times.
    let count = refused.withLock { $0 }
    #expect((5...40).contains(count), "\(count) attempts in ten seconds")
  }
}
