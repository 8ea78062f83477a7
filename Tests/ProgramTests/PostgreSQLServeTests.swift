import AppStoreSimulator
import Foundation
import HTTPClient
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import TestDatabases
import TestPlatform
import Testing

/// The variables with which libpq finds the password of the tests' server.
private let password = ["PGPASSWORD": PostgreSQLServer.password]

@Suite(.enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)))
struct `A server over PostgreSQL` {
  @Test(.timeLimit(.minutes(5)))
  func `grants a purchase, keeps it over a restart and a reload, and ends with 0 at SIGTERM`() async throws {
    try await withPostgreSQLShop { shop, _ in
      try await shop.start()
      let order = try await shop.placeOrder(of: "ann")
      _ = try await shop.buy(order: order, account: "ann")
      let paid = try await shop.ask("GET", "/v1/orders/\(order)?userId=ann&wait=20")
      #expect(paid.json["state"]?.string == "paid", "\(paid.json.text)")
      shop.process?.signal(SIGHUP)
      let isReloaded = try await eventually { shop.process?.errors.contains("configuration.reloaded") == true }
      #expect(isReloaded)
      #expect(try await shop.stop() == 0)

      try await shop.start()
      let kept = try await shop.ask("GET", "/v1/orders/\(order)?userId=ann")
      #expect(kept.json["state"]?.string == "paid", "\(kept.json.text)")
      let balance = try await shop.ask("GET", "/v1/balances?userId=ann")
      #expect(balance.json.text.contains("100"), "\(balance.json.text)")
      // Commands work beside the server, without a file that leads to it.
      let orders = try await counterfoil("orders", "--json", in: shop.folder)
      #expect(orders.output.contains(order), "\(orders.errors)")
      let audit = try await counterfoil("audit", "--json", in: shop.folder)
      #expect(audit.code == 0 && audit.output.contains(#""fulfilled":1"#), "\(audit.output) \(audit.errors)")
      #expect(!FileManager.default.fileExists(atPath: shop.database))
      #expect(try await shop.stop() == 0)
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `sells through both simulated stores, with the database that a flag names`() async throws {
    let server = try await SharedPostgreSQL.shared.server()
    try server.run("CREATE DATABASE both_stores")
    let url = "postgresql://\(PostgreSQLServer.user)@127.0.0.1:\(server.port)/both_stores"
    try await withFolder { folder in
      let process = try ProgramProcess(
        ["run", "--data", "shop", "--port", "0", "--first-purchase", "--database", url], in: folder,
        environment: password)
      let isDone = try await eventually { process.output.contains("Three things to try") }
      #expect(isDone, "\(process.output) \(process.errors)")
      process.signal(SIGTERM)
      #expect(try await process.end() == 0)
      let audit = try await counterfoil(
        "audit", "--json", "--data", "shop", "--database", url, in: folder, environment: password)
      #expect(audit.code == 0 && audit.output.contains(#""fulfilled":2"#), "\(audit.output) \(audit.errors)")
    }
  }
}
