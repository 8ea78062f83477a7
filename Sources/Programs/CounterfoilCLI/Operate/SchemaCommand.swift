import PaymentPrimitives
import SQLiteDatabase

/// `counterfoil schema`: prints the SQL schema of the database, for reading and reports.
enum SchemaCommand {
  static let command = Command.of(
    "schema", BilingualText("print the database's schema as SQL", "以 SQL 显示数据库结构"),
    usage: """
      usage: counterfoil schema

      Prints the SQL that makes a database of this version. Read it as you like; only Counterfoil writes to it.

      Exit codes: 0 printed, 2 wrong usage.

      """
  ) { _, platform in
    platform.print(SQLiteSchema.script)
    return ExitCode.done
  }
}
