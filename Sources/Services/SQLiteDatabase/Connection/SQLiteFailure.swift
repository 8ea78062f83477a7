import CSQLite
import PaymentDatabase
import PaymentPrimitives
import SQLRows

/// An error that SQLite returned.
struct SQLiteFailure: SQLFailure {
  let code: Int32
  /// SQLite's own message: names of tables, columns and constraints, never their contents.
  let message: String

  init(_ code: Int32, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The last failure of a connection.
  init(of database: OpaquePointer?, _ code: Int32) {
    let text = database.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
    self.init(code, text.map { String(cString: $0) } ?? "")
  }

  /// The error for the caller of the database: a conflict if a unique key was taken, otherwise an error with a code.
  var asDatabaseError: any Error {
    switch code {
    case Self.unique, Self.primaryKey, Self.rowIdentifier: DatabaseConflict(on: message)
    default: databaseError
    }
  }

  /// The error with SQLite's code and message as details.
  var databaseError: CodedError<DatabaseErrorCode> {
    CodedError(storeCode, "SQLite \(code): \(message).")
  }

  /// Whether a `StatementWatch` ended the statement.
  var isInterruption: Bool { code & 0xFF == SQLITE_INTERRUPT }

  private var storeCode: DatabaseErrorCode {
    // Beyond 64 bits SQLite adds in floating point, and the strict column then rejects the number.
    if code == Self.dataType { return .balanceOutOfRange }
    switch code & 0xFF {
    case SQLITE_FULL: return .full
    case SQLITE_CONSTRAINT, SQLITE_MISMATCH: return .inconsistent
    case SQLITE_CORRUPT, SQLITE_NOTADB: return .damaged
    default: return .unavailable
    }
  }

  // The extended codes are macros with arithmetic, which Swift does not import.
  private static let unique = SQLITE_CONSTRAINT | 8 << 8
  private static let primaryKey = SQLITE_CONSTRAINT | 6 << 8
  private static let rowIdentifier = SQLITE_CONSTRAINT | 10 << 8
  /// A value of a wrong type for the column. With the statements here this is only a sum that exceeded 64 bits and
  /// became a real number.
  private static let dataType = SQLITE_CONSTRAINT | 12 << 8
}
