package import PaymentDatabase
package import PaymentPrimitives
import SQLRows

/// Copies database files, also beside the process that writes them, and examines the copies.
///
/// A copy is one consistent state. Other tools that copy the file lose everything that is still in the log beside it.
package actor DatabaseCopier {
  private nonisolated let executor: any SerialExecutor
  private let now: @Sendable () -> Timestamp

  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - executor: where it waits for the disk, such as a `ThreadExecutor`.
  ///   - now: the clock that closures see.
  package init(on executor: any SerialExecutor, now: @escaping @Sendable () -> Timestamp) {
    self.executor = executor
    self.now = now
  }

  /// Writes one consistent state of a database into a new file that only its owner may read. The file is durable when
  /// this returns. After an error nothing of it is left.
  ///
  /// It reads in one transaction, so the log beside the database grows meanwhile by what is written.
  ///
  /// - Parameters:
  ///   - path: the database; it may be in use.
  ///   - profile: the required profile.
  ///   - copy: a path where no file is.
  ///   - logBytesMax: it gives up once the log beside the database is longer.
  /// - Throws: `CodedError<DatabaseErrorCode>`: `full`, `unavailable`, `damaged`, `olderSchema`, `newerSchema`,
  ///   `otherProfile`.
  package func copy(
    _ path: String, profile: DatabaseProfile, into copy: String, logBytesMax: Int64
  ) throws {
    let log = path + "-wal"
    let hadNoLog = LogMark.hasNoLog(path)
    let source = try DatabaseFile(settings(path)).openForCopying(profile: profile)
    defer { source.close() }
    if hadNoLog { try requireLog(source) }
    try DurableFile.make(copy)
    do {
      let watch = StatementWatch(source) { DurableFile.size(of: log) > logBytesMax }
      defer { watch.end() }
      try source.execute("VACUUM INTO '\(copy.replacing("'", with: "''"))'")
      try closeMark(of: copy, profile)
      try DurableFile.synchronize(copy)
      try DurableFile.synchronizeFolder(of: copy)
    } catch {
      DurableFile.removeDatabase(copy)
      guard let failure = error as? SQLiteFailure else { throw error }
      guard failure.isInterruption else { throw failure.databaseError }
      throw CodedError<DatabaseErrorCode>(.unavailable, "The log beside the database grew too long meanwhile.")
    }
  }

  /// Checks every page of a file that no process writes, and counts its rows.
  ///
  /// - Throws: `CodedError<DatabaseErrorCode>`; `damaged` with the first problem that SQLite found, or if the file has
  ///   no tables.
  package func examine(_ path: String) throws -> DatabaseContents {
    let hadNoLog = LogMark.hasNoLog(path)
    let connection = try DatabaseFile(settings(path)).openForChecking()
    defer { connection.close() }
    do {
      let found = try connection.text("PRAGMA quick_check(1)") ?? ""
      guard found == "ok" else { throw CodedError<DatabaseErrorCode>(.damaged, "SQLite found: \(found).") }
      if hadNoLog { try requireLog(connection) }
      return try DatabaseContents.of(connection)
    } catch let failure as SQLiteFailure { throw failure.databaseError }
  }

  /// Makes a database from a copy: migrated to this program's schema, with these settings, and durable. After an error
  /// nothing of it is left.
  ///
  /// - Parameters:
  ///   - copy: a file that `copy` wrote.
  ///   - path: where the database is to be; no file may be there.
  ///   - make: gives the settings of the installation to write, by name, from what the copy has.
  /// - Throws: `CodedError<DatabaseErrorCode>`; `unavailable` if there is a file already, which stays as it is.
  package func restore(
    _ copy: String, as path: String, setting make: @Sendable (any DatabaseReader) throws -> [String: String]
  ) throws {
    // SQLite would take an old log beside the new file for its own.
    for suffix in ["", "-wal", "-shm", "-journal"] where DurableFile.exists(path + suffix) {
      throw CodedError<DatabaseErrorCode>(.unavailable, "There is a file \(path + suffix) already.")
    }
    let unfinished = path + ".restoring"
    DurableFile.removeDatabase(unfinished)
    do {
      try DurableFile.copy(copy, to: unfinished)
      let profile = try examine(unfinished).profile
      guard let profile = DatabaseProfile(rawValue: profile) else {
        throw CodedError<DatabaseErrorCode>(.damaged, "It states the profile \(profile).")
      }
      let connection = try DatabaseFile(settings(unfinished)).openForWriting(profile: profile, newWith: nil)
      defer { connection.close() }
      let transaction = connection.newRun(now: now())
      defer { transaction.end() }
      for (name, value) in try make(transaction).sorted(by: { $0.key < $1.key }) {
        try transaction.set(name, to: value)
      }
    } catch {
      DurableFile.removeDatabase(unfinished)
      throw (error as? SQLiteFailure)?.databaseError ?? error
    }
    do {
      // SQLite has written the log back into the file and removed it; otherwise the settings are not in the file.
      guard !DurableFile.exists(unfinished + "-wal") else {
        throw CodedError<DatabaseErrorCode>(.unavailable, "The log of the new file could not be written back.")
      }
      try DurableFile.synchronize(unfinished)
      try DurableFile.move(unfinished, to: path)
    } catch {
      DurableFile.removeDatabase(unfinished)
      throw error
    }
  }

  private func requireLog(_ connection: Connection) throws {
    let transaction = connection.newRun(now: now())
    defer { transaction.end() }
    guard try !LogMark.lacksLog(transaction) else {
      throw CodedError<DatabaseErrorCode>(.damaged, "The log beside it is missing, and with it what was written last.")
    }
  }

  /// The copy has no log, and needs none.
  private func closeMark(of copy: String, _ profile: DatabaseProfile) throws {
    let connection = try DatabaseFile(settings(copy)).openForCopying(profile: profile)
    defer { connection.close() }
    try LogMark.end(on: connection, at: now())
  }

  private func settings(_ path: String) -> SQLiteSettings {
    SQLiteSettings(path: path, profile: .production, holder: "")
  }
}
