import Foundation
import PaymentPrimitives
import StrictJSON
import SystemPlatform
import TestDatabases
import TestPlatform
import Testing

@Suite(.enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)))
struct `Commands over PostgreSQL` {
  /// A schema that a shop's configuration names, and that nobody has made.
  private func withFreshSchema(
    _ body: @escaping @Sendable (_ folder: String, _ server: PostgreSQLServer, _ schema: String) async throws -> Void
  ) async throws {
    let server = try await SharedPostgreSQL.shared.server()
    let schema = await SharedPostgreSQL.shared.newSchema()
    try await withFolder { folder in
      try Files.replace(
        folder + "/counterfoil.toml",
        with: Array(
          """
          profile = "simulated"
          port = \(try freePort())
          \(databaseTable(server, schema: schema))

          [[app]]
          id = "game"
          bundle_id = "com.example.game"
          [[app.product]]
          id = "coins.100"
          kind = "consumable"
          app_store_product_ids = ["com.example.game.coins"]
          units = { unit = "coin", amount = 100 }

          """.utf8))
      try await body(folder, server, schema)
    }
    try server.run("DROP SCHEMA IF EXISTS \(schema) CASCADE")
  }

  @Test(.timeLimit(.minutes(5)))
  func `migrate shows the steps first, takes them with --apply, and has nothing to do then`() async throws {
    try await withFreshSchema { folder, server, schema in
      let shown = try await counterfoil("migrate", "--json", in: folder)
      let steps = try JSONReader.read(shown.output.utf8)["steps"]?.array?.count
      #expect(shown.code == 1 && steps == 15, "\(shown.output) \(shown.errors)")
      #expect(try server.run("SELECT count(*) FROM pg_namespace WHERE nspname = '\(schema)'") == "0")
      let taken = try await counterfoil("migrate", "--apply", in: folder)
      #expect(taken.code == 0, "\(taken.errors)")
      let again = try await counterfoil("migrate", in: folder)
      #expect(again.code == 0 && again.output.contains("of this version"), "\(again.output) \(again.errors)")
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `a role with the grants that schema prints serves, and cannot alter a table`() async throws {
    try await withFreshSchema { folder, server, schema in
      let taken = try await counterfoil("migrate", "--apply", in: folder)
      #expect(taken.code == 0, "\(taken.errors)")
      let printed = try await counterfoil(
        "schema", "--database", server.address(), "--role", "granted_server", in: folder)
      #expect(printed.code == 0 && printed.output.contains("CREATE TABLE orders ("))
      let grants = printed.output.split(separator: "\n").filter {
        $0.hasPrefix("GRANT") || $0.hasPrefix("ALTER DEFAULT")
      }.joined(separator: "\n").replacing("counterfoil ", with: schema + " ")
      try server.run("CREATE ROLE granted_server LOGIN PASSWORD '\(PostgreSQLServer.password)'; \(grants)")
      let path = folder + "/counterfoil.toml"
      let text = String(decoding: try Files.read(path, bytesMax: 1 << 16), as: UTF8.self)
      try Files.replace(path, with: Array(text.replacing("counterfoil@", with: "granted_server@").utf8))
      let made = try await counterfoil("keys", "create", "--kind", "secret", "--label", "tests", in: folder)
      #expect(made.code == 0, "\(made.errors)")
      let doctor = try await counterfoil("doctor", "--json", in: folder)
      #expect(doctor.output.contains(#""check":"database.rights","outcome":"passed""#), "\(doctor.output)")
      try server.run(
        "REVOKE INSERT ON \(schema).journal FROM granted_server; "
          + "REVOKE USAGE ON SEQUENCE \(schema).payment_keys_id_seq FROM granted_server")
      let less = try await counterfoil("doctor", "--json", in: folder)
      #expect(
        less.code == 1 && less.output.contains("may not read and write: journal, payment_keys_id_seq"),
        "\(less.output)")
      try server.run("DROP OWNED BY granted_server; DROP ROLE granted_server")
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `keys work beside the running server, and lists read without a file that leads to it`() async throws {
    try await withPostgreSQLShop { shop, _, _ in
      try await shop.start()
      let order = try await shop.placeOrder(of: "ann")
      let made = try await counterfoil(
        "keys", "create", "--kind", "secret", "--label", "second", "--json", in: shop.folder)
      let key = try JSONReader.read(made.output.utf8)
      let seen = try await shop.call(
        "GET", "/v1/orders/\(order)?userId=ann", body: nil, credential: key["key"]?.string ?? "")
      #expect(seen.status == 200, "\(seen.json.text)")
      let revoked = try await counterfoil("keys", "revoke", key["id"]?.string ?? "", in: shop.folder)
      #expect(revoked.code == 0, "\(revoked.errors)")
      // The server remembers a key for five seconds.
      let isRefused = try await eventually {
        try await shop.call(
          "GET", "/v1/orders/\(order)?userId=ann", body: nil, credential: key["key"]?.string ?? ""
        ).status == 401
      }
      #expect(isRefused)
      for command in [
        ["orders", order], ["keys", "list"], ["notifications", "forwarded"], ["observe", "report"],
        ["config", "check"],
      ] {
        let run = try await counterfoil(command, in: shop.folder)
        #expect(run.code == 0, "\(command): \(run.errors)")
      }
      let search = try await counterfoil("search", order, in: shop.folder)
      #expect(search.code == 1 && search.errors.contains("Name one with --server"), "\(search.errors)")
      #expect(try await shop.stop() == 0)
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `import lists deliveries of an earlier system, and backup says what to use instead`() async throws {
    try await withFreshSchema { folder, server, schema in
      try Files.replace(folder + "/delivered.csv", with: Array("transaction_id\n1001\n1002\n".utf8))
      let made = try await counterfoil("migrate", "--apply", in: folder)
      #expect(made.code == 0, "\(made.errors)")
      // Another process imports: its lease ends in a moment.
      try server.run(
        """
        INSERT INTO \(schema).settings VALUES ('lease.import/game',
          '1 99 ' || (extract(epoch FROM clock_timestamp()) * 1000 + 25000)::bigint)
        """)
      let second = try await counterfoil("import", "--delivered", "delivered.csv", in: folder)
      #expect(second.code == 1 && second.errors.contains("Another import"), "\(second.output) \(second.errors)")
      try server.run("DELETE FROM \(schema).settings WHERE name = 'lease.import/game'")
      let imported = try await counterfoil("import", "--delivered", "delivered.csv", "--json", in: folder)
      #expect(imported.code == 0, "\(imported.output) \(imported.errors)")
      let again = try await counterfoil("import", "--delivered", "delivered.csv", "--dry-run", "--json", in: folder)
      #expect(again.code == 0 && again.output.contains(#""known":2"#), "\(again.output) \(again.errors)")
      let backup = try await counterfoil("backup", "--to", "backups", in: folder)
      #expect(backup.code == 2 && backup.errors.contains("pg_basebackup"), "\(backup.errors)")
      let chinese = try await counterfoil(
        "backup", "--to", "backups", in: folder, environment: ["LC_ALL": "zh_CN.UTF-8"])
      #expect(chinese.errors.contains("WAL 归档"), "\(chinese.errors)")
    }
  }
}
