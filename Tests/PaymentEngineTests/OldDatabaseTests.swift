import AppStoreIntegration
import AppStoreProtocol
import Cryptography
import Foundation
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import SQLiteDatabase
import ServerConfiguration
import ShopFixtures
import SigningAuthorities
import SimulationKit
import TestDatabases
import Testing

/// A database of an earlier version, with frozen, dropped and held rows: `Tests/Databases/schema-7.sql`.
@Suite struct `A database of an earlier version` {
  private static let dump = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Databases/schema-7.sql")
  private static let appEnvironment = EngineFixture.appEnvironment

  private func key(_ transaction: TransactionIdentifier) -> PaymentKey { EngineFixture.key(transaction) }

  /// The final catalog: renamed entitlements, and no monthly plan any more.
  private func engine(on database: SQLiteDatabase, _ clock: TestClock) throws -> PaymentEngine {
    let shop = try EngineFixture()
    var app = shop.app
    app.catalog = try Catalog(
      EngineFixture.products.filter { $0.id != "monthly" }.map { product in
        var product = product
        if product.id == "premium" { product.grant = .entitlement("premium-plus", period: nil) }
        return product
      })
    var setup = EngineFixture.Setup()
    (setup.database, setup.dependencies) = (database, testDependencies(clock))
    let settings = AppSettings(app, appStore: AppStoreAccess(identity: EngineFixture.identity))
    return try EngineFixture(serving: [settings], setup).engine
  }

  /// - Parameter change: changes to the database, as SQL.
  private func withOldDatabase(
    changedBy change: String = "",
    _ body: (SQLiteDatabase, PaymentEngine, TestClock) async throws -> Void
  ) async throws {
    let directory = try makeTestDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appendingPathComponent("old.sqlite").path
    _ = try runSQL(String(contentsOf: Self.dump, encoding: .utf8), on: path)
    _ = try runSQL(change, on: path)
    let clock = TestClock()
    clock.set(EngineFixture.noon + .days(62))
    let database = try await openSQLite(at: path, clock: clock)
    do {
      try await body(database, engine(on: database, clock), clock)
    } catch {
      await database.close()
      throw error
    }
    await database.close()
  }

  @Test func `turns its frozen payment into a duplicate, and marks stopped changes`() async throws {
    try await withOldDatabase { database, engine, _ in
      try await database.read { reading throws in
        #expect(try reading.payment(key("9003")) == nil)
        #expect(try reading.duplicate(key("9003"))?.of == key("9002"))
        #expect(try reading.payment(key("9002"))?.state == .fulfilled)
      }
      let marked = try await engine.stoppedChanges(in: [Self.appEnvironment], limit: 9)
      #expect(Set(marked.map(\.payment.transaction)) == ["9002", "9003", "4001"])
      #expect(marked.allSatisfy { $0.kind == .stoppedByEarlierVersion })
    }
  }

  @Test func `loses freezes without a waiting change, and polls refunds made elsewhere`() async throws {
    let change = """
      UPDATE orders SET frozen_because = 'a rule' WHERE user_id = 'dave';
      INSERT INTO refunds (app, environment, number, payment, amount, total, currency, created_at, state, questions)
      VALUES ('shop', 'simulated', 'R-elsewhere', 5, 100, 100, 'CNY', 1774958400000, 'asked', 0);
      """
    try await withOldDatabase(changedBy: change) { database, _, _ in
      try await database.read { reading throws in
        let orders = try reading.orders(OrderQuery(appEnvironment: Self.appEnvironment, limit: 99)).filter {
          $0.user == "dave"
        }
        #expect(orders.count == 1 && orders.allSatisfy { $0.frozenBecause == nil })
        let refund = try #require(try reading.refund("R-elsewhere", in: Self.appEnvironment))
        #expect(refund.nextQuestionAt == refund.createdAt)
      }
    }
  }

  @Test func `is repaired by the retries, and its audit finds nothing`() async throws {
    try await withOldDatabase { database, engine, _ in
      let report = try await engine.retryStoppedChanges()
      #expect(report.tried == 3 && report.done == 3)
      // Payments held because their plan is gone are decided at each start, by the plan's promise.
      try await engine.decideHeldAgain()
      #expect(try await engine.stoppedChanges(in: [Self.appEnvironment], limit: 9) == [])
      try await database.read { reading throws in
        // The dropped refunds have taken effect, each once, and the backend is notified.
        for id in ["9002", "4001"] as [TransactionIdentifier] {
          #expect(try reading.payment(key(id))?.state == .reversed(amount: 1), "\(id)")
          #expect(try reading.deliveries(of: key(id)).map(\.kind) == [.created, .reversed], "\(id)")
        }
        // The renewal of the retired plan is alice's, by the plan's promise.
        let renewal = try #require(try reading.payment(key("9004")))
        #expect(renewal.state == .fulfilled && renewal.owner == "alice")
        guard case .entitlement("club", _, _)? = try reading.grant(key("9004"))?.content else {
          Issue.record("the renewal gives something else")
          return
        }
        // Correct rows stay as they were.
        #expect(try reading.grant(key("3001"))?.user == "erin")
        #expect(try reading.payment(key("7001"))?.state == .imported)
        #expect(try reading.payment(key("2001"))?.state == .reversed(amount: 1))
        #expect(try reading.balances(of: "alice", in: Self.appEnvironment).map(\.amount) == [75])
        #expect(
          try reading.orders(OrderQuery(appEnvironment: Self.appEnvironment, limit: 99)).allSatisfy {
            $0.frozenBecause == nil
          })
      }
      let audit = try await engine.auditInvariants(atRest: true)
      #expect(audit.violations == [] && audit.stopped == 0)
      // A repeat changes nothing.
      #expect(try await engine.retryStoppedChanges().tried == 0)
    }
  }
}
