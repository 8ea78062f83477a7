package import PaymentDatabase
import PaymentPrimitives
package import PostgreSQLDatabase
package import SQLiteDatabase

/// An open database that a program writes to, whichever kind it is.
package enum ServedDatabase: Sendable {
  case file(SQLiteDatabase, path: String)
  case server(PostgreSQLDatabase)

  /// The database as the engine knows it.
  package var payments: any PaymentDatabase {
    switch self {
    case .file(let database, _): database
    case .server(let database): database
    }
  }

  /// Does the next part of a migration that runs beside the traffic.
  ///
  /// - Returns: whether more is left.
  func continueMigration() async throws -> Bool {
    switch self {
    case .file(let database, _): try await database.continueMigration()
    // A step of its schema is done when the opening returns.
    case .server: false
    }
  }

  package func close() async {
    switch self {
    case .file(let database, _): await database.close()
    case .server(let database): await database.close()
    }
  }
}

/// An open database that a command reads.
package struct ReadOnlyDatabase: Sendable {
  package let payments: any ReadableDatabase
  /// Whether a file was copied without its log, so that what was written last is missing.
  package let lacksLog: Bool
  package let close: @Sendable () async -> Void
}
