import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Hears what other nodes send, on a connection of its own. Its thread waits there.
actor NodeListener {
  private nonisolated let executor: any SerialExecutor
  private let opener: ConnectionOpener
  private let channel: String
  private let node: Int64
  private var connection: Connection?
  private var isClosed = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ opener: ConnectionOpener, channel: String, node: Int64, on executor: any SerialExecutor) {
    self.executor = executor
    self.opener = opener
    self.channel = channel
    self.node = node
  }

  func close() {
    connection?.close()
    connection = nil
    isClosed = true
  }

  /// See `NodeCoordination.hear`.
  func hear(within span: TimeSpan) throws -> [String]? {
    guard !isClosed else { throw CodedError<DatabaseErrorCode>(.unavailable, "The database has been closed.") }
    do {
      if let connection, !connection.isLost { return try others(connection.hear(within: span)) }
      let opened = try opener.open()
      try opened.execute("LISTEN \(channel)")
      connection = opened
      return nil
    } catch {
      throw (error as? PostgreSQLFailure)?.databaseError ?? error
    }
  }

  /// Each line begins with the number of its sender.
  private func others(_ lines: [String]) -> [String] {
    lines.compactMap { line in
      guard let space = line.firstIndex(of: " "), Int64(line[..<space]) != node else { return nil }
      return String(line[line.index(after: space)...])
    }
  }
}

/// The nodes over one PostgreSQL.
final class PostgreSQLNodes: NodeCoordination {
  let node: Int64
  let startedAt: Timestamp
  private let desk: NodeDesk
  private let listener: NodeListener
  private let clock: DatabaseClock
  private let channel: String

  init(
    _ settings: PostgreSQLSettings, _ opener: ConnectionOpener, own record: NodeRecord, clock: DatabaseClock,
    on executors: (desk: any SerialExecutor, listener: any SerialExecutor)
  ) {
    node = record.number
    startedAt = record.startedAt
    self.clock = clock
    channel = "\(settings.schema)_changes"
    desk = NodeDesk(settings, opener, node: node, clock: clock, on: executors.desk)
    listener = NodeListener(opener, channel: channel, node: node, on: executors.listener)
  }

  var clockOffset: TimeSpan { clock.offset }

  func beat() async throws -> [NodeRecord] { try await desk.beat() }
  func note(_ state: NodeRecord.State) async throws { try await desk.note(state) }

  func mayAsk(about order: OrderKey, pause: TimeSpan) async throws -> Bool {
    try await desk.mayAsk(about: order, pause: pause)
  }

  func tell(_ lines: [String]) async throws { try await desk.tell(lines, on: channel) }
  func hear(within span: TimeSpan) async throws -> [String]? { try await listener.hear(within: span) }

  /// Closes the connections; the node leaves if it has no open commit.
  func close(leaving: Bool) async {
    if leaving { try? await desk.leave() }
    await desk.close()
    await listener.close()
  }
}
