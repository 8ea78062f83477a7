import PaymentDatabase
import PaymentPrimitives

/// The one that writes: it takes what waits, runs it as one batch, commits once, and only then lets anybody know.
///
/// Every caller adds its job to the line and then calls `perform`. Whoever comes first runs a batch with the jobs of
/// all; the others find theirs done. So batches are as large as the traffic, and nobody waits for a clock.
actor SQLiteWriter {
  private nonisolated let executor: any SerialExecutor
  private let file: DatabaseFile
  private let settings: SQLiteSettings
  private let surroundings: Dependencies
  private let line: WriteQueue
  private var lock: HolderLock?
  private var connection: Connection?
  /// The number of the batch that was committed last.
  private var batchNumber: Int64 = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(
    _ settings: SQLiteSettings, _ surroundings: Dependencies, _ line: WriteQueue,
    on executor: any SerialExecutor
  ) {
    self.executor = executor
    self.settings = settings
    self.surroundings = surroundings
    self.line = line
    self.file = DatabaseFile(settings)
  }

  /// Takes the right to write and opens the database.
  ///
  /// - Throws: `Refusal<DatabaseErrorCode>`.
  func open() throws {
    lock = try HolderLock(
      databasePath: settings.path, holder: settings.holder, now: surroundings.now())
    do { connection = try opened(newWith: { self.surroundings.randomBytes(32) }) } catch {
      lock = nil
      throw error
    }
  }

  /// Gives everything up: the log goes back into the file, then the lock is free.
  func close() {
    connection?.close()
    connection = nil
    lock = nil
  }

  /// Works until that job is done.
  func perform(_ job: any PendingWrite) {
    while !job.isFinished {
      let jobs = line.take(settings.batchMax)
      // A job that waits is in the line; one that is neither there nor done would be lost, and is said to be so.
      guard !jobs.isEmpty else { return job.finish(.unknown) }
      perform(jobs)
    }
  }

  private func perform(_ jobs: [any PendingWrite]) {
    let connection: Connection
    do { connection = try readyConnection() } catch {
      for job in jobs { job.finish(.refused(error)) }
      return
    }
    var batch = CommitBatch(jobs, on: connection, number: batchNumber + 1, now: surroundings.now)
    switch batch.run() {
    case .ended:
      if batch.isCommitted { batchNumber += 1 }
    case .eachAlone:
      for job in jobs { perform([job]) }
    case .broken(let refusal):
      // The connection is not trusted any more; the next batch opens another.
      self.connection = nil
      connection.close()
      for job in jobs { job.finish(.refused(refusal)) }
    case .commitFailed(let refusal):
      self.connection = nil
      connection.close()
      answer(batch, after: refusal)
    }
  }

  /// Answers a batch whose COMMIT failed, truthfully.
  private func answer(_ batch: CommitBatch, after refusal: CodedError<DatabaseErrorCode>) {
    // Frames are written one after the other, and the last makes the commit: where one of them found no room, there
    // is none.
    let truth = refusal.code == .full ? Truth.notCommitted : findOut(whether: batch.number)
    switch truth {
    case .committed: batch.finish()
    case .unknown: for job in batch.jobs { job.finish(.unknown) }
    case .notCommitted where refusal.code == .full && batch.jobs.count > 1:
      // There was no room for all of them together; for some there may be.
      for job in batch.jobs { perform([job]) }
    case .notCommitted: for job in batch.jobs { job.finish(.refused(refusal)) }
    }
  }

  private enum Truth {
    case committed
    case notCommitted
    case unknown
  }

  /// Whether a batch took whose COMMIT reported an error.
  ///
  /// The log may hold its frames whole, unsynced, and a later recovery could still find them; or a power cut could
  /// still lose them. So the log is first written back and emptied, which settles it either way; then the batch's
  /// number in the database tells; then a commit of our own overwrites the log's beginning, so that nothing old can
  /// be found behind it. Any error on the way leaves the outcome unknown.
  private func findOut(whether number: Int64) -> Truth {
    do {
      let connection = try file.openForWriting(profile: settings.profile, newWith: nil)
      try connection.emptyLog()
      let found = try connection.batchNumber()
      try connection.execute("BEGIN IMMEDIATE")
      try connection.setBatchNumber(number + 1)
      try connection.execute("COMMIT")
      self.connection = connection
      batchNumber = number + 1
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
    let connection = try opened(newWith: nil)
    self.connection = connection
    return connection
  }

  private func opened(newWith secret: (() -> [UInt8])?) throws -> Connection {
    let connection = try file.openForWriting(profile: settings.profile, newWith: secret)
    do { batchNumber = try connection.batchNumber() } catch let failure as SQLiteFailure {
      throw failure.refusal
    }
    return connection
  }
}
