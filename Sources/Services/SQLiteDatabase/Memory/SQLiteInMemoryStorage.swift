package import PaymentDatabase
import PaymentPrimitives
import SQLRows
import Synchronization

/// A database of SQLite in memory: the disk of a simulation. It survives the processes that use it.
///
/// It has the schema, the statements and the batches of a database in a file. A batch is run and committed in one
/// synchronous step, so a killed process leaves no lock and no partial write.
package final class SQLiteInMemoryStorage: Sendable {
  private struct State {
    let connection: Connection
    /// The number of the last committed batch.
    var batchNumber: Int64 = 0
    var recent = RecentWrites(after: 0)
    var counts = PlanCounts()
  }

  private let state: Mutex<State>
  private let checksPlans: Bool

  /// A new database of this profile.
  ///
  /// - Parameters:
  ///   - installationSecret: 32 bytes, see `DatabaseSetting.installationSecret`.
  ///   - checksPlans: whether each closure runs again before its plan is applied; a difference ends the process. It
  ///     finds reads with too narrow a key.
  /// - Throws: `CodedError<DatabaseErrorCode>`.
  package init(profile: DatabaseProfile, installationSecret: [UInt8], checksPlans: Bool = false) throws {
    self.checksPlans = checksPlans
    state = Mutex(State(connection: try DatabaseFile.openInMemory(profile: profile, secret: installationSecret)))
  }

  /// Runs transactions as one batch and answers each.
  ///
  /// - Parameter isDiskFull: whether no page can be added.
  func run(_ jobs: [any FaultyWrite], isDiskFull: Bool, now: @escaping @Sendable () -> Timestamp) {
    state.withLock { state in
      do {
        // SQLite never sets the maximum below the current number of pages.
        try state.connection.execute("PRAGMA max_page_count = \(isDiskFull ? 1 : 1_073_741_823)")
        try run(jobs, &state, now)
      } catch {
        for job in jobs { job.finish(.refused((error as? SQLiteFailure)?.databaseError ?? error)) }
      }
    }
  }

  private func run(_ jobs: [any FaultyWrite], _ state: inout State, _ now: @escaping @Sendable () -> Timestamp)
    throws
  {
    var isCommitted = false
    var check: PlanCheck?
    if checksPlans { check = Self.check }
    var batch = CommitBatch(
      jobs, on: state.connection, number: state.batchNumber + 1, after: state.recent, now: now, check: check
    ) { connection in
      if jobs.contains(where: { $0.fault == .outcomeUnknownAndNotCommitted }) { throw SQLiteFailure.ofCommit }
      try connection.run(.commit)
      isCommitted = true
      if jobs.contains(where: { $0.fault == .outcomeUnknownButCommitted }) { throw SQLiteFailure.ofCommit }
    }
    let result = batch.run()
    state.recent = batch.recent
    state.counts.add(batch.counts)
    let isInside = !state.connection.isOutsideTransaction
    if isInside { try state.connection.run(.rollback) }
    if isCommitted { state.batchNumber += 1 }
    switch result {
    case .ended: break
    case .eachAlone: for job in jobs { try run([job], &state, now) }
    case .broken(let error): for job in jobs { job.finish(.refused(error)) }
    case .commitFailed: for job in jobs { job.finishUnknown(isCommitted: isCommitted) }
    }
  }

  /// Runs a closure over the present state, and keeps its plan with the job.
  ///
  /// - Returns: the outcome if the closure wrote nothing.
  func plan<Value: Sendable>(_ job: FaultyTransaction<Value>, at now: Timestamp) -> CommitOutcome<Value>? {
    state.withLock { state in
      let transaction = state.connection.newRun(now: now)
      defer { transaction.end() }
      let outcome = job.plan(over: transaction, containing: state.batchNumber)
      if outcome != nil { state.counts.answeredFromSnapshot += 1 }
      return outcome
    }
  }

  package var planCounts: PlanCounts { state.withLock { $0.counts } }

  /// A plan that counts as current must be what the closure would do now: otherwise a read has too narrow a key.
  private static func check(_ plan: TransactionPlan, of job: any PendingWrite, over connection: Connection) {
    let present = connection.newRun(now: plan.now)
    let recording = RecordingTransaction(planningOver: present, now: plan.now)
    let error = job.runAgain(in: recording)
    present.end()
    let writes = recording.plan?.writes ?? []
    if error == nil, writes == plan.writes { return }
    let difference = zip(plan.writes, writes).first { $0 != $1 }.map { "\($0), now \($1)" }
    let found = difference ?? error.map { "\($0)" } ?? "\(plan.writes.count) writes, now \(writes.count)"
    preconditionFailure("A plan is no longer true: \(found)")
  }

  func read<Value: Sendable>(at now: Timestamp, _ body: @Sendable (any DatabaseReader) throws -> Value) throws -> Value
  {
    try state.withLock { try Self.read($0.connection, at: now, body) }
  }

  private static func read<Value: Sendable>(
    _ connection: Connection, at now: Timestamp, _ body: @Sendable (any DatabaseReader) throws -> Value
  ) throws -> Value {
    try connection.run(.begin)
    let transaction = connection.newRun(now: now)
    let result = Result { try body(transaction) }
    let failure = transaction.failure
    transaction.end()
    try connection.run(.rollback)
    if let failure { throw failure }
    return try result.get()
  }
}

extension SQLiteFailure {
  fileprivate static let ofCommit = SQLiteFailure(10, "a simulated failure of COMMIT")
}
