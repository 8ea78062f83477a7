package import PaymentDatabase
package import PaymentPrimitives
import SQLRows
import Synchronization

/// Reads a database, beside the process that writes it. All queries of a read see one state, and a read never waits for
/// a writer.
package final class SQLiteReader: ReadableDatabase {
  private let connections: [SQLiteReadConnection]
  private let readingMax: Int
  private let turns = Atomic<Int>(0)
  private let waiting = Atomic<Int>(0)
  private let isWithoutLog = Atomic<Bool>(false)

  /// Opens a database only for reading: for the audit and the lists of the command line.
  ///
  /// - Parameters:
  ///   - path: the database file; it must exist.
  ///   - profile: the required profile of the database; nil accepts any.
  ///   - executor: where the connection waits for the disk, such as a `ThreadExecutor`.
  ///   - now: the clock that closures see.
  /// - Throws: `CodedError<DatabaseErrorCode>`: `unavailable`, `damaged`, `olderSchema`, `newerSchema`, `otherProfile`.
  package static func open(
    path: String, profile: DatabaseProfile?, on executor: any SerialExecutor,
    now: @escaping @Sendable () -> Timestamp
  ) async throws -> SQLiteReader {
    let settings = SQLiteSettings(path: path, profile: profile ?? .production, holder: "")
    let hadNoLog = LogMark.hasNoLog(path)
    let reader = try await open(settings, profile: profile, on: [executor], now: now)
    if hadNoLog, try await reader.read({ try LogMark.lacksLog($0) }) {
      reader.isWithoutLog.store(true, ordering: .relaxed)
    }
    return reader
  }

  /// Whether the log of the file was taken away, and with it what was written last.
  package var lacksLog: Bool { isWithoutLog.load(ordering: .relaxed) }

  static func open(
    _ settings: SQLiteSettings, profile: DatabaseProfile?, on executors: [any SerialExecutor],
    now: @escaping @Sendable () -> Timestamp
  ) async throws -> SQLiteReader {
    let file = DatabaseFile(settings)
    let connections = executors.map {
      SQLiteReadConnection(file, profile: profile, now: now, on: $0)
    }
    for connection in connections { try await connection.open() }
    return SQLiteReader(connections, readingMax: settings.readingMax)
  }

  private init(_ connections: [SQLiteReadConnection], readingMax: Int) {
    self.connections = connections
    self.readingMax = readingMax
  }

  /// See `ReadableDatabase.read`.
  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseReader) throws -> Value
  ) async throws -> Value {
    let before = waiting.add(1, ordering: .relaxed).oldValue
    defer { waiting.subtract(1, ordering: .relaxed) }
    guard before < readingMax else { throw CodedError<DatabaseErrorCode>(.overloaded) }
    let turn = turns.add(1, ordering: .relaxed).oldValue
    return try await connections[Int(UInt(bitPattern: turn) % UInt(connections.count))].read(body)
  }

  package func close() async {
    for connection in connections { await connection.close() }
  }
}

/// One reading connection, on its own executor.
actor SQLiteReadConnection {
  private nonisolated let executor: any SerialExecutor
  private let file: DatabaseFile
  private let profile: DatabaseProfile?
  private let now: @Sendable () -> Timestamp
  private var connection: Connection?
  private var isClosed = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(
    _ file: DatabaseFile, profile: DatabaseProfile?, now: @escaping @Sendable () -> Timestamp,
    on executor: any SerialExecutor
  ) {
    self.executor = executor
    self.file = file
    self.profile = profile
    self.now = now
  }

  func open() throws { _ = try ready() }

  func close() {
    drop()
    isClosed = true
  }

  func read<Value: Sendable>(
    _ body: @Sendable (any DatabaseReader) throws -> Value
  ) throws -> Value {
    let connection = try ready()
    do { try connection.run(.begin) } catch let failure as SQLiteFailure {
      throw broken(failure)
    }
    let transaction = connection.newRun(now: now())
    let result = Result { try body(transaction) }
    let failure = transaction.failure
    transaction.end()
    do {
      if !connection.isOutsideTransaction { try connection.run(.commit) }
    } catch let failure as SQLiteFailure {
      throw broken(failure)
    }
    if let failure {
      // Another connection may be able to read what this one could not.
      if (failure as? CodedError<DatabaseErrorCode>)?.code == .unavailable { drop() }
      throw failure
    }
    return try result.get()
  }

  private func ready() throws -> Connection {
    if let connection { return connection }
    guard !isClosed else {
      throw CodedError<DatabaseErrorCode>(.unavailable, "The database has been closed.")
    }
    let connection = try file.openForReading(profile: profile)
    self.connection = connection
    return connection
  }

  /// A connection that cannot begin or end a read is no longer trusted; the next read opens another.
  private func broken(_ failure: SQLiteFailure) -> any Error {
    drop()
    return failure.databaseError
  }

  private func drop() {
    connection?.close()
    connection = nil
  }
}
