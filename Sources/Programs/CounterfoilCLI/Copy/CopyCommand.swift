import Cryptography
import PaymentDatabase
import PaymentPrimitives
import PostgreSQLDatabase
import ServerConfiguration
import StrictJSON
import TOMLConfiguration

/// `counterfoil copy`: moves a database from its SQLite file to a PostgreSQL server.
enum CopyCommand {
  static let command = Command.of(
    "copy", BilingualText("move the database from its file to a PostgreSQL server", "将数据库从文件迁移到 PostgreSQL 服务器"),
    usage: """
      usage: counterfoil copy [--from FILE] [--to URL] [--password-file FILE] [--schema NAME] [--json]

      Copies all rows of a SQLite database to PostgreSQL, compares each table on both sides by its number of rows and a
      digest, and audits the copy. Then the file is marked: no server starts on it again, and it names where its rows
      are. Stop the server before. An interrupted copy is repeated by the same command: what is equal already stays.

      The rows are first in a schema whose name ends in _loading. It gets its own name in the last step.

        --from FILE         the SQLite database (otherwise the configuration's)
        --to URL            `postgresql://user@host/database` (otherwise the configuration's)
        --password-file FILE  has the password for --to; otherwise libpq's own ways count, such as PGPASSWORD
        --schema NAME       the schema for --to (otherwise counterfoil)
        --config FILE       the server's configuration (otherwise COUNTERFOIL_CONFIG, or counterfoil.toml here)
        --data DIR          the folder of `counterfoil-lab run` (otherwise ./data), where no configuration is found
        --json              one JSON object

      Exit codes: 0 everything is there and equal, 1 it is not, and the file serves as before, 2 wrong usage.

      """,
    valued: ["from", "to", "password-file", "schema", "config", "data"]
  ) { options, platform in
    let configuration = try await ChosenConfiguration.of(options, platform)
    let file = try source(options, configuration)
    let server = try target(options, configuration, on: platform)
    let run = CopyToServer(
      file: file, server: server, profile: configuration.profile, platform: platform)
    let report = try await DatabaseFailure.inWords(.server(server), platform) { try await run.report() }
    let language = CommandLineProgram.language(platform)
    platform.print(options.has("json") ? report.json.text + "\n" : report.text(language))
    return ExitCode.done
  }

  private static func source(_ options: Options, _ configuration: ServerConfiguration) throws -> String {
    let named = try options.one("from").map { try Self.location($0, of: "from") }
    guard let file = (named ?? configuration.database).file else {
      throw UsageError("--from names the SQLite file: the configuration's database is on a server.")
    }
    return file
  }

  private static func target(
    _ options: Options, _ configuration: ServerConfiguration, on platform: Platform
  ) throws -> DatabaseServerSettings {
    guard let text = try options.one("to") else {
      guard case .server(let server) = configuration.database else {
        throw UsageError("--to names the PostgreSQL server: `postgresql://user@host/database`.")
      }
      guard try options.one("schema") == nil, try options.one("password-file") == nil else {
        throw UsageError("--schema and --password-file belong to --to.")
      }
      return server
    }
    guard case .server(var server) = try location(text, of: "to") else {
      throw UsageError("--to names a PostgreSQL server: `postgresql://user@host/database`.")
    }
    let address = try PostgreSQLAddress(server.url)
    guard configuration.profile != .production || address.verifiesServers || address.staysHere else {
      throw UsageError("--to leads to a server that is not verified: add `?sslmode=verify-full`.")
    }
    if let schema = try options.one("schema") {
      guard PostgreSQLAddress.isSchema(schema) else {
        throw UsageError("--schema is made of small letters, digits and underscores.")
      }
      server.schema = schema
    }
    if let path = try options.one("password-file") { server.password = try password(path, platform) }
    return server
  }

  private static func password(_ path: String, _ platform: Platform) throws -> Secret {
    var sources = SecretSources(
      readFile: { path, bytesMax in
        guard let bytes = try platform.files.read(path, bytesMax) else {
          throw CommandFailure("there is no such file.")
        }
        return bytes
      }, environment: platform.environment)
    sources.isReadableByOthers = platform.files.isReadableByOthers
    do { return Secret(try SecretReference.file(path).resolve(sources)) } catch {
      throw UsageError("--password-file: \(error.details) (\(error.code.rawValue))")
    }
  }

  private static func location(_ text: String, of option: String) throws -> DatabaseLocation {
    do { return try DatabaseLocation(naming: text) } catch {
      throw UsageError("--\(option): \(error.details) (\(error.code.rawValue))")
    }
  }
}
