import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import SQLRows
import Synchronization

/// The entries of a node in the tables that nodes share, on a connection of its own.
///
/// Its commits need not be durable at once: what is lost with the server is said again. Only the end of others' leases
/// is committed like everything else.
actor NodeDesk {
  private nonisolated let executor: any SerialExecutor
  private let settings: PostgreSQLSettings
  private let opener: ConnectionOpener
  private let clock: DatabaseClock
  private let node: Int64
  private var connection: Connection?
  private var isClosed = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(
    _ settings: PostgreSQLSettings, _ opener: ConnectionOpener, node: Int64, clock: DatabaseClock,
    on executor: any SerialExecutor
  ) {
    self.executor = executor
    self.settings = settings
    self.opener = opener
    self.node = node
    self.clock = clock
  }

  func close() {
    connection?.close()
    connection = nil
    isClosed = true
  }

  // MARK: Life

  func beat() throws -> [NodeRecord] {
    let (silent, nodes) = try transact(lasting: false) { connection, now in
      try connection.queue(NodeSQL.beat) {
        $0.add(now)
        $0.add(node)
      }
      connection.requireOneRow(
        orThrow: CodedError<DatabaseErrorCode>(.inconsistent, "This node was forgotten; it must be started again."))
      let silent = try connection.all(
        NodeSQL.silent, { $0.add(now - NodeRecord.silenceMax) }, { $0.integer() })
      return (silent, try connection.all(NodeSQL.all, { _ in }, NodeSQL.read))
    }
    guard !silent.isEmpty else { return nodes }
    return try bury(silent)
  }

  /// Marks nodes as gone, and ends what they hold. No other writes meanwhile: the rows are not found by keys.
  private func bury(_ silent: [Int64]) throws -> [NodeRecord] {
    try transact(lasting: true) { connection, now in
      let locks = LockTable(connection: connection)
      try locks.lockEverything()
      for number in silent {
        try connection.queue(NodeSQL.markGone) {
          $0.add(number)
          $0.add(now - NodeRecord.silenceMax)
        }
        for sql in [NodeSQL.endDeliveries, NodeSQL.endForwards] {
          try connection.queue(sql) {
            $0.add(now)
            $0.add(number)
            $0.add(now)
          }
        }
      }
      for sql in [NodeSQL.forgetCommitRows, NodeSQL.forget] {
        try connection.queue(sql) { $0.add(now - NodeRecord.rememberedFor) }
      }
      try locks.noteWritten([], everything: true)
      return try connection.all(NodeSQL.all, { _ in }, NodeSQL.read)
    }
  }

  func note(_ state: NodeRecord.State) throws {
    try transact(lasting: true) { connection, now in
      if state == .left {
        for sql in [NodeSQL.endDeliveries, NodeSQL.endForwards] {
          try connection.queue(sql) {
            $0.add(now)
            $0.add(node)
            $0.add(now)
          }
        }
      }
      try connection.queue(NodeSQL.setState) {
        $0.add(state.rawValue)
        $0.add(now)
        $0.add(node)
      }
    }
  }

  /// Removes this node with its commit rows; afterwards nothing of it can be asked.
  func leave() throws {
    try transact(lasting: true) { connection, _ in
      try connection.queue(NodeSQL.removeCommitRows) { $0.add(node) }
      try connection.queue(NodeSQL.remove) { $0.add(node) }
    }
  }

  // MARK: Questions and messages

  func mayAsk(about order: OrderKey, pause: TimeSpan) throws -> Bool {
    try transact(lasting: false) { connection, now in
      try connection.change(NodeSQL.ask) {
        $0.add(now)
        $0.add(order)
        $0.add(now - pause)
        $0.add(now)
      } == 1
    }
  }

  func tell(_ lines: [String], on channel: String) throws {
    try transact(lasting: false) { connection, _ in
      for line in lines {
        try connection.queue(NodeSQL.notify) {
          $0.add(channel)
          $0.add("\(node) \(line)")
        }
      }
    }
  }

  // MARK: Transactions

  private func transact<Value>(
    lasting: Bool, _ body: (Connection, Timestamp) throws -> Value
  ) throws -> Value {
    do {
      let connection = try ready()
      try connection.queue(.begin)
      if !lasting { try connection.queue(NodeSQL.doNotWait) }
      let now = try clock.read(on: connection, or: settings.clock)
      do {
        let value = try body(connection, now)
        try connection.commit()
        return value
      } catch {
        if !connection.isLost { connection.rollback() }
        throw error
      }
    } catch {
      throw (error as? PostgreSQLFailure)?.databaseError ?? error
    }
  }

  private func ready() throws -> Connection {
    guard !isClosed else { throw CodedError<DatabaseErrorCode>(.unavailable, "The database has been closed.") }
    if let connection, !connection.isLost, opener.stillLeads(connection) { return connection }
    let opened = try opener.openForAnswers()
    connection = opened
    return opened
  }
}

/// How far the database's clock is from this process's.
final class DatabaseClock: Sendable {
  private let now: @Sendable () -> Timestamp
  private let measured = Mutex(TimeSpan.zero)

  init(_ now: @escaping @Sendable () -> Timestamp) { self.now = now }

  /// The offset that was measured last; at most as wrong as half of the round trip that measured it.
  var offset: TimeSpan { measured.withLock { $0 } }

  /// Asks for the database's time.
  ///
  /// - Parameter other: a clock that replaces it; tests pass one.
  func read(on connection: Connection, or other: (@Sendable () -> Timestamp)?) throws -> Timestamp {
    let begin = now()
    let found = try connection.first(CommitRowSQL.clock, { _ in }, { $0.timestamp() }) ?? Timestamp(milliseconds: 0)
    let moment = other?() ?? found
    let end = now()
    let middle = begin + TimeSpan(milliseconds: (end - begin).milliseconds / 2)
    measured.withLock { $0 = moment - middle }
    return moment
  }
}
