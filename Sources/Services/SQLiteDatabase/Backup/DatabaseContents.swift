package import PaymentPrimitives

/// What a database file contains, counted.
package struct DatabaseContents: Hashable, Sendable {
  /// `DatabaseProfile.rawValue`, as the file states it.
  package var profile: String
  /// The number of the last step of its schema.
  package var schema: Int
  /// The number of rows per table.
  package var rows: [String: Int64]
  /// The number of the last journal entry; 0 if there is none.
  package var journalNumber: Int64
  /// When the last journal entry was written; nil if there is none.
  package var journalUntil: Timestamp?

  package init(
    profile: String, schema: Int, rows: [String: Int64], journalNumber: Int64, journalUntil: Timestamp?
  ) {
    self.profile = profile
    self.schema = schema
    self.rows = rows
    self.journalNumber = journalNumber
    self.journalUntil = journalUntil
  }

  /// Reads every table of a file once.
  static func of(_ connection: Connection) throws -> DatabaseContents {
    let tables = try connection.texts(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    var rows: [String: Int64] = [:]
    for table in tables { rows[table] = try connection.number("SELECT count(*) FROM \"\(table)\"") ?? 0 }
    return DatabaseContents(
      profile: try connection.text("SELECT value FROM settings WHERE name = 'profile'") ?? "",
      schema: Int(try connection.number("PRAGMA user_version") ?? 0), rows: rows,
      journalNumber: try connection.number("SELECT max(id) FROM journal") ?? 0,
      journalUntil: try connection.number("SELECT at FROM journal ORDER BY id DESC LIMIT 1").map {
        Timestamp(milliseconds: $0)
      })
  }
}
