public import PaymentStore
public import PaymentVocabulary
import Synchronization

/// What one process holds of a `SQLiteMemoryDatabase`. Its transactions wait in a line of its own, which is gone with
/// it, and go in batches like those of `SQLiteStore`.
public final class SQLiteMemoryStore: PaymentStore {
  private let database: SQLiteMemoryDatabase
  private let batchMax: Int
  private let now: @Sendable () -> Timestamp
  private let faults: StoreFaults
  private let pause: @Sendable (StorePausePoint) async -> Void
  private let line = Mutex<[any FaultyJob]>([])

  /// A handle on a database.
  ///
  /// - Parameters:
  ///   - batchMax: how many transactions are committed together at most. With 1 it does in every pause, run and answer
  ///     what a `ReferenceStore` does.
  ///   - now: the database's clock.
  ///   - faults: what goes wrong; nothing unless said otherwise.
  ///   - pause: awaited at each `StorePausePoint`: others may run there, and a process that never comes back was killed
  ///     there.
  public init(
    _ database: SQLiteMemoryDatabase, batchMax: Int, now: @escaping @Sendable () -> Timestamp,
    faults: StoreFaults = StoreFaults(), pause: @escaping @Sendable (StorePausePoint) async -> Void = { _ in }
  ) {
    self.database = database
    self.batchMax = batchMax
    self.now = now
    self.faults = faults
    self.pause = pause
  }

  /// As `PaymentStore.transact` says.
  public func transact<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async -> StoreOutcome<Value> {
    for run in 1...StoreLimit.runsPerTransaction {
      let job = FaultyTransactionJob(body, drawing: faults.transaction)
      if batchMax > 1 { line.withLock { $0.append(job) } }
      await pause(run == 1 ? .beforeRun : .betweenRuns)
      perform(job)
      if case .refused(is FaultyTransactionJob<Value>.Conflict) = job.outcome { continue }
      if job.isCommitted { await pause(.afterCommit) }
      await pause(.beforeAnswer)
      return job.outcome
    }
    await pause(.beforeAnswer)
    return .refused(Refusal<StoreErrorCode>(.contended))
  }

  /// Whoever comes first runs all that wait, in their order.
  private func perform(_ job: any FaultyJob) {
    if batchMax == 1 { return database.run([job], isDiskFull: faults.isDiskFull(), now: now) }
    while !job.isFinished {
      let jobs = line.withLock { line in
        defer { line.removeFirst(min(batchMax, line.count)) }
        return Array(line.prefix(batchMax))
      }
      guard !jobs.isEmpty else { return job.finish(.unknown) }
      database.run(jobs, isDiskFull: faults.isDiskFull(), now: now)
    }
  }

  /// As `ReadableStore.read` says.
  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws -> Value
  ) async throws -> Value {
    await pause(.beforeRead)
    if let code = faults.read() { throw Refusal<StoreErrorCode>(code) }
    let result = Result { try database.read(at: now(), body) }
    await pause(.beforeAnswer)
    return try result.get()
  }
}
