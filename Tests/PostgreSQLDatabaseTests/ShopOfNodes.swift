import AppStoreIntegration
import CounterfoilAPI
import Foundation
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PostgreSQLDatabase
import SQLiteDatabase
import ServerConfiguration
import ShopFixtures
import SystemPlatform
import TestDatabases
import TestTier
import Testing

/// A node of a shop: its own engine and connections, over a database that it shares.
struct ShopNode {
  let shop: EngineFixture
  let database: PostgreSQLDatabase
  var engine: PaymentEngine { shop.engine }
}

/// A database whose process hears nothing of other nodes: LISTEN is refused to it.
private struct DeafDatabase: PaymentDatabase {
  struct Refused: Error {}

  struct Nodes: NodeCoordination {
    let inner: any NodeCoordination
    var node: Int64 { inner.node }
    var clockOffset: TimeSpan { inner.clockOffset }
    func beat() async throws -> [NodeRecord] { try await inner.beat() }
    func note(_ state: NodeRecord.State) async throws { try await inner.note(state) }
    func mayAsk(about order: OrderKey, pause: TimeSpan) async throws -> Bool {
      try await inner.mayAsk(about: order, pause: pause)
    }
    func tell(_ lines: [String]) async throws { try await inner.tell(lines) }
    func hear(within span: TimeSpan) async throws -> [String]? { throw Refused() }
  }

  let inner: PostgreSQLDatabase
  var coordination: (any NodeCoordination)? { inner.coordination.map { Nodes(inner: $0) } }

  func transact<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseTransaction) throws -> Value
  ) async -> CommitOutcome<Value> { await inner.transact(body) }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseReader) throws -> Value
  ) async throws -> Value { try await inner.read(body) }

  func nodes() async throws -> [NodeRecord] { try await inner.nodes() }
  func lookAtFeed() async throws -> FeedLook { try await inner.lookAtFeed() }
}

/// Runs a test with nodes of one shop.
///
/// - Parameters:
///   - clock: the database's clock.
///   - offsets: how far the clock of each node is ahead of it.
///   - app: what they serve; nil: the usual shop, without a key for Apple's servers.
///   - change: changes what surrounds one of them, by its place.
func withNodes(
  _ offsets: [TimeSpan] = [.zero, .zero, .zero], clock: @escaping @Sendable () -> Timestamp = runningClock(),
  limits: EngineLimits = EngineLimits(), isDeaf: Bool = false, serving app: AppSettings? = nil,
  change: (_ place: Int, inout EngineFixture.Setup) -> Void = { _, _ in }, _ body: ([ShopNode]) async throws -> Void
) async throws {
  let server = try await SharedPostgreSQL.shared.server()
  var settings = postgreSQLSettings(server, schema: await SharedPostgreSQL.shared.newSchema())
  settings.clock = clock
  var nodes: [ShopNode] = []
  do {
    for (place, offset) in offsets.enumerated() {
      let dependencies = Dependencies(
        now: { clock() + offset }, randomBytes: Dependencies.system.randomBytes, sleep: Dependencies.system.sleep)
      let database = try await PostgreSQLDatabase.open(
        settings, dependencies: dependencies, writers: [ThreadExecutor(), ThreadExecutor()],
        readers: [ThreadExecutor(), ThreadExecutor()], listener: ThreadExecutor())
      var setup = EngineFixture.Setup()
      (setup.dependencies, setup.limits) = (dependencies, limits)
      setup.database = isDeaf ? DeafDatabase(inner: database) : database
      change(place, &setup)
      nodes.append(ShopNode(shop: try EngineFixture.overDatabase(setup, serving: app), database: database))
    }
    try await body(nodes)
  } catch {
    for node in nodes { await node.database.close() }
    throw error
  }
  for node in nodes { await node.database.close() }
  try server.run("DROP SCHEMA \(settings.schema) CASCADE")
}

/// A clock that runs from noon on the day for which the test certificates are made.
func runningClock() -> @Sendable () -> Timestamp {
  let start = Dependencies.system.now()
  return { EngineFixture.noon + (Dependencies.system.now() - start) }
}

extension EngineFixture {
  fileprivate static func overDatabase(_ setup: Setup, serving app: AppSettings?) throws -> EngineFixture {
    let usual = AppPolicy(id: "shop", home: .simulated, catalog: try Catalog(products))
    return try EngineFixture(serving: [app ?? AppSettings(usual, appStore: AppStoreAccess(identity: identity))], setup)
  }
}

/// Runs the background work of nodes beside a test.
func running(_ nodes: [ShopNode], _ body: () async throws -> Void) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for node in nodes { group.addTask { await node.engine.run() } }
    try await body()
    group.cancelAll()
  }
}
