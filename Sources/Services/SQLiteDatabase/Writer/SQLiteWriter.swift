import PaymentDatabase
import PaymentPrimitives

/// The only writer. It takes the waiting jobs, runs them as one batch, commits once, and only then answers the callers.
///
/// Every caller adds its job to the queue and then calls `perform`. The first caller runs a batch with all waiting
/// jobs; the others find their jobs finished. So batches grow with the traffic, and no caller waits for a timer.
actor SQLiteWriter {
  private nonisolated let executor: any SerialExecutor
  private let file: DatabaseFile
  private let settings: SQLiteSettings
  private let dependencies: Dependencies
  private let queue: WriteQueue
  private let planner: SnapshotPlanner
  private var lock: DatabaseFileLock?
  private var connection: Connection?
  /// The number of the last committed batch.
  private var batchNumber: Int64 = 0
  /// What the last batches wrote.
  private var recent = RecentWrites(after: 0)
  /// The size of the last batch.
  private var lastCount = 0
  /// As many pauses as 1 ms has.
  private static let pausesMax = 8
  /// In a larger batch the commit is a small part of the cost, and the wait would be the larger one.
  private static let gatheredMax = 64
  /// How the jobs ran so far.
  private(set) var counts = PlanCounts()

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(
    _ settings: SQLiteSettings, _ dependencies: Dependencies, queue: WriteQueue, planner: SnapshotPlanner,
    on executor: any SerialExecutor
  ) {
    self.executor = executor
    self.settings = settings
    self.dependencies = dependencies
    self.queue = queue
    self.planner = planner
    self.file = DatabaseFile(settings)
  }

  /// Takes the lock for writing and opens the database.
  ///
  /// - Throws: `CodedError<DatabaseErrorCode>`.
  func open() throws {
    lock = try DatabaseFileLock(
      databasePath: settings.path, holder: settings.holder, now: dependencies.now())
    do {
      try adopt(
        file.openForWriting(
          profile: settings.profile, newWith: { self.dependencies.randomBytes(32) }, startingAt: dependencies.now()))
    } catch {
      lock = nil
      throw error
    }
  }

  /// Closes the connection, which writes the log back into the file, and then releases the lock.
  func close() {
    if let connection {
      try? LogMark.end(on: connection, at: dependencies.now())
      connection.close()
    }
    connection = nil
    lock = nil
  }

  /// Works until that job is finished.
  func perform(_ job: any PendingWrite) {
    while !job.isFinished {
      gather()
      let jobs = queue.take(settings.batchMax)
      lastCount = jobs.count
      // An unfinished job that is not in the queue would be lost, so its outcome is unknown.
      guard !jobs.isEmpty else { return job.finish(.unknown) }
      perform(jobs)
    }
  }

  /// Waits until as many jobs wait as the last batch had, but at most 1 ms. A job that comes alone after another one
  /// that came alone never waits.
  private func gather() {
    guard let pause = settings.pause else { return }
    let enough = min(lastCount, Self.gatheredMax)
    for _ in 0..<Self.pausesMax {
      if queue.count >= enough { return }
      pause()
    }
  }

  /// Does a bounded part of a migration that runs beside the traffic. It needs no number: no read sees a difference.
  ///
  /// - Returns: whether more is left.
  /// - Throws: `CodedError<DatabaseErrorCode>`; nothing of the part is written, or all of it.
  func continueMigration(rows: Int) throws -> Bool {
    let connection = try readyConnection()
    let isMoreLeft: Bool
    do {
      try connection.run(.beginImmediate)
      isMoreLeft = try EvidenceHeaderMigration(connection: connection, now: dependencies.now()).step(rows)
    } catch {
      // Closing ends the open transaction. The next batch opens another connection.
      close(connection)
      throw (error as? SQLiteFailure)?.databaseError ?? error
    }
    do { try connection.commit() } catch let failure as SQLiteFailure {
      close(connection)
      // No commit may follow in a log that may contain unsynced frames.
      _ = findOut(whether: batchNumber + 1)
      throw failure.databaseError
    }
    tendLog(of: connection)
    return isMoreLeft
  }

  private func close(_ connection: Connection) {
    self.connection = nil
    connection.close()
  }

  private func perform(_ jobs: [any PendingWrite]) {
    let connection: Connection
    do { connection = try readyConnection() } catch {
      for job in jobs { job.finish(.refused(error)) }
      return
    }
    let (number, commits) = (batchNumber + 1, planner.commits)
    var batch = CommitBatch(
      jobs, on: connection, number: number, after: recent, now: dependencies.now,
      commit: { connection in
        try connection.commit()
        commits.note(number)
      })
    recent = RecentWrites(after: batchNumber)
    let result = batch.run()
    recent = batch.recent
    counts.add(batch.counts)
    switch result {
    case .ended:
      guard batch.isCommitted else { return }
      batchNumber = number
      tendLog(of: connection)
    case .eachAlone:
      for job in jobs { perform([job]) }
    case .broken(let error):
      // The connection is no longer trusted; the next batch opens another.
      close(connection)
      for job in jobs { job.finish(.refused(error)) }
    case .commitFailed(let error):
      commits.noteUnknown()
      close(connection)
      answer(batch, after: error)
    }
  }

  /// Answers a batch with the true outcome after its COMMIT failed.
  private func answer(_ batch: CommitBatch, after error: CodedError<DatabaseErrorCode>) {
    // Frames are written in sequence, and the last one makes the commit. If one of them found no room, there is no
    // commit.
    let truth = error.code == .full ? Truth.notCommitted : findOut(whether: batch.number)
    switch truth {
    case .committed: batch.finish()
    case .unknown: for job in batch.jobs { job.finish(.unknown) }
    case .notCommitted where error.code == .full && batch.jobs.count > 1:
      // There was no room for all of them together; there may be room for some.
      for job in batch.jobs { perform([job]) }
    case .notCommitted: for job in batch.jobs { job.finish(.refused(error)) }
    }
  }

  private enum Truth {
    case committed
    case notCommitted
    case unknown
  }

  /// Whether a batch succeeded although its COMMIT reported an error.
  ///
  /// The log may contain its frames complete but unsynced. A later recovery could still find them, or a power failure
  /// could still lose them. So the log is first written back and emptied, which settles the outcome. Then the batch's
  /// number in the database shows it. Then a new commit overwrites the beginning of the log, so that no old frames are
  /// found behind it. Any error on the way leaves the outcome unknown.
  private func findOut(whether number: Int64) -> Truth {
    planner.commits.noteUnknown()
    planner.commits.keepsSnapshots = false
    planner.releaseSnapshots()
    do {
      let connection = try file.openForWriting(profile: settings.profile, newWith: nil)
      try connection.emptyLog()
      let found = try connection.batchNumber()
      try connection.execute("BEGIN IMMEDIATE")
      try connection.setBatchNumber(number + 1)
      try connection.execute("COMMIT")
      adopt(connection, at: number + 1)
      switch found {
      case number: return .committed
      case number - 1: return .notCommitted
      default: return .unknown
      }
    } catch {
      return .unknown
    }
  }

  private func readyConnection() throws -> Connection {
    if let connection { return connection }
    guard lock != nil else {
      throw CodedError<DatabaseErrorCode>(.unavailable, "The database has been closed.")
    }
    let connection = try file.openForWriting(profile: settings.profile, newWith: nil)
    try adopt(connection)
    return connection
  }

  private func adopt(_ connection: Connection) throws {
    do { adopt(connection, at: try connection.batchNumber()) } catch let failure as SQLiteFailure {
      throw failure.databaseError
    }
    recent = RecentWrites(after: batchNumber)
  }

  private func adopt(_ connection: Connection, at number: Int64) {
    connection.watchLog()
    self.connection = connection
    batchNumber = number
    planner.commits.note(number)
    planner.commits.keepsSnapshots = true
  }

  /// Writes a long log back, after the callers have their answers.
  ///
  /// The next commit starts the log again at its beginning if all of it is in the file and no snapshot needs the log. A
  /// snapshot that begins after that reads the file alone; so those from before end first, and those from meanwhile.
  private func tendLog(of connection: Connection) {
    guard connection.logPages >= DatabaseFile.logPagesMax else { return }
    planner.commits.keepsSnapshots = false
    planner.releaseSnapshots()
    connection.writeBackLog()
    planner.releaseSnapshots()
    planner.commits.keepsSnapshots = true
  }
}
