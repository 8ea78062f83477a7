package import PaymentDatabase
package import PaymentPrimitives
import SQLRows
import Synchronization

/// The engine's database on a PostgreSQL server, for any number of processes.
///
/// A transaction first runs over a snapshot, and yields its writes with the keys of what it read. A lane applies many
/// of them in a batch: rows that stand for the keys are locked in order, so that transactions of all processes agree.
package final class PostgreSQLDatabase: PaymentDatabase {
  private let lanes: [(lane: Lane, queue: LaneQueue)]
  private let readers: SnapshotReaders
  private let workCount: WorkCount
  private let unknown: UnknownCommits
  private let lost: LostCommits
  private let sharing: PostgreSQLNodes
  private let turns = Mutex(LaneTurns())

  /// Opens a database. Creates it if it does not exist, and migrates an older one.
  ///
  /// - Parameters:
  ///   - settings: the location and the profile.
  ///   - dependencies: the random numbers for a new database's secret, and a clock for the dates of migrations.
  ///   - writers: the executors on which the writing connections wait, one for each, at least one.
  ///   - readers: the same for the reading connections. The first also serves the connection for the table of nodes.
  ///   - listener: the executor on which the connection waits that hears other nodes.
  /// - Throws: `CodedError<DatabaseErrorCode>`: `invalidAddress`, `accessDenied`, `untrusted`, `unsupportedServer`,
  ///   `missingRights`, `readOnly`, `otherProfile`, `newerSchema`, `damaged`, `unavailable`, `full`.
  package static func open(
    _ settings: PostgreSQLSettings, dependencies: Dependencies, writers: [any SerialExecutor],
    readers: [any SerialExecutor], listener: any SerialExecutor
  ) async throws -> PostgreSQLDatabase {
    precondition(!writers.isEmpty && !readers.isEmpty, "a database needs connections to write and to read with")
    let opener = try ConnectionOpener(settings)
    let starter = DatabaseStarter(settings, opener, on: writers[0])
    let clock = DatabaseClock(dependencies.now)
    let node = try await starter.start(lanes: writers.count, clock, dependencies)
    let nodes = PostgreSQLNodes(settings, opener, own: node, clock: clock, on: (desk: readers[0], listener: listener))
    return PostgreSQLDatabase(settings, opener, nodes: nodes, writers: writers, readers: readers)
  }

  private init(
    _ settings: PostgreSQLSettings, _ opener: ConnectionOpener, nodes: PostgreSQLNodes, writers: [any SerialExecutor],
    readers: [any SerialExecutor]
  ) {
    sharing = nodes
    lanes = writers.enumerated().map { index, executor in
      let queue = LaneQueue(waitingMax: settings.waitingMax / writers.count)
      let row = CommitRow(node: nodes.node, lane: Int64(index), startedAt: nodes.startedAt)
      return (Lane(settings, opener, row: row, queue: queue, on: executor), queue)
    }
    self.readers = SnapshotReaders(settings, opener, on: readers)
    workCount = opener.work
    unknown = opener.unknownCommits
    lost = opener.lostCommits
  }

  /// See `PaymentDatabase.transact`.
  package func transact<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseTransaction) throws -> Value
  ) async -> CommitOutcome<Value> {
    let value = TransactionValue<Value>()
    let job = PendingTransaction(body, into: value)
    let turn = turns.withLock { $0.next(lanes.map(\.queue)) }
    do throws(CodedError<DatabaseErrorCode>) { try lanes[turn].queue.append(job) } catch { return .refused(error) }
    await lanes[turn].lane.perform(job)
    return value.outcome(of: job.end)
  }

  /// See `ReadableDatabase.read`.
  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseReader) throws -> Value
  ) async throws -> Value {
    try await readers.read(body)
  }

  /// See `ReadableDatabase.nodes`.
  package func nodes() async throws -> [NodeRecord] { try await readers.nodes() }

  /// See `ReadableDatabase.lookAtFeed`.
  package func lookAtFeed() async throws -> FeedLook { try await readers.lookAtFeed() }

  package var coordination: (any NodeCoordination)? { sharing }

  /// The number of transactions that wait now: for the metrics.
  package var waitingCount: Int { lanes.reduce(0) { $0 + $1.queue.count } }

  /// How often its connections have waited for the server: for tests and benches.
  package var roundTrips: Int { work.roundTrips }
  /// The same with what they sent.
  package var work: PostgreSQLWork { workCount.sum }

  /// What its server has spent until now: for benches.
  package func serverCost() async throws -> ServerCost { try await readers.serverCost() }

  /// How many commits had no answer, by what was found out about them: `committed`, `notCommitted`, `unknown`.
  package var unknownCommits: [(found: String, count: Int)] { unknown.all }

  /// How often one of its connections found that the server lacks commits that were answered: once for each fail-over
  /// to a server that had not received them, and for each connection that writes.
  package var lostCommits: Int { lost.sum }

  /// Completes waiting work and closes the connections. Without this call nothing is lost.
  package func close() async {
    for lane in lanes { lane.queue.close() }
    await readers.close()
    var knowsAll = true
    for lane in lanes { knowsAll = await lane.lane.close() && knowsAll }
    await sharing.close(leaving: knowsAll)
  }
}

/// Prepares a database for the connections of a process.
actor DatabaseStarter {
  private nonisolated let executor: any SerialExecutor
  private let settings: PostgreSQLSettings
  private let opener: ConnectionOpener

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ settings: PostgreSQLSettings, _ opener: ConnectionOpener, on executor: any SerialExecutor) {
    self.executor = executor
    self.settings = settings
    self.opener = opener
  }

  /// Migrates the schema and makes the rows of this process.
  ///
  /// - Returns: the row of the process.
  func start(lanes: Int, _ clock: DatabaseClock, _ dependencies: Dependencies) throws -> NodeRecord {
    let connection = try opener.open()
    defer { connection.close() }
    let keeper = SchemaKeeper(
      connection: connection, schema: settings.schema, steps: settings.steps, clock: settings.clock)
    try keeper.migrate(
      profile: settings.profile, newWith: { dependencies.randomBytes(32) }, at: dependencies.now())
    do {
      try connection.run(.begin)
      try keeper.requireUnchanged()
      let now = try clock.read(on: connection, or: settings.clock)
      let node = try connection.first(
        CommitRowSQL.makeNode,
        {
          $0.add(now)
          $0.add(now)
        }, { $0.integer() })
      guard let node else { throw CodedError<DatabaseErrorCode>(.inconsistent, "A node got no number.") }
      for lane in 0..<lanes {
        try connection.queue(CommitRowSQL.make) {
          $0.add(node)
          $0.add(lane)
        }
      }
      try connection.commit()
      return NodeRecord(number: node, startedAt: now, seenAt: now, state: .active)
    } catch let failure as PostgreSQLFailure {
      throw failure.databaseError
    }
  }
}
