import PaymentDatabase
import PaymentPrimitives
import SQLRows

// Transactions that run on the connection itself, without a plan.
extension Lane {
  /// Runs a closure that takes due work, beside other writers: the rows that it takes are its own, with their keys. If
  /// it read anything else, it runs again while no other writes.
  func runTaking(_ job: PendingTransaction) -> [PendingTransaction] {
    do {
      let connection = try ready()
      try connection.queue(.begin)
      let locks = LockTable(connection: connection)
      try connection.queue(LockSQL.shareEverything)
      let now = try settings.clock?() ?? connection.first(CommitRowSQL.clock, { _ in }, { $0.timestamp() })
      let held = WorkLockTable(locks, commitRow.node)
      let transaction = connection.newRun(now: now ?? Timestamp(milliseconds: 0), taking: held)
      defer { transaction.end() }
      guard let recording = try record(job, in: transaction, readsToo: true, on: connection) else { return [] }
      let read = Set(recording.readKeys.all.map { LockNumber($0) })
      guard !recording.hasReadWithoutKey, !recording.hasWrittenEverything, read.isSubset(of: held.keys) else {
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
  func runAlone(_ job: PendingTransaction) -> [PendingTransaction] {
    do {
      let connection = try ready()
      try connection.queue(.begin)
      let locks = LockTable(connection: connection)
      try locks.lockEverything()
      let now = try settings.clock?() ?? connection.first(CommitRowSQL.clock, { _ in }, { $0.timestamp() })
      let held = WorkLockTable(locks, commitRow.node)
      let transaction = connection.newRun(now: now ?? Timestamp(milliseconds: 0), taking: held)
      defer { transaction.end() }
      guard let recording = try record(job, in: transaction, readsToo: false, on: connection) else { return [] }
      try locks.noteWritten(
        Set(recording.writtenKeys.all.map { LockNumber($0) }), everything: recording.hasWrittenEverything)
      return try commit([job], transaction.known.headers, on: connection)
    } catch {
      connection?.rollback()
      return fail([job], error)
    }
  }

  /// Runs a closure in a transaction that is open.
  ///
  /// - Returns: what it did; nil if it wrote nothing, and is finished with that.
  private func record(
    _ job: PendingTransaction, in transaction: any SQLRun, readsToo: Bool, on connection: Connection
  ) throws -> RecordingTransaction? {
    let recording = RecordingTransaction(over: transaction, recordsReads: readsToo)
    let thrown = job.run(in: recording)
    // A write may have failed before the closure threw.
    if let failure = transaction.failure { throw failure }
    try connection.finish()
    recording.end()
    if let thrown { throw thrown }
    guard transaction.hasWritten else {
      connection.rollback()
      job.finish(.committed)
      return nil
    }
    return recording
  }
}
