package import PaymentDatabase
package import PaymentPrimitives
import Synchronization

/// The handle of one process on a `SQLiteInMemoryStorage`. Its transactions wait in its own queue, which ends with it,
/// and run in batches like those of `SQLiteDatabase`.
package final class SQLiteInMemoryDatabase: PaymentDatabase {
  private let database: SQLiteInMemoryStorage
  private let batchMax: Int
  private let now: @Sendable () -> Timestamp
  private let faults: DatabaseFaults
  private let pause: @Sendable (DatabasePausePoint) async -> Void
  private let queue = Mutex<[any FaultyWrite]>([])

  /// A handle on a database.
  ///
  /// - Parameters:
  ///   - batchMax: the most transactions in one commit. With 1, every pause, run and answer is the same as with an
  ///     `InMemoryDatabase`.
  ///   - now: the database's clock.
  ///   - faults: the injected faults; none by default.
  ///   - pause: awaited at each `DatabasePausePoint`. Other processes may run there; a process that never continues was
  ///     killed there.
  package init(
    _ database: SQLiteInMemoryStorage, batchMax: Int, now: @escaping @Sendable () -> Timestamp,
    faults: DatabaseFaults = DatabaseFaults(), pause: @escaping @Sendable (DatabasePausePoint) async -> Void = { _ in }
  ) {
    self.database = database
    self.batchMax = batchMax
    self.now = now
    self.faults = faults
    self.pause = pause
  }

  /// See `PaymentDatabase.transact`.
  package func transact<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseTransaction) throws -> Value
  ) async -> CommitOutcome<Value> {
    for run in 1...DatabaseLimits.runsPerTransaction {
      let job = FaultyTransaction(body, drawing: faults.transaction)
      if batchMax > 1 {
        if let outcome = database.plan(job, at: now()) {
          await pause(.beforeAnswer)
          return outcome
        }
        queue.withLock { $0.append(job) }
      }
      await pause(run == 1 ? .beforeRun : .betweenRuns)
      perform(job)
      let outcome = job.outcome()
      if case .refused(is FaultyTransaction<Value>.Conflict) = outcome { continue }
      if job.isCommitted { await pause(.afterCommit) }
      await pause(.beforeAnswer)
      return outcome
    }
    await pause(.beforeAnswer)
    return .refused(CodedError<DatabaseErrorCode>(.contended))
  }

  /// The first caller runs all waiting transactions, in their order. A caller on another thread waits for it.
  private func perform(_ job: any FaultyWrite) {
    if batchMax == 1 { return database.run([job], isDiskFull: faults.isDiskFull(), now: now) }
    queue.withLock { queue in
      while !job.isFinished {
        let jobs = Array(queue.prefix(batchMax))
        queue.removeFirst(jobs.count)
        guard !jobs.isEmpty else { return job.finish(.unknown) }
        database.run(jobs, isDiskFull: faults.isDiskFull(), now: now)
      }
    }
  }

  /// See `ReadableDatabase.read`.
  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseReader) throws -> Value
  ) async throws -> Value {
    await pause(.beforeRead)
    if let code = faults.read() { throw CodedError<DatabaseErrorCode>(code) }
    let result = Result { try database.read(at: now(), body) }
    await pause(.beforeAnswer)
    return try result.get()
  }
}
