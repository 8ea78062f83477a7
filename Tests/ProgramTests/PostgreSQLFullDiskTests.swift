import Foundation
import StrictJSON
import TestDatabases
import TestPlatform
import Testing

@Suite(
  .enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)),
  .enabled(if: SmallDisk.isPossible, "no small disk can be mounted here: that takes root"))
struct `A server whose PostgreSQL has a full disk` {
  @Test(.timeLimit(.minutes(5)))
  func `takes no order that it cannot keep, loses none that it took, and goes on when there is room`() async throws {
    let disk = try SmallDisk()
    try await withPostgreSQLShop { shop, server, schema in
      // The tables are on the small disk, the WAL is not.
      try server.run("CREATE TABLESPACE small LOCATION '\(try disk.tableFolder())'")
      for table in try server.run("SELECT tablename FROM pg_tables WHERE schemaname = '\(schema)'").split(
        separator: "\n")
      {
        try server.run("ALTER TABLE \(schema).\(table) SET TABLESPACE small")
      }
      try await shop.start()
      let first = try await shop.placeOrder(of: "ann")
      try disk.fill(true)
      var kept = [first]
      var refusals: [JSONValue] = []
      for number in 0..<400 where refusals.isEmpty {
        let answer = try await shop.ask(
          "POST", "/v1/orders",
          body: .members([
            ("productId", "coins.100"), ("store", "appStore"), ("userId", .string("user-\(number)")),
            ("metadata", .members([("filling", .string(String(repeating: "x", count: 1500)))])),
          ]))
        if let id = answer.json["id"]?.string { kept.append(id) } else { refusals.append(answer.json) }
      }
      #expect(refusals.first?["code"]?.string == "database_unavailable", "\(refusals)")
      #expect(refusals.first?.text.contains("disk is full") == true, "\(refusals)")
      // Writes that need no room may succeed, so `/readyz` says it only for moments. The log has it.
      #expect(shop.process?.errors.contains("store_full") == true, "\(shop.process?.errors ?? "")")

      try disk.fill(false)
      let goesOn = try await eventually {
        let answer = try await shop.ask(
          "POST", "/v1/orders", body: .members([("productId", "coins.100"), ("store", "appStore"), ("userId", "zoe")]))
        return answer.status == 201
      }
      #expect(goesOn)
      #expect(try await shop.stop() == 0)
      let audit = try await counterfoil("audit", "--json", in: shop.folder)
      #expect(
        audit.code == 0 && audit.output.contains("\"orders\":\(kept.count + 1)"), "\(audit.output) \(audit.errors)")
      try server.run("DROP SCHEMA \(schema) CASCADE")
      try server.run("DROP TABLESPACE small")
    }
  }
}
