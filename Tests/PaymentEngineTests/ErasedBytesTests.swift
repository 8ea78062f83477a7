import AppStoreIntegration
import CounterfoilAPI
import Foundation
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import SQLiteDatabase
import ServerConfiguration
import ShopFixtures
import StrictJSON
import Synchronization
import TestDatabases
import TestDoubles
import Testing

@Suite struct `An erased user in the bytes of a SQLite file` {
  private static let user: UserIdentifier = "alice-7Q9zX"
  /// What only this user's rows contain.
  private static let personal = ["alice-7Q9zX", "born-1990-02-29", "note-for-7Q9", "app-number-7Q9", "gave-7Q9"]

  /// Lines of the log.
  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ event: LogEvent) { lines.withLock { $0.append("\(event)") } }
  }

  /// Buys and spends as the user, and presents what another user bought.
  private static func use(_ shop: EngineFixture) async throws {
    var request = OrderRequest(user: user, product: "coins.100", quantity: 1, store: .appStore)
    request.reference = "app-number-7Q9"
    request.metadata = #"{"note":"born-1990-02-29"}"#
    let order = try await shop.engine.createOrder(request, for: shop.app, by: .user(user)).order.order.key.id
    _ = try await shop.submit(shop.transaction("1001", token: order), by: user)
    var debit = DebitRequest(user: user, unit: "coin", amount: 30, key: "sword", digest: "d")
    debit.reason = "gave-7Q9 to \(user)"
    debit.metadata = #"{"note":"note-for-7Q9"}"#
    _ = try await shop.engine.debitBalance(debit, in: EngineFixture.appEnvironment)
    _ = try await shop.buyCoins("1002", of: "bob")
    _ = try await shop.submit(shop.transaction("1002"), by: user)
    _ = try await shop.submit(shop.transaction("1003"), by: user)
    for id in ["1001", "1002", "1003"] {
      for delivery in try await shop.engine.read({ try $0.deliveries(of: EngineFixture.key(id)) }) {
        _ = try await shop.engine.acknowledge(delivery.id, in: "shop")
      }
    }
  }

  private static func found(in path: String) throws -> [String] {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    return personal.filter { bytes.range(of: Data($0.utf8)) != nil }
  }

  @Test func `is in none of them after VACUUM, nor in a backup made before it, nor in the log`() async throws {
    try await withDirectory { directory in
      let path = directory.appendingPathComponent("shop.sqlite").path
      let copy = directory.appendingPathComponent("copy.sqlite").path
      let (clock, lines) = (TestClock(), Lines())
      clock.set(EngineFixture.noon)
      let database = try await openSQLite(at: path, clock: clock)
      var setup = EngineFixture.Setup()
      (setup.database, setup.dependencies) = (database, testDependencies(clock))
      setup.log = { lines.add($0) }
      var app = AppPolicy(id: "shop", home: .simulated, catalog: try Catalog(EngineFixture.products))
      (app.referenceFromApp, app.events) = (true, true)
      let shop = try EngineFixture(
        serving: [AppSettings(app, appStore: AppStoreAccess(identity: EngineFixture.identity))], setup)
      try await Self.use(shop)
      #expect(try Self.found(in: path + "-wal").count == Self.personal.count)
      _ = try await shop.engine.eraseUser(Self.user, of: shop.app)
      #expect(try await shop.engine.auditInvariants(atRest: true).violations == [])
      await database.close()
      try await DatabaseCopier(on: ThreadExecutor(), now: { EngineFixture.noon }).copy(
        path, profile: .simulated, into: copy, logBytesMax: .max)
      let copied = try Self.found(in: copy)
      #expect(copied == [])
      _ = try runSQL("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);", on: path)
      let kept = try Self.found(in: path)
      #expect(kept == [])
      #expect(lines.all.filter { line in Self.personal.contains { line.contains($0) } } == [])
    }
  }
}
