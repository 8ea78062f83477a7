import Foundation
import PaymentDatabase
import PaymentPrimitives
import PostgreSQLDatabase
import TestDatabases
import Testing

@Suite(.enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)))
struct `Opening a PostgreSQL database` {
  /// A word that must never be printed.
  private static let secret = "hunter2"

  @Test(arguments: [
    "sqlite:shop.db", "postgresql://shop@db/", "postgresql://shop:\(secret)@db/shop",
    "postgresql://shop@db/shop?password=\(secret)", "postgresql://shop@db/shop?\(secret)=1",
    "postgresql://shop@db:%zz\(secret)/shop", "postgresql:///shop?user=shop&host=a,b&port=1,2,3",
    "postgresql://shop@db/shop?options=-c%20\(secret)", "postgresql:///shop",
  ])
  func `refuses an address that it cannot use, and never repeats it`(address: String) async throws {
    let server = try await SharedPostgreSQL.shared.server()
    var settings = postgreSQLSettings(server, schema: "unused")
    settings.address = address
    let error = try await refusal(settings)
    #expect(error.code == .invalidAddress)
    #expect(!"\(error) \(error.details)".contains(Self.secret))
  }

  @Test func `refuses a schema with another name than a plain word`() async throws {
    let server = try await SharedPostgreSQL.shared.server()
    for schema in ["", "Shop", "a-b", "a\"b", "1a", String(repeating: "a", count: 64)] {
      #expect(try await refusal(postgreSQLSettings(server, schema: schema)).code == .invalidAddress)
    }
  }

  @Test func `says that the password is wrong, and shows neither`() async throws {
    let server = try await SharedPostgreSQL.shared.server()
    for password in [Self.secret, nil] {
      var settings = postgreSQLSettings(server, schema: "unused")
      settings.password = password
      let error = try await refusal(settings)
      #expect(error.code == .accessDenied)
      #expect(!"\(error) \(error.details)".contains(Self.secret))
    }
  }

  @Test func `says that there is no such database`() async throws {
    let server = try await SharedPostgreSQL.shared.server()
    var settings = postgreSQLSettings(server, schema: "unused")
    settings.address = settings.address.replacingOccurrences(of: "/postgres", with: "/nowhere")
    #expect(try await refusal(settings).code == .accessDenied)
  }

  @Test func `says that no server answers there`() async throws {
    let server = try await SharedPostgreSQL.shared.server()
    var settings = postgreSQLSettings(server, schema: "unused")
    settings.address = server.address(port: 1)
    let error = try await refusal(settings)
    #expect(error.code == .unavailable)
    #expect(error.details.contains("127.0.0.1:1"))
  }

  @Test func `says that a server without TLS is not trusted, if TLS is asked for`() async throws {
    let server = try await SharedPostgreSQL.shared.server()
    var settings = postgreSQLSettings(server, schema: "unused")
    settings.address = server.address("?sslmode=verify-full")
    #expect(try await refusal(settings).code == .untrusted)
  }

  @Test func `takes the next server that is named, if the first does not answer`() async throws {
    let server = try await SharedPostgreSQL.shared.server()
    try await withPostgreSQL(change: {
      $0.address = server.address().replacingOccurrences(
        of: "127.0.0.1:\(server.port)", with: "127.0.0.1:1,127.0.0.1:\(server.port)")
    }) { database, _, _ async throws in
      #expect(try await database.read { try $0.setting(DatabaseSetting.profile) } == "simulated")
    }
  }

  @Test func `refuses a role that can only read`() async throws {
    let server = try await SharedPostgreSQL.shared.server()
    try server.run(
      """
      CREATE ROLE reading LOGIN PASSWORD '\(PostgreSQLServer.password)';
      ALTER ROLE reading SET default_transaction_read_only = on
      """)
    var settings = postgreSQLSettings(server, schema: "unused")
    settings.address = settings.address.replacingOccurrences(of: "counterfoil@", with: "reading@")
    #expect(try await refusal(settings).code == .readOnly)
  }

  @Test func `refuses a role that may not make the schema, and leaves nothing`() async throws {
    let server = try await SharedPostgreSQL.shared.server()
    try server.run("CREATE ROLE powerless LOGIN PASSWORD '\(PostgreSQLServer.password)'")
    var settings = postgreSQLSettings(server, schema: "forbidden")
    settings.address = settings.address.replacingOccurrences(of: "counterfoil@", with: "powerless@")
    #expect(try await refusal(settings).code == .missingRights)
    #expect(try server.run("SELECT count(*) FROM pg_namespace WHERE nspname = 'forbidden'") == "0")
  }

  @Test func `refuses a database in another encoding`() async throws {
    let server = try await SharedPostgreSQL.shared.server()
    try server.run("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    var settings = postgreSQLSettings(server, schema: "unused")
    settings.address = settings.address.replacingOccurrences(of: "/postgres", with: "/latin")
    let error = try await refusal(settings)
    #expect(error.code == .unsupportedServer)
    #expect(error.details.contains("LATIN1"))
  }

  @Test func `refuses the tables of another program`() async throws {
    let server = try await SharedPostgreSQL.shared.server()
    try server.run("CREATE SCHEMA foreign_tables; CREATE TABLE foreign_tables.things (id BIGINT)")
    #expect(try await refusal(postgreSQLSettings(server, schema: "foreign_tables")).code == .damaged)
    #expect(try server.run("SELECT count(*) FROM pg_tables WHERE schemaname = 'foreign_tables'") == "1")
  }

  @Test func `refuses a database of the other profile or of a newer version, and changes nothing`() async throws {
    try await withPostgreSQL { database, server, settings async throws in
      var other = settings
      other.profile = .production
      #expect(try await refusal(other).code == .otherProfile)
      try server.run("INSERT INTO \(settings.schema).schema_steps VALUES (999, 'later', 0)")
      #expect(try await refusal(settings).code == .newerSchema)
      #expect(try await database.read { try $0.setting(DatabaseSetting.profile) } == "simulated")
    }
  }

  @Test func `lets processes that start together make the schema once`() async throws {
    let server = try await SharedPostgreSQL.shared.server()
    let settings = postgreSQLSettings(server, schema: await SharedPostgreSQL.shared.newSchema())
    let secrets = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let database = try await openPostgreSQL(settings, clock: TestClock())
          let secret = try await database.read { try $0.setting(DatabaseSetting.installationSecret) }
          await database.close()
          return secret
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(secrets.count == 4 && Set(secrets).count == 1 && secrets[0] != nil)
    #expect(try server.run("SELECT count(*) FROM \(settings.schema).schema_steps") == "\(PostgreSQLSchema.version)")
    try server.run("DROP SCHEMA \(settings.schema) CASCADE")
  }
}
