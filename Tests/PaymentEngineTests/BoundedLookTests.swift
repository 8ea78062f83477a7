import AppStoreIntegration
import Foundation
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import SQLiteDatabase
import ServerConfiguration
import ShopFixtures
import TestDatabases
import TestDoubles
import Testing

/// A database with more rows than one look takes: the one in memory takes all at once.
@Suite struct `Looks through a large table` {
  private static let ids = (1001...1005).map { "\($0)" }
  private static let place = EngineFixture.appEnvironment

  private static func withShop(
    _ clock: TestClock = TestClock(), _ body: (EngineFixture) async throws -> Void
  ) async throws {
    try await withDirectory { directory in
      clock.set(EngineFixture.noon)
      let database = try await openSQLite(at: directory.appendingPathComponent("shop.sqlite").path, clock: clock)
      var setup = EngineFixture.Setup()
      (setup.database, setup.dependencies) = (database, testDependenciesWithOwnBytes(clock))
      (setup.limits.rowsPerErasureRead, setup.limits.rowsPerErasureStep) = (2, 1)
      setup.limits.retentionPause = .zero
      setup.retention = RetentionPolicy(deliveries: .days(9))
      let app = AppPolicy(id: "shop", home: .simulated, catalog: try Catalog(EngineFixture.products))
      let shop = try EngineFixture(
        serving: [AppSettings(app, appStore: AppStoreAccess(identity: EngineFixture.identity))], setup)
      for id in ids { _ = try await shop.buyCoins(id, of: "bob") }
      for id in ids {
        for delivery in try await deliveries(shop, id) {
          _ = try await shop.engine.acknowledge(delivery.id, in: "shop")
        }
      }
      try await body(shop)
      await database.close()
    }
  }

  private static func deliveries(_ shop: EngineFixture, _ id: String) async throws -> [Delivery] {
    try await shop.engine.read { try $0.deliveries(of: EngineFixture.key(id)) }
  }

  @Test func `never take more rows than they may, and say that there are more`() async throws {
    try await Self.withShop { shop in
      let moment = shop.now() + .days(99)
      try await shop.engine.read { reader in
        let first = try reader.paymentsWithDeliveries(acknowledgedBefore: moment, after: 0, count: 2)
        #expect(first.payments.count == 2 && first.hasMore)
        let last = try reader.paymentsWithDeliveries(acknowledgedBefore: moment, after: 4, count: 2)
        #expect(last.payments.count == 1 && !last.hasMore)
        let evidence = try reader.paymentsWithEvidence(receivedBefore: moment, after: 0, count: 2)
        #expect(evidence.payments.count == 2 && evidence.hasMore)
        for table in [NamingTable.payments, .deliveries] {
          let found = try reader.rows(naming: "bob", writtenAs: "bob", in: table, of: Self.place, after: 0, count: 2)
          #expect(found.payments.count == 2 && found.hasMore, "\(table)")
        }
        let entries = try reader.rows(naming: "bob", writtenAs: "b", in: .journal, of: Self.place, after: 0, count: 2)
        #expect(entries.entries.count <= 2 && entries.hasMore)
      }
    }
  }

  @Test func `shorten what is old in every part of it`() async throws {
    let clock = TestClock()
    try await Self.withShop(clock) { shop async throws in
      clock.set(EngineFixture.noon + .days(10))
      #expect(try await shop.engine.shortenOldRows() == [.deliveries: Self.ids.count])
      for id in Self.ids { #expect(try await Self.deliveries(shop, id).allSatisfy(\.body.isEmpty), "\(id)") }
    }
  }

  @Test func `find an erased user in every part of it, and of the audit log`() async throws {
    try await Self.withShop { shop in
      for id in Self.ids {
        _ = try await shop.submit(shop.transaction(id), by: "alice-9f3")
        var action = ActionDescription("personalData.seen", by: .account, "lin", key: id)
        (action.app, action.objectKind, action.object) = ("shop", "user", "alice-9f3")
        _ = try await shop.engine.perform(action) {}
      }
      _ = try await shop.buyCoins("2001", of: "alice-9f3")
      for delivery in try await Self.deliveries(shop, "2001") {
        _ = try await shop.engine.acknowledge(delivery.id, in: "shop")
      }
      _ = try await shop.engine.eraseUser("alice-9f3", of: shop.app)
      try await shop.engine.read { reader in
        for table in NamingTable.allCases {
          let found = try reader.rows(
            naming: "alice-9f3", writtenAs: "alice-9f3", in: table, of: Self.place, after: 0, count: 1000)
          #expect(found.payments.isEmpty && found.entries.isEmpty, "\(table)")
        }
        let log = try reader.auditLog(after: 0, limit: 100)
        #expect(!log.contains { "\($0)".contains("alice-9f3") })
        #expect(AuditLogVerification(of: log).broken == nil && AuditLogVerification(of: log).redactions.count == 5)
      }
    }
  }
}
