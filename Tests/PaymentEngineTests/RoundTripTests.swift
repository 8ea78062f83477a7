import AppStoreIntegration
import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PostgreSQLDatabase
import ServerConfiguration
import ShopFixtures
import TestDatabases
import Testing

/// The engine over PostgreSQL with one writing connection. Each use case runs once before, so that its statements are
/// prepared and their types known.
@Suite(.enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)))
struct `A use case on PostgreSQL` {
  /// Questions are one round trip; locks, writes and COMMIT another. A use case may ask more after its first answers.
  private static let alone = 2

  private func withShop(_ body: (EngineFixture, PostgreSQLDatabase) async throws -> Void) async throws {
    let server = try await SharedPostgreSQL.shared.server()
    let schema = await SharedPostgreSQL.shared.newSchema()
    let clock = TestClock()
    clock.set(EngineFixture.noon)
    let database = try await openPostgreSQL(postgreSQLSettings(server, schema: schema), clock: clock)
    do {
      var setup = EngineFixture.Setup()
      setup.database = database
      let app = try EngineFixture().app
      let settings = AppSettings(app, appStore: AppStoreAccess(identity: EngineFixture.identity))
      try await body(try EngineFixture(serving: [settings], setup), database)
    } catch {
      await database.close()
      throw error
    }
    await database.close()
    try server.run("DROP SCHEMA \(schema) CASCADE")
  }

  /// How often the database waits during a use case.
  private func roundTrips(in database: PostgreSQLDatabase, _ body: () async throws -> Void) async throws -> Int {
    let before = database.roundTrips
    try await body()
    return database.roundTrips - before
  }

  @Test func `waits for the server as often as its chain of questions is long`() async throws {
    try await withShop { shop, database in
      let orders = [try await shop.order(of: "bob"), try await shop.order(), try await shop.order()]
      let ordering = try await roundTrips(in: database) { _ = try await shop.order() }
      #expect(ordering == Self.alone, "an order: \(ordering)")
      _ = try await shop.submit(shop.transaction("1", token: orders[0]), by: "bob")
      _ = try await shop.submit(shop.transaction("2", token: orders[1]))
      let fulfilling = try await roundTrips(in: database) {
        let answer = try await shop.submit(shop.transaction("3", token: orders[2]))
        #expect(answer.verdict == .fulfilled)
      }
      #expect(fulfilling == Self.alone, "an exact fulfilment: \(fulfilling)")
      _ = try await shop.submit(shop.transaction("2", token: orders[1]))
      let again = try await roundTrips(in: database) {
        _ = try await shop.submit(shop.transaction("3", token: orders[2]))
      }
      // Each row of a known payment leads to the next one.
      #expect(again <= Self.alone + 7, "the same again: \(again)")
      #expect(try await shop.violations().isEmpty)
    }
  }

  @Test func `waits no oftener for fifty payments of one batch than for a few`() async throws {
    try await withShop { shop, database in
      var orders: [OrderIdentifier] = []
      for number in 0..<104 { orders.append(try await shop.order(of: UserIdentifier("user-\(number / 2)"))) }
      func submit(_ range: Range<Int>) async throws -> Int {
        let evidence = range.map { shop.transaction("\(1000 + $0)", token: orders[$0]) }
        return try await roundTrips(in: database) {
          try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, text) in zip(range, evidence) {
              group.addTask {
                let answer = try await shop.submit(text, by: UserIdentifier("user-\(number / 2)"))
                #expect(answer.verdict == .fulfilled)
              }
            }
            try await group.waitForAll()
          }
        }
      }
      _ = try await submit(0..<4)
      let many = try await submit(4..<104)
      // Each alone would take three or four.
      #expect(many < 100, "\(many) round trips for 100 payments")
      #expect(try await shop.violations().isEmpty)
    }
  }
}
