import PaymentDatabase
import PaymentPrimitives

/// One writing connection. It takes the waiting transactions, runs them as one batch, commits once, and only then
/// answers the callers.
///
/// The closures first run over one snapshot. Then the rows of their lock keys are locked in order and compared, and
/// their writes are applied. A transaction whose keys have changed runs again.
actor Lane {
  private nonisolated let executor: any SerialExecutor
  private let opener: ConnectionOpener
  private let settings: PostgreSQLSettings
  private let queue: LaneQueue
  private var commitRow: CommitRow
  private var connection: Connection?
  /// Whether the last commit's outcome is unknown. Nothing is written before it is known.
  private var hasOpenCommit = false
  private var isClosed = false

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
    let now = try now(on: connection)
    defer { connection.rollback() }
    return try BatchPlanner(connection: connection, now: now).plan(jobs)
  }

  /// Begins a snapshot and returns its time.
  private func now(on connection: Connection) throws -> Timestamp {
    try connection.queue(.beginSnapshot)
    if let clock = settings.clock {
      try connection.finish()
      return clock()
    }
    return try connection.first(CommitRowSQL.clock, { _ in }, { $0.timestamp() }) ?? Timestamp(milliseconds: 0)
  }

  /// Writes what was planned.
  ///
  /// - Returns: the transactions that must run again.
  private func apply(_ batch: [PlannedTransaction], _ before: LockVersions) -> [PendingTransaction] {
    guard !batch.isEmpty else { return [] }
    var outdated: [PendingTransaction] = []
    var applied: [PlannedTransaction] = []
    do {
      let connection = try ready()
      try connection.queue(.begin)
      let locks = LockTable(connection: connection)
      let keys = batch.reduce(into: Set<LockNumber>()) { $0.formUnion($1.reads.union($1.written)) }
      let versions = try locks.lock(keys)
      applied = batch.filter { before.isUnchanged($0.reads, in: versions) }
      outdated = batch.map(\.job).filter { job in !applied.contains { $0.job === job } }
      guard !applied.isEmpty else {
        connection.rollback()
        return outdated.filter { $0.mayRunAgain() }
      }
      var headers = KnownHeaders.Found()
      for plan in applied {
        let transaction = PostgreSQLTransaction(connection, now: plan.now, known: plan.known)
        defer { transaction.end() }
        for write in plan.writes { try write.apply(to: transaction) }
        headers += transaction.known.headers
      }
      try locks.noteWritten(applied.reduce(into: []) { $0.formUnion($1.written) }, everything: false)
      let unanswered = try commit(applied.map(\.job), headers, on: connection)
      return outdated.filter { $0.mayRunAgain() } + unanswered
    } catch {
      connection?.rollback()
      let again = outdated.filter { $0.mayRunAgain() }
      guard batch.count - outdated.count > 1, isUsable else {
        return again + fail(batch.map(\.job).filter { job in !outdated.contains { $0 === job } }, error)
      }
      // One of them failed, and the error does not say which.
      return again
        + batch.filter { plan in !outdated.contains { $0 === plan.job } }.flatMap { apply([$0], before) }
    }
  }

  /// Runs a closure that takes due work, beside other writers: the rows that it takes are its own, with their keys. If
  /// it read anything else, it runs again while no other writes.
  private func runTaking(_ job: PendingTransaction) -> [PendingTransaction] {
    do {
      let connection = try ready()
      try connection.queue(.begin)
      let locks = LockTable(connection: connection)
      try connection.queue(LockSQL.shareEverything)
      let now = try settings.clock?() ?? connection.first(CommitRowSQL.clock, { _ in }, { $0.timestamp() })
      let transaction = PostgreSQLTransaction(
        connection, now: now ?? Timestamp(milliseconds: 0), node: commitRow.node)
      defer { transaction.end() }
      let recording = RecordingTransaction(over: transaction, recordsReads: true)
      let thrown = job.run(in: recording)
      try transaction.finish()
      recording.end()
      if let thrown { throw thrown }
      guard transaction.hasWritten else {
        connection.rollback()
        job.finish(.committed)
        return []
      }
      let read = Set(recording.readKeys.all.map { LockNumber($0) })
      guard !recording.hasReadWithoutKey, !recording.hasWrittenEverything, read.isSubset(of: transaction.heldKeys)
      else {
        connection.rollback()
        return runAlone(job)
      }
      try locks.noteWritten(Set(recording.writtenKeys.all.map { LockNumber($0) }), everything: false)
      return try commit([job], transaction.known.headers, on: connection)
    } catch {
      connection?.rollback()
      return fail([job], error)
    }
  }

  /// Runs a closure while no other writes anywhere.
  private func runAlone(_ job: PendingTransaction) -> [PendingTransaction] {
    do {
      let connection = try ready()
      try connection.queue(.begin)
      let locks = LockTable(connection: connection)
      try locks.lockEverything()
      let now = try settings.clock?() ?? connection.first(CommitRowSQL.clock, { _ in }, { $0.timestamp() })
      let transaction = PostgreSQLTransaction(
        connection, now: now ?? Timestamp(milliseconds: 0), node: commitRow.node)
      let recording = RecordingTransaction(over: transaction)
      let thrown = job.run(in: recording)
      // A write may have failed before the closure threw.
      try transaction.finish()
      recording.end()
      if let thrown { throw thrown }
      defer { transaction.end() }
      guard transaction.hasWritten else {
        connection.rollback()
        job.finish(.committed)
        return []
      }
      try locks.noteWritten(
        Set(recording.writtenKeys.all.map { LockNumber($0) }), everything: recording.hasWrittenEverything)
      return try commit([job], transaction.known.headers, on: connection)
    } catch {
      connection?.rollback()
      return fail([job], error)
    }
  }

  /// Ends transactions with an error, or lets them run again after a conflict or a lost line.
  private func fail(_ jobs: [PendingTransaction], _ error: any Error) -> [PendingTransaction] {
    let error = (error as? PostgreSQLFailure)?.asDatabaseError ?? error
    let isLost = connection?.isLost == true
    if isLost { drop() }
    if error is DatabaseConflict || isLost { return jobs.filter { $0.mayRunAgain() } }
    for job in jobs { job.finish(.refused(error)) }
    return []
  }

  // MARK: Commit

  /// - Throws: a failure that left nothing written.
  /// - Returns: the transactions that must run again.
  private func commit(
    _ jobs: [PendingTransaction], _ headers: KnownHeaders.Found, on connection: Connection
  ) throws -> [PendingTransaction] {
    do {
      try commitRow.count(on: connection)
      try connection.commit()
    } catch let failure as PostgreSQLFailure where failure.leavesCommitUnknown {
      drop()
      hasOpenCommit = true
      return answer(jobs, findOut())
    }
    commitRow.number += 1
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
      if let connection = try? opener.open() {
        let truth = commitRow.findOut(on: connection)
        if truth != .unknown || !connection.isLost {
          hasOpenCommit = false
          self.connection = connection.isLost ? nil : connection
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

  private var isUsable: Bool { connection?.isLost == false }

  private func ready() throws -> Connection {
    guard !isClosed else { throw CodedError<DatabaseErrorCode>(.unavailable, "The database has been closed.") }
    if hasOpenCommit, findOut() == .unknown, hasOpenCommit {
      throw CodedError<DatabaseErrorCode>(.unavailable, "The outcome of an earlier commit is not known yet.")
    }
    if let connection, !connection.isLost { return connection }
    let opened = try opener.open()
    connection = opened
    return opened
  }

  private func drop() {
    connection?.close()
    connection = nil
  }
}
