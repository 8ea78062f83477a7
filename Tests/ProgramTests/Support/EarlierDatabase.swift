import SQLiteDatabase
import TestDatabases

/// A database as an earlier version would have left it: the schema of an earlier step, with the rows of today.
enum EarlierDatabase {
  /// Makes one of step 14, before the headers of signed evidence were kept once.
  ///
  /// - Parameters:
  ///   - path: where it is made.
  ///   - today: a database of today, closed.
  ///   - repetitions: how often each payment's evidence is kept, as if phones had presented it so often.
  static func make(at path: String, from today: String, repetitions: Int) throws {
    let step = 14
    let statements = SQLiteSchema.migrations.prefix { $0.number <= step }.flatMap(\.statements)
    let schema = statements.map { $0 + ";\n" }.joined()
    _ = try runSQL(
      schema + "PRAGMA application_id = \(SQLiteSchema.applicationIdentifier); PRAGMA user_version = \(step);", on: path
    )
    var copies = "ATTACH '\(today)' AS today;\n"
    for table in try tables(of: path) where table != "evidence" {
      let known = Set(try columns(of: table, in: today))
      let names = try columns(of: table, in: path).filter(known.contains).joined(separator: ", ")
      copies += "INSERT OR REPLACE INTO \(table) (\(names)) SELECT \(names) FROM today.\(table);\n"
    }
    copies += """
      INSERT INTO evidence (payment, text, origin, received_at)
      WITH RECURSIVE times (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM times WHERE number < \(repetitions))
      SELECT e.payment, coalesce(h.text, '') || e.text, e.origin, e.received_at
      FROM times, today.evidence AS e LEFT JOIN today.evidence_headers AS h ON h.id = e.header;
      DELETE FROM settings WHERE name LIKE 'evidence.%';
      """
    _ = try runSQL(copies, on: path)
  }

  private static func tables(of path: String) throws -> [String] {
    lines(try runSQL("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'", on: path))
  }

  private static func columns(of table: String, in path: String) throws -> [String] {
    lines(try runSQL("SELECT name FROM pragma_table_info('\(table)')", on: path))
  }

  private static func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }
}
