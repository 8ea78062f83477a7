import AppStoreIntegration
import Cryptography
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import ShopFixtures
import SimulationKit
import Synchronization
import Testing

/// A database that several processes share, of which this one is the first. The others only seem to be there.
private struct SharedDatabase: PaymentDatabase {
  struct Nodes: NodeCoordination {
    /// How many nodes there are, with this one.
    let count: Int
    let dependencies: Dependencies
    let node: Int64 = 1
    let clockOffset = TimeSpan.zero

    func beat() async throws -> [NodeRecord] {
      let now = dependencies.now()
      return (1...count).map { NodeRecord(number: Int64($0), startedAt: now, seenAt: now, state: .active) }
    }

    func hear(within span: TimeSpan) async throws -> [String]? {
      try await dependencies.sleep(span)
      return []
    }

    func note(_ state: NodeRecord.State) async throws {}
    func mayAsk(about order: OrderKey, pause: TimeSpan) async throws -> Bool { true }
    func tell(_ lines: [String]) async throws {}
  }

  let inner: InMemoryDatabase
  let others: Nodes
  var coordination: (any NodeCoordination)? { others }

  func transact<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseTransaction) throws -> Value
  ) async -> CommitOutcome<Value> { await inner.transact(body) }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseReader) throws -> Value
  ) async throws -> Value { try await inner.read(body) }
}

@Suite struct `A backend that answers no delivery` {
  private static let deliveries = 20

  @Test(arguments: [(1, 16), (2, 8), (3, 5), (8, 2), (20, 2)])
  func `has no more calls of a node under way than its share of sixteen, and two at the least`(nodes: Int, calls: Int)
    throws
  {
    let simulator = SimulatorFixture()
    let dependencies = simulator.dependencies
    let begun = Mutex(0)
    var policy = AppPolicy(id: "shop", home: .simulated, catalog: try Catalog(EngineFixture.products))
    policy.endpoints = [
      DeliveryEndpoint(
        name: "backend", url: "https://backend.example", environments: [.simulated],
        secrets: [Secret(Array("a secret made for tests, 32 bytes".utf8))])
    ]
    var setup = EngineFixture.Setup()
    setup.dependencies = dependencies
    setup.database = SharedDatabase(
      inner: InMemoryDatabase(.simulated(), now: dependencies.now),
      others: SharedDatabase.Nodes(count: nodes, dependencies: dependencies))
    setup.outside = HTTPExchange { _, limit throws(HTTPExchangeError) in
      begun.withLock { $0 += 1 }
      try? await dependencies.sleep(limit)
      throw .outcomeUnknown("no answer")
    }
    let access = AppStoreAccess(identity: EngineFixture.identity)
    let shop = try EngineFixture(serving: [AppSettings(policy, appStore: access)], setup)
    simulator.process.spawn { await shop.engine.run() }
    // A node knows of the others once it has said that it is there.
    simulator.world.run(for: .seconds(1))
    #expect(shop.engine.activeNodes == nodes)
    try simulator.perform {
      for number in 0..<Self.deliveries {
        let order = try await shop.order()
        _ = try await shop.submit(shop.transaction("\(number)", token: order), orders: [order])
      }
    }
    // Sooner than the first of them is given up.
    simulator.world.run(for: .seconds(10))
    #expect(begun.withLock { $0 } == calls)
  }
}
