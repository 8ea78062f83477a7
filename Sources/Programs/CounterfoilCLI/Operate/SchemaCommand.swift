import PaymentDatabase
import PaymentPrimitives
import PostgreSQLDatabase
import SQLiteDatabase
import ServerConfiguration

/// `counterfoil schema`: prints the SQL schema of the database, for reading and reports.
enum SchemaCommand {
  /// A role that no database has by accident.
  private static let role = "counterfoil_server"

  static let command = Command.of(
    "schema", BilingualText("print the database's schema as SQL", "以 SQL 显示数据库结构"),
    usage: """
      usage: counterfoil schema [--database WHERE] [--role NAME]

      Prints the SQL that makes a database of this version. Read it as you like; only Counterfoil writes to it. Without
      --database it is that of SQLite, unless COUNTERFOIL_DATABASE names another. For PostgreSQL the grants follow for a
      role that serves and may not alter tables.

        --database WHERE    a file, or `postgresql://user@host/database`
        --role NAME         the role of the grants (otherwise counterfoil_server)

      Exit codes: 0 printed, 2 wrong usage.

      """,
    valued: ["database", "role"]
  ) { options, platform in
    let role = try options.one("role") ?? role
    guard PostgreSQLAddress.isSchema(role) else {
      throw UsageError("--role is made of small letters, digits and underscores.")
    }
    let named = try options.one("database") ?? platform.environment("COUNTERFOIL_DATABASE") ?? ""
    let location: DatabaseLocation
    do throws(CodedError<DatabaseErrorCode>) { location = try DatabaseLocation(naming: named) } catch {
      throw UsageError("--database: \(error.details) (\(error.code.rawValue))")
    }
    switch location {
    case .file: platform.print(SQLiteSchema.script)
    case .server(let server):
      platform.print(PostgreSQLSchema.script(in: server.schema))
      platform.print(PostgreSQLSchema.grants(on: server.schema, to: role))
    }
    return ExitCode.done
  }
}
