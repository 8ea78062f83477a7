import Foundation
import SystemPlatform
import TestDatabases
import TestPlatform
import TestSubprocess
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

private let pgBouncer = "/usr/sbin/pgbouncer"

@Suite(
  .enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)),
  .enabled(if: FileManager.default.isExecutableFile(atPath: pgBouncer), "there is no PgBouncer here"))
struct `A pooler in transaction mode` {
  /// Whether the pooler refuses settings of a connection, or drops them.
  @Test(.timeLimit(.minutes(5)), arguments: [false, true])
  func `before PostgreSQL is named at the start, whether it refuses settings or drops them`(drops: Bool) async throws {
    let server = try await SharedPostgreSQL.shared.server()
    let port = try freePort()
    try await withFolder { folder in
      let settings = """
        [databases]
        postgres = host=127.0.0.1 port=\(server.port) dbname=postgres
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = \(port)
        auth_type = plain
        auth_file = \(folder)/users
        pool_mode = transaction
        unix_socket_dir =
        \(drops ? "ignore_startup_parameters = options" : "")

        """
      try Data(settings.utf8).write(to: URL(fileURLWithPath: folder + "/pgbouncer.ini"))
      let user = "\"\(PostgreSQLServer.user)\" \"\(PostgreSQLServer.password)\"\n"
      try Data(user.utf8).write(to: URL(fileURLWithPath: folder + "/users"))
      let program = ["pgbouncer.ini"].map { folder + "/" + $0 }
      // It refuses to run as root.
      let pooler =
        getuid() == 0
        ? try OtherProgram("/usr/bin/env", ["runuser", "-u", "nobody", "--", pgBouncer] + program)
        : try OtherProgram(pgBouncer, program)
      let isUp = try await eventually { pooler.errors.contains("process up") }
      #expect(isUp, "\(pooler.errors)")
      let url = server.address(port: Int(port))
      let table = databaseTable(server, schema: "pooled").replacing(server.address(), with: url)
      try Files.replace(
        folder + "/counterfoil.toml",
        with: Array(
          """
          profile = "simulated"
          \(table)

          [[app]]
          id = "game"
          [[app.product]]
          id = "coins.100"
          kind = "consumable"
          app_store_product_ids = ["com.example.game.coins"]
          units = { unit = "coin", amount = 100 }

          """.utf8))
      let serve = try await counterfoil("serve", in: folder)
      #expect(serve.code == 1 && serve.errors.contains("(database_pooler_between)"), "\(serve.errors)")
      #expect(serve.errors.contains("Name PostgreSQL itself"), "\(serve.errors)")
      let chinese = try await counterfoil("serve", in: folder, environment: ["LC_ALL": "zh_CN.UTF-8"])
      #expect(chinese.errors.contains("请在地址中直接指定 PostgreSQL"), "\(chinese.errors)")
      #expect(try server.run("SELECT count(*) FROM pg_namespace WHERE nspname = 'pooled'") == "0")
      pooler.kill()
    }
  }
}
