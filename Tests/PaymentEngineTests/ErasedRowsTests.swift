import Foundation
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PostgreSQLDatabase
import SQLiteDatabase
import ShopFixtures
import TestDatabases
import Testing
import WeChatPayIntegration

/// Which tables have a text in any of their rows, in whatever column.
private typealias TablesContaining = (_ text: String) throws -> [String]

@Suite struct `A user who was erased is in no row of any table` {
  /// Whom and what nobody may find. What WeChat Pay signed stays until its time is over (record 319).
  private static let personal = ErasedUserStory.personal + ErasedUserStory.personalAtWeChat
  private static let signed = ["evidence", "notifications"]

  private static func check(_ story: ErasedUserStory, _ tables: TablesContaining) async throws {
    let shop = story.shop
    try await story.use()
    for text in personal { #expect(try tables(text) != [], "\(text) is nowhere before the erasure") }
    #expect(try tables(ErasedUserStory.openid) == signed + ["wechat_pay_orders"])
    _ = try await shop.engine.eraseUser(ErasedUserStory.user, of: shop.app)
    try expectNobody(tables)
    // WeChat Pay tells of complaints for a month, with all that was written.
    story.clock.advance(by: .hours(4))
    try await shop.engine.learnComplaints(of: shop.app)
    try expectNobody(tables)
    #expect(try tables(ErasedUserStory.openid) == signed)
    story.clock.advance(by: .days(3650))
    try await shop.engine.shortenOldRows()
    #expect(try tables(ErasedUserStory.openid) == [])
    try expectNobody(tables)
    #expect(try await shop.engine.auditInvariants(atRest: false).violations == [])
  }

  private static func expectNobody(_ tables: TablesContaining) throws {
    for text in personal { #expect(try tables(text) == [], "\(text)") }
  }

  @Test func `of SQLite`() async throws {
    try await withDirectory { directory in
      let path = directory.appendingPathComponent("shop.sqlite").path
      let clock = TestClock()
      clock.set(EngineFixture.noon)
      let database = try await openSQLite(at: path, clock: clock)
      let columns = try runSQL(
        """
        SELECT m.name, p.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS p
        WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'
        """, on: path
      ).split(separator: "\n").map { $0.split(separator: "|").map(String.init) }
      let tables = Dictionary(grouping: columns) { $0[0] }.mapValues { $0.map { $0[1] } }
      #expect(tables.count > 40)
      do {
        try await Self.check(try await ErasedUserStory.open(over: database, at: clock)) { text in
          let sought = tables.sorted { $0.key < $1.key }.map { table, columns in
            let conditions = columns.map { "instr(CAST(\"\($0)\" AS TEXT), '\(text)') > 0" }
            return
              "SELECT '\(table)' WHERE EXISTS (SELECT 1 FROM \(table) WHERE \(conditions.joined(separator: " OR ")))"
          }
          return try runSQL(sought.joined(separator: " UNION ALL "), on: path).split(separator: "\n").map(String.init)
        }
      } catch {
        await database.close()
        throw error
      }
      await database.close()
    }
  }

  @Test(.enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)))
  func `of PostgreSQL`() async throws {
    let server = try await SharedPostgreSQL.shared.server()
    let schema = await SharedPostgreSQL.shared.newSchema()
    let clock = TestClock()
    clock.set(EngineFixture.noon)
    let database = try await openPostgreSQL(postgreSQLSettings(server, schema: schema), clock: clock)
    do {
      let tables = try server.run(
        "SELECT tablename FROM pg_tables WHERE schemaname = '\(schema)' ORDER BY tablename COLLATE \"C\""
      ).split(separator: "\n").map(String.init)
      #expect(tables.count > 40)
      try await Self.check(try await ErasedUserStory.open(over: database, at: clock)) { text in
        // Columns of bytes are written in hexadecimal digits.
        let bytes = Array(text.utf8).hexadecimal
        let sought = tables.map { table in
          """
          SELECT '\(table)' WHERE EXISTS (
            SELECT 1 FROM \(schema).\(table) AS t
            WHERE strpos(t::text, '\(text)') > 0 OR strpos(t::text, '\(bytes)') > 0)
          """
        }
        return try server.run(sought.joined(separator: " UNION ALL ")).split(separator: "\n").map(String.init)
      }
    } catch {
      await database.close()
      throw error
    }
    await database.close()
    try server.run("DROP SCHEMA \(schema) CASCADE")
  }
}
