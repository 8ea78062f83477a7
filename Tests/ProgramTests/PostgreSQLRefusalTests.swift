import Foundation
import PaymentPrimitives
import StrictJSON
import SystemPlatform
import TestDatabases
import TestPlatform
import TestSubprocess
import Testing

/// A database that a server cannot start on, and what an operator reads about it.
private struct Refused: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The table `[database]`, from the address of a server that works.
  let table: @Sendable (PostgreSQLServer) -> String
  let code: String
  /// A part of the remedy, in both languages.
  let remedy: (english: String, chinese: String)

  static let all = [
    Refused(
      testDescription: "a server that is not there",
      table: { databaseTable(at: $0.address(port: 1)) }, code: "store_unavailable",
      remedy: ("Check that PostgreSQL runs there", "请检查 PostgreSQL 是否在该处运行")),
    Refused(
      testDescription: "a wrong password",
      table: { databaseTable(at: $0.address(), password: "WRONG_PASSWORD") }, code: "database_access_denied",
      remedy: ("pg_hba.conf", "请检查用户、密码、数据库名")),
    Refused(
      testDescription: "a database that does not exist",
      table: { databaseTable(at: $0.address().replacing("/postgres", with: "/nowhere")) },
      code: "database_access_denied", remedy: ("database name", "数据库名")),
    Refused(
      testDescription: "a server without TLS where TLS is asked for",
      table: { databaseTable(at: $0.address("?sslmode=verify-full")) }, code: "database_untrusted",
      remedy: ("sslrootcert", "sslrootcert")),
    Refused(
      testDescription: "a role that may not make the tables",
      table: { databaseTable(at: $0.address().replacing("counterfoil@", with: "refused_powerless@")) },
      code: "database_missing_rights", remedy: ("Let the user own the schema", "请让该用户拥有该 schema")),
    Refused(
      testDescription: "a role that can only read",
      table: { databaseTable(at: $0.address().replacing("counterfoil@", with: "refused_reading@")) },
      code: "database_read_only", remedy: ("Name the primary server", "请指定主服务器")),
    Refused(
      testDescription: "a database in another encoding",
      table: { databaseTable(at: $0.address().replacing("/postgres", with: "/refused_latin")) },
      code: "database_unsupported_server", remedy: ("encoded in UTF8", "编码须为 UTF8")),
    Refused(
      testDescription: "a server that may lose commits, where a standby is promised",
      table: { databaseTable(at: $0.address()) + "\ndurability = \"replicated\"" }, code: "database_not_durable",
      remedy: ("Change these settings of the server", "请修改服务器的这些设置")),
  ]

  /// Makes the roles and the database of these cases, once.
  static let prepared = Task {
    let server = try await SharedPostgreSQL.shared.server()
    try server.run(
      """
      CREATE ROLE refused_powerless LOGIN PASSWORD '\(PostgreSQLServer.password)';
      CREATE ROLE refused_reading LOGIN PASSWORD '\(PostgreSQLServer.password)';
      ALTER ROLE refused_reading SET default_transaction_read_only = on
      """)
    try server.run("CREATE DATABASE refused_latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    return server
  }
}

/// A table of a configuration in which the schema is one that no test has.
private func databaseTable(at url: String, password: String = "TEST_DATABASE_PASSWORD") -> String {
  """
  [database]
  url = "\(url)"
  password = { environment = "\(password)" }
  schema = "refused"
  """
}

@Suite(.enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)))
struct `A start over PostgreSQL, and the doctor,` {
  private static let variables = ["WRONG_PASSWORD": "sesame"]
  private static let chinese = ["WRONG_PASSWORD": "sesame", "LC_ALL": "zh_CN.UTF-8"]

  private static func write(_ table: String, in folder: String) throws {
    try Files.replace(
      folder + "/counterfoil.toml",
      with: Array(
        """
        profile = "simulated"
        port = \(try freePort())
        \(table)

        [[app]]
        id = "game"
        [[app.product]]
        id = "coins.100"
        kind = "consumable"
        app_store_product_ids = ["com.example.game.coins"]
        units = { unit = "coin", amount = 100 }

        """.utf8))
  }

  /// What the doctor says about the database.
  private static func finding(_ check: String, _ run: ProgramRun) -> JSONValue? {
    run.output.split(separator: "\n").compactMap { try? JSONReader.read($0.utf8) }
      .first { $0["check"]?.string == check && $0["outcome"]?.string == "failed" }
  }

  @Test(.timeLimit(.minutes(5)), arguments: Refused.all)
  fileprivate func `name the cause by its code and say what to do, in both languages, and make nothing`(
    _ refused: Refused
  ) async throws {
    let server = try await Refused.prepared.value
    try await withFolder { folder in
      try Self.write(refused.table(server), in: folder)
      let english = try await counterfoil("serve", in: folder, environment: Self.variables)
      #expect(english.code == 1 && english.output.isEmpty)
      #expect(english.errors.contains("(\(refused.code))"), "\(english.errors)")
      #expect(english.errors.contains(refused.remedy.english), "\(english.errors)")
      #expect(!english.errors.contains("sesame") && !english.errors.contains(PostgreSQLServer.password))
      let chinese = try await counterfoil("serve", in: folder, environment: Self.chinese)
      #expect(chinese.code == 1 && chinese.errors.contains(refused.remedy.chinese), "\(chinese.errors)")
      let doctor = try await counterfoil("doctor", "--json", in: folder, environment: Self.variables)
      let checks = ["database.server", "database.rights", "database.durability"]
      let finding = checks.compactMap { Self.finding($0, doctor) }.first
      #expect(doctor.code == 1 && finding?["remedy"]?.string != nil, "\(doctor.output) \(doctor.errors)")
      #expect(try server.run("SELECT count(*) FROM pg_namespace WHERE nspname = 'refused'") == "0")
    }
  }

  @Test(
    .timeLimit(.minutes(5)),
    arguments: [
      ("mysql://user@host/shop", "configuration_malformed"),
      ("postgresql://user:sesame@host/shop", "configuration_secret_inline"),
      ("postgresql://user@host", "configuration_malformed"), ("postgresql:///shop", "configuration_malformed"),
    ])
  func `refuse an address that cannot be used, and never repeat a password in it`(
    url: String, code: String
  ) async throws {
    try await withFolder { folder in
      try Self.write(databaseTable(at: url), in: folder)
      for run in [try await counterfoil("serve", in: folder), try await counterfoil("doctor", in: folder)] {
        #expect(run.code == 2 && run.errors.contains(code), "\(run.errors)")
        #expect(run.errors.contains("counterfoil.toml:4:"), "\(run.errors)")
        #expect(!run.errors.contains("sesame"))
      }
      let flag = try await counterfoil("serve", "--database", url, in: folder)
      #expect(flag.code == 2 && flag.errors.contains("--database") && flag.errors.contains(code), "\(flag.errors)")
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `refuse a server that is older than version 15`() async throws {
    let old = try OldPostgreSQL()
    defer { old.end() }
    try await withFolder { folder in
      try Self.write(databaseTable(at: "postgresql://counterfoil@127.0.0.1:\(old.port)/shop"), in: folder)
      let english = try await counterfoil("serve", in: folder)
      #expect(english.code == 1 && english.errors.contains("(database_unsupported_server)"), "\(english.errors)")
      #expect(english.errors.contains("is 14.9") && english.errors.contains("PostgreSQL 15 or later"))
      let chinese = try await counterfoil("serve", in: folder, environment: ["LC_ALL": "zh_CN.UTF-8"])
      #expect(chinese.errors.contains("请使用 PostgreSQL 15 或更高版本"))
      let doctor = try await counterfoil("doctor", "--json", in: folder)
      let words = Self.finding("database.server", doctor)?["cause"]?.string ?? ""
      #expect(doctor.code == 1 && words.contains("database_unsupported_server"), "\(doctor.output)")
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `trust a server by its authority and its name alone, and take a password by SCRAM`() async throws {
    try await withFolder { folder in
      for (name, host) in [("right", "127.0.0.1"), ("elsewhere", "127.0.0.2"), ("other", "127.0.0.1")] {
        try await OtherProgram.run(
          "/usr/bin/env",
          [
            "openssl", "req", "-x509", "-subj", "/CN=\(name)", "-days", "2", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:P-256", "-nodes", "-addext", "subjectAltName=IP:\(host)", "-keyout",
            "\(folder)/\(name)-key.pem", "-out", "\(folder)/\(name).pem",
          ])
      }
      for (name, trusted, code) in [
        ("right", "right", nil), ("right", "other", "database_untrusted"),
        ("elsewhere", "elsewhere", "database_untrusted"),
      ] as [(String, String, String?)] {
        let server = try await PostgreSQLServer(certificate: folder + "/\(name).pem", key: folder + "/\(name)-key.pem")
        let url = server.address("?sslmode=verify-full&sslrootcert=\(folder)/\(trusted).pem")
        try Self.write(databaseTable(at: url), in: folder)
        let run = try await counterfoil("migrate", "--apply", in: folder)
        if let code {
          #expect(run.code == 2 && run.errors.contains("(\(code))"), "\(run.errors)")
          #expect(try server.run("SELECT count(*) FROM pg_namespace WHERE nspname = 'refused'") == "0")
        } else {
          #expect(run.code == 0, "\(run.errors)")
          let kinds = try server.run(
            "SELECT rolpassword LIKE 'SCRAM-SHA-256$%' FROM pg_authid WHERE rolname = current_user")
          #expect(kinds == "t")
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `find the durability that is stated where each commit is flushed and waits for a standby`() async throws {
    let server = try await PostgreSQLServer(options: "-c fsync=on -c synchronous_standby_names=elsewhere")
    try await withFolder { folder in
      let table = databaseTable(at: server.address()) + "\ndurability = \"replicated\""
      try Self.write(table, in: folder)
      let doctor = try await counterfoil("doctor", "--json", in: folder)
      #expect(doctor.output.contains(#""check":"database.durability","outcome":"passed""#), "\(doctor.output)")
    }
  }
}
