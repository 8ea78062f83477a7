import PaymentDatabase
import PaymentPrimitives
import SQLRows

/// Transactions that become durable with one COMMIT.
///
/// First they run in sequence without savepoints. A job with a plan only writes what it planned, unless something that
/// it read has changed since its snapshot; then its closure runs here. If a job fails after a write, the batch is
/// rolled back. All closures run again with a savepoint each, so that only that one fails. No caller gets an answer
/// before the COMMIT.
struct CommitBatch {
  let jobs: [any PendingWrite]
  /// Its number, which its last statement writes into the database.
  let number: Int64
  /// Whether the COMMIT succeeded; false for a batch that wrote nothing.
  private(set) var isCommitted = false
  /// What the last commits wrote, with what this batch has written so far.
  private(set) var recent: RecentWrites
  private(set) var counts = PlanCounts()
  private let connection: Connection
  private let now: @Sendable () -> Timestamp
  private let commitStep: (Connection) throws -> Void
  private let check: PlanCheck?
  private var ends: [WriteEnd] = []
  private var hasWritten = false

  enum Result {
    case ended
    /// SQLite has ended the transaction of the batch: each job must run again in its own transaction.
    case eachAlone
    /// The connection is unusable; nothing was written.
    case broken(CodedError<DatabaseErrorCode>)
    /// The COMMIT reported an error: whether it succeeded must be determined.
    case commitFailed(CodedError<DatabaseErrorCode>)
  }

  /// - Parameters:
  ///   - recent: what the commits before this one wrote.
  ///   - check: called with each plan that is about to be applied; a simulation compares it with a new one.
  ///   - commit: runs COMMIT; a simulation lets it fail before or after.
  init(
    _ jobs: [any PendingWrite], on connection: Connection, number: Int64, after recent: RecentWrites,
    now: @escaping @Sendable () -> Timestamp, check: PlanCheck? = nil,
    commit: @escaping (Connection) throws -> Void = { try $0.commit() }
  ) {
    self.jobs = jobs
    self.connection = connection
    self.number = number
    self.recent = recent
    self.check = check
    self.now = now
    commitStep = commit
  }

  /// Passes the result of its run to every job. Call it only once the result is durable.
  func finish() {
    for (job, end) in zip(jobs, ends) { job.finish(end) }
  }

  mutating func run() -> Result {
    do {
      switch try runAll(withSavepoints: false) {
      case .ran: return try commit()
      case .lost(let error): return lost(error)
      case .mustFallAlone: break
      }
      try connection.run(.rollback)
      switch try runAll(withSavepoints: true) {
      case .ran: return try commit()
      case .lost(let error): return lost(error)
      case .mustFallAlone: preconditionFailure("with savepoints every job falls alone")
      }
    } catch {
      // BEGIN, ROLLBACK or a savepoint failed: the connection is closed, which ends any open transaction.
      return .broken((error as? SQLiteFailure)?.databaseError ?? CodedError(.unavailable))
    }
  }

  private enum Run {
    case ran
    /// A job threw after a write, and has no savepoint.
    case mustFallAlone
    /// SQLite has rolled back the whole transaction.
    case lost(any Error)
  }

  private mutating func runAll(withSavepoints: Bool) throws -> Run {
    ends = []
    hasWritten = false
    try connection.run(.beginImmediate)
    for job in jobs {
      let (run, end) = try self.run(job, withSavepoint: withSavepoints)
      guard let end else { return run }
      ends.append(end)
    }
    return .ran
  }

  private mutating func run(
    _ job: any PendingWrite, withSavepoint: Bool
  ) throws -> (Run, WriteEnd?) {
    if !withSavepoint {
      if let planned = job.takePlan() {
        if recent.isUnchanged(planned.plan.reads, since: planned.snapshot) { return apply(planned, of: job) }
        counts.outdated += 1
      } else {
        counts.withoutPlan += 1
      }
    }
    for _ in 1...DatabaseLimits.runsPerTransaction {
      if withSavepoint { try connection.run(.savepoint) }
      let transaction = connection.newRun(now: now())
      let recording = RecordingTransaction(over: transaction)
      let thrown = job.run(in: recording)
      let failure = transaction.failure ?? thrown
      note(recording)
      recording.end()
      transaction.end()
      guard let failure else {
        if withSavepoint { try connection.run(.release) }
        hasWritten = hasWritten || transaction.hasWritten
        return (.ran, .committed)
      }
      if connection.isOutsideTransaction { return (.lost(failure), nil) }
      if withSavepoint {
        try connection.run(.rollbackToSavepoint)
        try connection.run(.release)
      } else if transaction.hasWritten {
        return (.mustFallAlone, nil)
      }
      guard failure is DatabaseConflict else { return (.ran, .refused(failure)) }
    }
    return (.ran, .refused(CodedError<DatabaseErrorCode>(.contended)))
  }

  /// Writes what a job planned. A failure lets every job of the batch run again.
  private mutating func apply(_ planned: PlannedWrite, of job: any PendingWrite) -> (Run, WriteEnd?) {
    check?(planned.plan, job, connection)
    let transaction = connection.newRun(now: planned.plan.now, known: planned.known)
    defer { transaction.end() }
    do {
      for write in planned.plan.writes { try write.apply(to: transaction) }
    } catch {
      return (connection.isOutsideTransaction ? .lost(error) : .mustFallAlone, nil)
    }
    recent.note(planned.plan.written, in: number)
    hasWritten = true
    counts.applied += 1
    return (.ran, .committed)
  }

  private mutating func note(_ recording: RecordingTransaction) {
    if recording.hasWrittenEverything { return recent.noteEverything(in: number) }
    recent.note(recording.writtenKeys.hashes, in: number)
  }

  private func lost(_ error: any Error) -> Result {
    if jobs.count > 1 { return .eachAlone }
    let error = error as? CodedError<DatabaseErrorCode> ?? CodedError(.unavailable)
    guard error.code == .full else { return .broken(error) }
    jobs[0].finish(.refused(error))
    return .ended
  }

  private mutating func commit() throws -> Result {
    guard hasWritten else {
      try connection.run(.rollback)
      finish()
      return .ended
    }
    do {
      try connection.setBatchNumber(number)
    } catch let failure as SQLiteFailure where connection.isOutsideTransaction {
      return lost(failure.databaseError)
    }
    do { try commitStep(connection) } catch let failure as SQLiteFailure {
      return .commitFailed(failure.databaseError)
    }
    isCommitted = true
    finish()
    return .ended
  }
}

/// Called with a plan that is about to be applied, its job, and the connection in its state before.
typealias PlanCheck = (TransactionPlan, any PendingWrite, Connection) -> Void

extension SQL {
  static let beginImmediate = SQL("BEGIN IMMEDIATE")
  static let begin = SQL("BEGIN")
  static let commit = SQL("COMMIT")
  static let rollback = SQL("ROLLBACK")
  static let savepoint = SQL("SAVEPOINT job")
  static let rollbackToSavepoint = SQL("ROLLBACK TO job")
  static let release = SQL("RELEASE job")
  fileprivate static let batchNumber = SQL("SELECT number FROM batch WHERE id = 1")
  static let setBatchNumber = SQL("UPDATE batch SET number = ? WHERE id = 1")
}

extension Connection {
  /// The number of the last committed batch.
  func batchNumber() throws -> Int64 {
    try first(.batchNumber, { _ in }, { $0.integer() }) ?? 0
  }

  /// Writes the number, so that the database shows later whether the next commit succeeded.
  func setBatchNumber(_ number: Int64) throws {
    try run(.setBatchNumber) { $0.add(number) }
  }

  /// Writes the whole log back into the database file, syncs the file, and empties the log.
  func emptyLog() throws {
    let isBusy = try number("PRAGMA wal_checkpoint(TRUNCATE)") ?? 1
    guard isBusy == 0 else { throw SQLiteFailure(5, "a reader kept the log from being emptied") }
  }
}
