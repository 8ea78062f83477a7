import PaymentDatabase
import PaymentPrimitives
import SQLRows
import Synchronization

/// Reading connections: all queries of a read see one state, and a read never waits for a writer.
final class SnapshotReaders: Sendable {
  private let connections: [SnapshotReader]
  private let readingMax: Int
  private let turns = Atomic<Int>(0)
  private let waiting = Atomic<Int>(0)

  init(_ settings: PostgreSQLSettings, _ opener: ConnectionOpener, on executors: [any SerialExecutor]) {
    connections = executors.map { SnapshotReader(settings, opener, on: $0) }
    readingMax = settings.readingMax
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseReader) throws -> Value
  ) async throws -> Value {
    let before = waiting.add(1, ordering: .relaxed).oldValue
    defer { waiting.subtract(1, ordering: .relaxed) }
    guard before < readingMax else { throw CodedError<DatabaseErrorCode>(.overloaded) }
    let turn = turns.add(1, ordering: .relaxed).oldValue
    return try await connections[Int(UInt(bitPattern: turn) % UInt(connections.count))].read(body)
  }

  func nodes() async throws -> [NodeRecord] {
    try await connections[0].nodes()
  }

  func serverCost() async throws -> ServerCost {
    try await connections[0].serverCost()
  }
  func lookAtFeed() async throws -> FeedLook { try await connections[0].lookAtFeed() }

  func close() async {
    for connection in connections { await connection.close() }
  }
}

/// One reading connection, on its own executor.
actor SnapshotReader {
  private nonisolated let executor: any SerialExecutor
  private let settings: PostgreSQLSettings
  private let opener: ConnectionOpener
  private var connection: Connection?
  private var isClosed = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ settings: PostgreSQLSettings, _ opener: ConnectionOpener, on executor: any SerialExecutor) {
    self.executor = executor
    self.settings = settings
    self.opener = opener
  }

  func close() {
    connection?.close()
    connection = nil
    isClosed = true
  }

  func read<Value: Sendable>(_ body: @Sendable (any DatabaseReader) throws -> Value) throws -> Value {
    let (connection, now) = try begin()
    let transaction = connection.newRun(now: now)
    let result = Result { try body(transaction) }
    let failure = transaction.failure
    transaction.end()
    connection.rollback()
    if let failure { throw failure }
    return try result.get()
  }

  func nodes() throws -> [NodeRecord] {
    let (connection, _) = try begin()
    defer { connection.rollback() }
    do { return try connection.all(NodeSQL.all, { _ in }, NodeSQL.read) } catch let failure as PostgreSQLFailure {
      throw failure.databaseError
    }
  }

  func serverCost() throws -> ServerCost {
    do {
      let (connection, _) = try begin()
      let time: Int64? = (try? connection.first(ServerCostSQL.processor, { _ in }, { $0.optionalInteger() })) ?? nil
      connection.rollback()
      let (next, _) = try begin()
      defer { next.rollback() }
      let sizes = try next.first(ServerCostSQL.sizes, { _ in }, { ($0.integer(), $0.integer()) })
      return ServerCost(
        processorMicroseconds: time, logBytes: sizes?.0 ?? 0, bytes: sizes?.1 ?? 0)
    } catch let failure as PostgreSQLFailure {
      throw failure.databaseError
    }
  }

  func lookAtFeed() throws -> FeedLook {
    let (connection, _) = try begin()
    defer { connection.rollback() }
    do { return try FeedSQL.look(on: connection) } catch let failure as PostgreSQLFailure {
      throw failure.databaseError
    }
  }

  /// Begins a snapshot. A connection that the server has ended meanwhile is replaced, once.
  private func begin() throws -> (Connection, Timestamp) {
    if let connection, !connection.isLost, opener.stillLeads(connection) {
      do { return (connection, try now(on: connection)) } catch {
        guard connection.isLost else { throw (error as? PostgreSQLFailure)?.databaseError ?? error }
      }
    }
    guard !isClosed else { throw CodedError<DatabaseErrorCode>(.unavailable, "The database has been closed.") }
    let opened = try opener.openForAnswers()
    connection = opened
    do { return (opened, try now(on: opened)) } catch {
      throw (error as? PostgreSQLFailure)?.databaseError ?? error
    }
  }

  private func now(on connection: Connection) throws -> Timestamp {
    try connection.queue(.beginSnapshot)
    if let clock = settings.clock {
      try connection.finish()
      return clock()
    }
    return try connection.first(CommitRowSQL.clock, { _ in }, { $0.timestamp() }) ?? Timestamp(milliseconds: 0)
  }
}
