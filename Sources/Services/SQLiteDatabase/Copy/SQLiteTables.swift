import CSQLite
package import PaymentDatabase
import PaymentPrimitives

/// Reads whole tables of a database file, all of them in one state: for a copy into another database.
package actor SQLiteTables {
  /// A page ends with as many rows, or as many bytes of texts.
  private static let (rowsMax, bytesMax) = (1000, 4 << 20)

  private nonisolated let executor: any SerialExecutor
  private let connection: Connection
  private var statement: OpaquePointer?

  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Opens a file of this version. What is written afterwards is not read.
  ///
  /// - Throws: `CodedError<DatabaseErrorCode>`.
  package init(path: String, profile: DatabaseProfile, on executor: any SerialExecutor) throws {
    self.executor = executor
    let settings = SQLiteSettings(path: path, profile: profile, holder: "")
    connection = try DatabaseFile(settings).openForReading(profile: profile)
    do { try connection.execute("BEGIN; SELECT count(*) FROM settings") } catch let failure as SQLiteFailure {
      connection.close()
      throw failure.databaseError
    }
  }

  package func close() {
    sqlite3_finalize(statement)
    statement = nil
    connection.close()
  }

  /// The names of all tables with rows of the shop, in order.
  package func names() throws -> [String] {
    try reporting {
      // The number of the last commit is the file's own.
      try connection.texts(
        """
        SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
          AND name <> 'batch' ORDER BY name
        """)
    }
  }

  /// The columns of a table that are stored, in order.
  package func columns(of table: String) throws -> [String] {
    try reporting {
      try connection.texts("SELECT name FROM pragma_table_xinfo('\(table)') WHERE hidden = 0 ORDER BY name")
    }
  }

  /// Begins to read a table from its start.
  package func begin(_ table: String, columns: [String]) throws {
    sqlite3_finalize(statement)
    statement = nil
    let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
    // What a file says of itself is no row of the shop.
    let isOwn = table == "settings" ? " WHERE name NOT IN ('\(LogMark.name)', '\(DatabaseSetting.movedTo)')" : ""
    statement = try reporting { try connection.prepare("SELECT \(names) FROM \"\(table)\"\(isOwn)", 0) }
  }

  /// The next rows of the table; empty at its end.
  package func next() throws -> [[StoredValue]] {
    guard let statement else { return [] }
    var rows: [[StoredValue]] = []
    var bytes = 0
    let count = sqlite3_column_count(statement)
    while rows.count < Self.rowsMax, bytes < Self.bytesMax {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE {
        sqlite3_finalize(statement)
        self.statement = nil
        return rows
      }
      guard code == SQLITE_ROW else { throw SQLiteFailure(of: connection.database, code).databaseError }
      rows.append(try (0..<count).map { try Self.value(of: statement, $0, &bytes) })
    }
    return rows
  }

  private static func value(of statement: OpaquePointer, _ column: Int32, _ bytes: inout Int) throws -> StoredValue {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_NULL: return .null
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
    case SQLITE_TEXT:
      let start = sqlite3_column_text(statement, column)
      let text = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
      bytes += text.count
      return .text(String(decoding: text, as: UTF8.self))
    case SQLITE_BLOB:
      let start = sqlite3_column_blob(statement, column)
      let blob = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
      bytes += blob.count
      return .bytes(Array(blob))
    default: throw CodedError<DatabaseErrorCode>(.damaged, "A column holds a number with a fraction.")
    }
  }

  private func reporting<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let failure as SQLiteFailure { throw failure.databaseError }
  }
}
