import Foundation
import PaymentPrimitives
import StrictJSON
import SystemPlatform
import TestDatabases
import TestPlatform
import TestTier
import Testing

/// The variables with which libpq finds the password of the tests' server.
private let password = ["PGPASSWORD": PostgreSQLServer.password]

@Suite(.enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)))
struct `A copy from a file to PostgreSQL` {
  /// A database of its own on the shared server.
  private static func url(_ name: String) async throws -> String {
    let server = try await SharedPostgreSQL.shared.server()
    try server.run("CREATE DATABASE \(name)")
    return server.address().replacing("/postgres", with: "/\(name)")
  }

  private static func copy(_ arguments: String..., in folder: String) async throws -> ProgramRun {
    try await counterfoil(["copy"] + arguments, in: folder, environment: password)
  }

  /// Runs the ready-made shop until its first purchases at both stores are told.
  private static func sellOnce(_ arguments: [String], in folder: String) async throws -> ProgramProcess {
    let process = try ProgramProcess(
      ["run", "--data", "shop", "--port", "0", "--first-purchase"] + arguments, in: folder, environment: password)
    let isDone = try await eventually {
      process.status != nil || process.output.contains("Three things to try")
    }
    guard isDone, process.status == nil else { throw ShopError("\(process.output) \(process.errors)") }
    process.signal(SIGTERM)
    #expect(try await process.end() == 0)
    return process
  }

  @Test(.timeLimit(.minutes(5)))
  func `refuses a file that a server holds, a schema with tables, and an address that is none`() async throws {
    try await withPostgreSQLShop { shop, server, schema in
      // The shop's own schema has tables.
      let taken = try await counterfoil("copy", "--from", "other.db", in: shop.folder, environment: password)
      #expect(taken.code == 2 && taken.errors.contains("other.db"), "\(taken.errors)")
      let none = try await counterfoil("copy", "--from", "counterfoil.db", "--to", "mysql://h/d", in: shop.folder)
      #expect(none.code == 2 && none.errors.contains("database_invalid_address"), "\(none.errors)")
      try await withShop { other in
        try await other.start()
        let held = try await counterfoil(
          "copy", "--to", server.address(), "--schema", "never_made", in: other.folder, environment: password)
        #expect(held.code == 1 && held.errors.contains("store_held_by_another_process"), "\(held.errors)")
        #expect(try await other.stop() == 0)
        let full = try await counterfoil(
          "copy", "--to", server.address(), "--schema", schema, in: other.folder, environment: password)
        #expect(full.code == 1 && full.errors.contains("has tables already"), "\(full.errors)")
        // Nothing was marked: the file still serves.
        try await other.start()
        #expect(try await other.stop() == 0)
      }
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `lets no server start where rows are still on their way`() async throws {
    try await withPostgreSQLShop { shop, server, schema in
      try server.run("DROP SCHEMA \(schema) CASCADE; CREATE SCHEMA \(schema)_loading")
      let serve = try await counterfoil("serve", in: shop.folder)
      #expect(serve.code == 1 && serve.errors.contains("(database_copy_unfinished)"), "\(serve.errors)")
      let chinese = try await counterfoil("serve", in: shop.folder, environment: ["LC_ALL": "zh_CN.UTF-8"])
      #expect(chinese.errors.contains("请再次运行相同的"), "\(chinese.errors)")
      try server.run("DROP SCHEMA \(schema)_loading")
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `refuses rows that break a rule of money, names it, and lets the file serve on`() async throws {
    let url = try await Self.url("never_copied")
    try await withShop { shop in
      try await shop.start()
      _ = try await Self.sell(to: "ann", shop)
      #expect(try await shop.stop() == 0)
      _ = try runSQL("UPDATE balances SET amount = amount + 1", on: shop.database)
      let copy = try await Self.copy("--to", url, in: shop.folder)
      #expect(copy.code == 1 && copy.errors.contains("rules of money are broken"), "\(copy.errors)")
      #expect(copy.errors.contains("BROKEN"), "\(copy.errors)")
      _ = try runSQL("UPDATE balances SET amount = amount - 1", on: shop.database)
      try await shop.start()
      #expect(try await shop.stop() == 0)
      let again = try await Self.copy("--to", url, in: shop.folder)
      #expect(again.code == 0, "\(again.errors)")
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `moves the purchases of both stores; the copy serves on, and the file never again`() async throws {
    let url = try await Self.url("copied_shop")
    try await withFolder { folder in
      _ = try await Self.sellOnce([], in: folder)
      let before = try await counterfoil("audit", "--json", "--data", "shop", in: folder)
      #expect(before.code == 0 && before.output.contains(#""fulfilled":2"#), "\(before.output)")
      let copy = try await Self.copy("--data", "shop", "--to", url, "--json", in: folder)
      #expect(copy.code == 0, "\(copy.errors)")
      let tables = try JSONReader.read(copy.output.utf8)["tables"]?.array ?? []
      #expect(tables.first { $0["name"]?.string == "payments" }?["rows"]?.integer == 2)

      let after = try await counterfoil(
        "audit", "--json", "--data", "shop", "--database", url, in: folder, environment: password)
      #expect(after.code == 0 && after.output == before.output, "\(after.output) \(after.errors)")
      let again = try await Self.copy("--data", "shop", "--to", url, in: folder)
      #expect(again.code == 0 && again.output.contains("already"), "\(again.output) \(again.errors)")
      let old = try await counterfoil("run", "--data", "shop", "--port", "0", in: folder)
      #expect(old.code == 1 && old.errors.contains("(store_moved)") && old.errors.contains(url), "\(old.errors)")
      let read = try await counterfoil("audit", "--data", "shop", in: folder)
      #expect(read.code == 0, "the file can still be read: \(read.errors)")

      let more = try await Self.sellOnce(["--database", url], in: folder)
      #expect(more.output.contains("alice has 200") && more.output.contains("bob has 200"), "\(more.output)")
      let last = try await counterfoil(
        "audit", "--idle", "--json", "--data", "shop", "--database", url, in: folder, environment: password)
      #expect(last.code == 0 && last.output.contains(#""fulfilled":4"#), "\(last.output) \(last.errors)")
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `goes on with open orders, balances and unfinished deliveries, and tells nothing twice`() async throws {
    let url = try await Self.url("copied_deliveries")
    try await withShop(apps: [ShopApp(id: "game", webhook: try freePort())]) { shop in
      try await shop.start()
      let told = try await Self.sell(to: "ann", shop)
      let receiver = try WebhookReceiver(port: shop.apps[0].webhook ?? 0, secret: shop.webhookSecret)
      let isTold = try await eventually {
        let order = try await shop.ask("GET", "/v1/orders/\(told)?userId=ann").json
        return order["delivery"]?.text.contains("acknowledged") == true
      }
      #expect(isTold)
      receiver.stop()
      let untold = try await Self.sell(to: "bob", shop)
      let open = try await shop.placeOrder(of: "cleo")
      #expect(try await shop.stop() == 0)

      let copy = try await Self.copy("--to", url, in: shop.folder)
      #expect(copy.code == 0, "\(copy.errors)")
      let text = String(decoding: try Files.read(shop.configuration, bytesMax: 1 << 20), as: UTF8.self)
      let server = try await SharedPostgreSQL.shared.server()
      let table = databaseTable(server, schema: "counterfoil").replacing(server.address(), with: url)
      let moved = text.replacing(#"database = "counterfoil.db""#, with: table)
      try Files.replace(shop.configuration, with: Array(moved.utf8))

      let second = try WebhookReceiver(port: shop.apps[0].webhook ?? 0, secret: shop.webhookSecret)
      defer { second.stop() }
      try await shop.start()
      let arrives = try await eventually { !second.attempts.isEmpty }
      #expect(arrives)
      _ = try await shop.buy(order: open, account: "cleo")
      let paid = try await shop.ask("GET", "/v1/orders/\(open)?userId=cleo&wait=20")
      #expect(paid.json["state"]?.string == "paid", "\(paid.json.text)")
      let areBothTold = try await eventually { second.attempts.count == 2 }
      #expect(areBothTold)
      let orders = second.attempts.compactMap { $0.json["orderId"]?.string }
      #expect(Set(orders) == [untold, open] && orders.count == 2 && !orders.contains(told))
      for user in ["ann", "bob", "cleo"] {
        let balance = try await shop.ask("GET", "/v1/balances?userId=\(user)")
        #expect(balance.json["balances"]?.array?.first?["amount"]?.integer == 100, "\(balance.json.text)")
      }
      #expect(try await shop.stop() == 0)
    }
  }

  private static func sell(to user: String, _ shop: Shop) async throws -> String {
    let order = try await shop.placeOrder(of: user)
    _ = try await shop.buy(order: order, account: user)
    let paid = try await shop.ask("GET", "/v1/orders/\(order)?userId=\(user)&wait=20")
    #expect(paid.json["state"]?.string == "paid", "\(paid.json.text)")
    return order
  }

  @Test(.timeLimit(.minutes(10)))
  func `is complete after kills in its middle, whichever step they hit`() async throws {
    let url = try await Self.url("copied_by_parts")
    let kills = Tier.among(test: 5, check: 25, night: 60)
    try await withShop { shop in
      try await shop.start()
      for number in 0..<60 { _ = try await shop.placeOrder(of: "user-\(number)") }
      _ = try await Self.sell(to: "ann", shop)
      #expect(try await shop.stop() == 0)
      var interrupted = 0
      for kill in 0..<kills {
        let pause = 0.01 + 0.6 * Double(kill) / Double(kills)
        if try await interruptedCopy(to: url, in: shop.folder, after: pause) { interrupted += 1 }
      }
      #expect(interrupted > 0)
      let copy = try await Self.copy("--to", url, in: shop.folder)
      #expect(copy.code == 0, "\(copy.errors)")
      let audit = try await counterfoil("audit", "--json", "--database", url, in: shop.folder, environment: password)
      #expect(audit.code == 0 && audit.output.contains(#""orders":61"#), "\(audit.output) \(audit.errors)")
    }
  }

  /// Starts a copy and kills it after so many seconds, on a thread of its own: where all tests wait for a thread, the
  /// copy would end before it is killed.
  ///
  /// - Returns: whether it was killed before its end.
  private func interruptedCopy(to url: String, in folder: String, after seconds: Double) async throws -> Bool {
    let environment = password
    return try await blocking {
      Result {
        let process = try ProgramProcess(["copy", "--to", url], in: folder, environment: environment)
        Thread.sleep(forTimeInterval: seconds)
        defer { process.kill() }
        return process.status == nil
      }
    }.get()
  }
}
