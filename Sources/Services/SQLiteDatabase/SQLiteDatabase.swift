package import PaymentDatabase
package import PaymentPrimitives

/// The engine's database in one SQLite file, for one process.
///
/// A transaction first runs on its caller's thread over a snapshot, and yields its writes with the keys of what it read
/// (`TransactionPlan`). One writer with `synchronous = FULL` applies many plans in a batch: each caller gets its answer
/// after the commit of its writes. Reads run beside the writer on separate connections, brief ones over a snapshot on
/// their caller's thread.
package final class SQLiteDatabase: PaymentDatabase {
  private let queue: WriteQueue
  private let writer: SQLiteWriter
  private let reader: SQLiteReader
  private let planner: SnapshotPlanner

  /// Opens a database. Creates it if it does not exist, and migrates an older one.
  ///
  /// - Parameters:
  ///   - settings: the location and the profile.
  ///   - dependencies: the database's clock, and the random numbers for a new database's secret.
  ///   - writer: the executor where the writing connection waits for the disk, such as a `ThreadExecutor`; one
  ///     connection, one executor.
  ///   - readers: the same for each reading connection, at least one.
  /// - Throws: `CodedError<DatabaseErrorCode>`: `heldByAnother` with the holder, `otherProfile`, `newerSchema`,
  ///   `damaged`, `unavailable`, `full`.
  package static func open(
    _ settings: SQLiteSettings, dependencies: Dependencies, writer: any SerialExecutor,
    readers: [any SerialExecutor]
  ) async throws -> SQLiteDatabase {
    precondition(!readers.isEmpty, "a store needs a connection to read with")
    let queue = WriteQueue(waitingMax: settings.waitingMax)
    let planner = SnapshotPlanner(
      DatabaseFile(settings), profile: settings.profile, count: settings.plannersMax, now: dependencies.now)
    let writing = SQLiteWriter(settings, dependencies, queue: queue, planner: planner, on: writer)
    try await writing.open()
    do {
      let reading = try await SQLiteReader.open(
        settings, profile: settings.profile, on: readers, now: dependencies.now)
      return SQLiteDatabase(queue, writing, reader: reading, planner: planner)
    } catch {
      await writing.close()
      throw error
    }
  }

  private init(_ queue: WriteQueue, _ writer: SQLiteWriter, reader: SQLiteReader, planner: SnapshotPlanner) {
    self.queue = queue
    self.writer = writer
    self.reader = reader
    self.planner = planner
  }

  /// See `PaymentDatabase.transact`.
  package func transact<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseTransaction) throws -> Value
  ) async -> CommitOutcome<Value> {
    let value = TransactionValue<Value>()
    let job = PendingTransaction(body, into: value)
    if let end = planner.plan(job) { return value.outcome(of: end) }
    do throws(CodedError<DatabaseErrorCode>) { try queue.append(job) } catch { return .refused(error) }
    await writer.perform(job)
    return value.outcome(of: job.end)
  }

  /// See `ReadableDatabase.read`.
  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseReader) throws -> Value
  ) async throws -> Value {
    try await reader.read(body)
  }

  /// See `ReadableDatabase.readBriefly`.
  package func readBriefly<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseReader) throws -> Value
  ) async throws -> Value {
    if let result = planner.read(body) { return try result.get() }
    return try await reader.read(body)
  }

  /// Does the next part of a migration that runs beside the traffic: at most 64 rows.
  ///
  /// - Returns: whether more is left.
  /// - Throws: `CodedError<DatabaseErrorCode>`: the part can be tried again later.
  package func continueMigration() async throws -> Bool { try await writer.continueMigration(rows: 64) }

  /// The number of transactions that wait for the writer now: for the metrics.
  package var waitingCount: Int { queue.count }

  /// How transactions ran since the opening.
  package var planCounts: PlanCounts {
    get async {
      var counts = await writer.counts
      counts.answeredFromSnapshot = planner.answeredCount
      return counts
    }
  }

  /// Completes waiting work, writes the log back into the file, and releases the database for other processes.
  ///
  /// Later calls get an error. Without this call nothing is lost: the next opening reads the log.
  package func close() async {
    queue.close()
    planner.close()
    await reader.close()
    await writer.close()
  }
}
