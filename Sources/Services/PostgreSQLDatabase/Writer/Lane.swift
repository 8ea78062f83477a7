import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import SQLRows

/// One writing connection. It takes the waiting transactions, runs them as one batch, commits once, and only then
/// answers the callers.
///
/// The closures first run over one snapshot. Then the rows of their lock keys are locked in order and compared, and
/// their writes are applied. A transaction whose keys have changed runs again.
actor Lane {
  private nonisolated let executor: any SerialExecutor
  private let opener: ConnectionOpener
  let settings: PostgreSQLSettings
  private let queue: LaneQueue
  var commitRow: CommitRow
  var connection: Connection?
  /// Whether the last commit's outcome is unknown. Nothing is written before it is known.
  private var hasOpenCommit = false
  private var isClosed = false
  /// Numbers for payment keys that are not used yet.
  var numbers = PaymentNumbers()
  /// The time of the last batch.
  private var lastNow = Timestamp(milliseconds: 0)

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(
    _ settings: PostgreSQLSettings, _ opener: ConnectionOpener, row: CommitRow, queue: LaneQueue,
    on executor: any SerialExecutor
  ) {
    self.executor = executor
    self.opener = opener
    self.settings = settings
    self.queue = queue
    commitRow = row
  }

  /// Works until that transaction is finished.
  func perform(_ job: PendingTransaction) {
    while !job.isFinished {
      var waiting = queue.take(settings.batchMax)
      // An unfinished transaction that is not in the queue would be lost, so its outcome is unknown.
      guard !waiting.isEmpty else { return job.finish(.unknown) }
      while !waiting.isEmpty { waiting = runOnce(waiting).filter { !$0.isFinished } }
    }
  }

  /// - Returns: whether the outcome of every commit is known.
  func close() -> Bool {
    drop()
    isClosed = true
    return !hasOpenCommit
  }

  // MARK: Batches

  /// - Returns: the transactions that must run again.
  private func runOnce(_ jobs: [PendingTransaction]) -> [PendingTransaction] {
    let patient = jobs.filter { !$0.mustRunAlone }
    let impatient = jobs.filter(\.mustRunAlone)
    return (patient.isEmpty ? [] : runTogether(patient)) + impatient.flatMap { runAlone($0) }
  }

  private func runTogether(_ jobs: [PendingTransaction]) -> [PendingTransaction] {
    let plan: BatchPlan
    let connection: Connection
    do {
      connection = try ready()
      plan = try self.plan(jobs, on: connection)
    } catch {
      let rest = jobs.filter { !$0.isFinished }
      // One of them could not read, and takes the snapshot of all with it.
      return rest.count > 1 && isUsable ? rest.flatMap { runTogether([$0]) } : fail(rest, error)
    }
    var (batch, again) = plan.together()
    again += apply(batch, plan.versions)
    for job in plan.alone { again += runAlone(job) }
    for job in plan.taking { again += runTaking(job) }
    return again
  }

  private func plan(_ jobs: [PendingTransaction], on connection: Connection) throws -> BatchPlan {
    var planner = BatchPlanner(connection, clock: settings.clock, about: settings.clock?() ?? lastNow)
    do {
      let (plan, now) = try planner.plan(jobs)
      lastNow = now
      return plan
    } catch {
      connection.rollback()
      throw error
    }
  }

  /// Ends transactions with an error, or lets them run again after a conflict or a lost line.
  func fail(_ jobs: [PendingTransaction], _ error: any Error) -> [PendingTransaction] {
    // A division by zero is a commit row that is not the one that this lane knows: it is compared on a new connection.
    let isLost = connection?.isLost == true || (error as? PostgreSQLFailure)?.state == CommitRow.isAnotherState
    let error = (error as? PostgreSQLFailure)?.asDatabaseError ?? error
    if isLost { drop() }
    if error is DatabaseConflict || isLost { return jobs.filter { $0.mayRunAgain() } }
    for job in jobs { job.finish(.refused(error)) }
    return []
  }

  // MARK: Commit

  /// - Throws: a failure that left nothing written.
  /// - Returns: the transactions that must run again.
  func commit(
    _ jobs: [PendingTransaction], _ headers: KnownHeaders.Found, on connection: Connection
  ) throws -> [PendingTransaction] {
    do {
      try commitRow.count(on: connection)
      try connection.commit()
    } catch let failure as PostgreSQLFailure where failure.leavesCommitUnknown {
      drop()
      hasOpenCommit = true
      let truth = findOut()
      opener.unknownCommits.count(truth)
      return answer(jobs, truth)
    }
    commitRow.number += 1
    opener.work.addCommit(of: jobs.count)
    for (header, row) in headers { connection.knownHeaders.note(header, row: row) }
    for job in jobs { job.finish(.committed) }
    return []
  }

  private func answer(_ jobs: [PendingTransaction], _ truth: CommitRow.Truth) -> [PendingTransaction] {
    switch truth {
    case .committed: for job in jobs { job.finish(.committed) }
    case .notCommitted: return jobs.filter { $0.mayRunAgain() }
    case .unknown: for job in jobs { job.finish(.unknown) }
    }
    return []
  }

  /// Asks until it is known whether the last commit took, for about half a minute.
  private func findOut() -> CommitRow.Truth {
    var pause = TimeSpan.milliseconds(50)
    for _ in 0..<Self.questionsMax {
      if let connection = try? opener.openForAnswers() {
        let truth = commitRow.findOut(on: connection, counting: opener.lostCommits)
        if truth != .unknown || !connection.isLost {
          hasOpenCommit = false
          // The row may be of another process by now: the next connection compares it.
          if truth == .unknown { connection.close() } else { use(connection) }
          return truth
        }
      }
      Line.pause(pause)
      pause = min(.milliseconds(pause.milliseconds * 2), .seconds(5))
    }
    return .unknown
  }

  private static let questionsMax = 12

  // MARK: The connection

  var isUsable: Bool { connection?.isLost == false }

  func ready() throws -> Connection {
    guard !isClosed else { throw CodedError<DatabaseErrorCode>(.unavailable, "The database has been closed.") }
    if hasOpenCommit, findOut() == .unknown, hasOpenCommit {
      throw CodedError<DatabaseErrorCode>(.unavailable, "The outcome of an earlier commit is not known yet.")
    }
    if let connection, !connection.isLost, opener.stillLeads(connection) { return connection }
    let opened = try opener.openForAnswers()
    do { try commitRow.compare(on: opened, counting: opener.lostCommits) } catch {
      opened.close()
      throw (error as? PostgreSQLFailure)?.databaseError ?? error
    }
    use(opened)
    return opened
  }

  /// A server that took over may give numbers out again that the one before gave to this lane.
  private func use(_ opened: Connection) {
    numbers = PaymentNumbers()
    connection = opened
  }

  private func drop() {
    connection?.close()
    connection = nil
  }
}
