package import PaymentPrimitives

/// One process's handle on an `InMemoryStorage`. It may be dropped at any await without effect on other handles.
///
/// It is the simple reference that the other databases are compared with. Faults and pauses are parameters, so that a
/// simulation decides when the database fails and between which two steps a process dies.
package struct InMemoryDatabase: PaymentDatabase {
  private let database: InMemoryStorage
  private let now: @Sendable () -> Timestamp
  private let faults: DatabaseFaults
  private let pause: @Sendable (DatabasePausePoint) async -> Void

  /// Creates a handle on a database.
  ///
  /// - Parameters:
  ///   - now: the database's clock.
  ///   - faults: the faults to inject; default: none.
  ///   - pause: awaited at each `DatabasePausePoint`. Other processes may run there; a process that never resumes was
  ///     killed there.
  package init(
    _ database: InMemoryStorage, now: @escaping @Sendable () -> Timestamp,
    faults: DatabaseFaults = DatabaseFaults(),
    pause: @escaping @Sendable (DatabasePausePoint) async -> Void = { _ in }
  ) {
    self.database = database
    self.now = now
    self.faults = faults
    self.pause = pause
  }

  /// See `PaymentDatabase.transact`.
  package func transact<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseTransaction) throws -> Value
  ) async -> CommitOutcome<Value> {
    await pause(.beforeRun)
    for run in 1...DatabaseLimits.runsPerTransaction {
      switch database.run(at: now(), faults.transaction(), body) {
      case .ended(let outcome, let isCommitted):
        if isCommitted { await pause(.afterCommit) }
        await pause(.beforeAnswer)
        return outcome
      case .conflict:
        if run < DatabaseLimits.runsPerTransaction { await pause(.betweenRuns) }
      }
    }
    await pause(.beforeAnswer)
    return .refused(CodedError<DatabaseErrorCode>(.contended))
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
