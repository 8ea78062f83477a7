import Cryptography
import PaymentDatabase
import PaymentPrimitives
import PostgreSQLDatabase
import SQLiteDatabase
package import ServerConfiguration

/// Opens the database of a configuration, for every program: a SQLite file, or a schema on a PostgreSQL server.
package enum OpenDatabase {
  /// Opens it for a process that writes. Makes it if there is none, and migrates an older one.
  ///
  /// - Parameter holder: the command that this process runs, shown to a second process that wants the file.
  /// - Throws: `CodedError<DatabaseErrorCode>`.
  package static func writing(
    _ configuration: ServerConfiguration, holder: String, _ platform: Platform
  ) async throws -> ServedDatabase {
    switch configuration.database {
    case .file(let path):
      var settings = SQLiteSettings(path: path, profile: configuration.profile, holder: holder)
      settings.pause = platform.pause
      let database = try await SQLiteDatabase.open(
        settings, dependencies: platform.dependencies, writer: ThreadExecutor(),
        readers: [ThreadExecutor(), ThreadExecutor()])
      return .file(database, path: path)
    case .server(let server):
      let settings = settings(of: server, configuration.profile, platform)
      // Before anything is made there.
      try DurabilityCheck.require(
        try await PostgreSQLDatabase.facts(settings, on: ThreadExecutor()), for: server.durability,
        configuration.profile)
      return .server(
        try await PostgreSQLDatabase.open(
          settings, dependencies: platform.dependencies,
          writers: (0..<server.writers).map { _ in ThreadExecutor() },
          readers: (0..<server.readers).map { _ in ThreadExecutor() }, listener: ThreadExecutor()))
    }
  }

  /// Opens it for reading, also beside a running server.
  ///
  /// - Throws: `CodedError<DatabaseErrorCode>`.
  package static func reading(
    _ configuration: ServerConfiguration, _ platform: Platform
  ) async throws -> ReadOnlyDatabase {
    switch configuration.database {
    case .file(let path):
      let reader = try await SQLiteReader.open(
        path: path, profile: configuration.profile, on: ThreadExecutor(), now: platform.dependencies.now)
      return ReadOnlyDatabase(payments: reader, lacksLog: reader.lacksLog, close: { await reader.close() })
    case .server(let server):
      let reader = try await PostgreSQLReader.open(
        settings(of: server, configuration.profile, platform), on: ThreadExecutor())
      return ReadOnlyDatabase(payments: reader, lacksLog: false, close: { await reader.close() })
    }
  }

  static func settings(
    of server: DatabaseServerSettings, _ profile: DatabaseProfile, _ platform: Platform
  ) -> PostgreSQLSettings {
    var settings = PostgreSQLSettings(
      address: server.url, profile: profile, monotonicNanoseconds: platform.monotonicNanoseconds)
    settings.password = server.password?.withBytes { String(decoding: $0, as: UTF8.self) }
    settings.schema = server.schema
    settings.batchMax = server.batch
    settings.waitingMax = server.waiting
    settings.commitDeadline = server.commitDeadline
    settings.lookUp = platform.lookUp
    return settings
  }
}
