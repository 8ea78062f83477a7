package import PaymentPrimitives

/// What one process holds of a `InMemoryStorage`: a handle that may be dropped at any await without harm to any
/// other.
///
/// It gives the obvious answers, and is what the other stores are compared with. Faults and pauses are handed in, so
/// that a simulated world decides when the database refuses and between which two steps a process dies.
package struct InMemoryDatabase: PaymentDatabase {
  private let database: InMemoryStorage
  private let now: @Sendable () -> Timestamp
  private let faults: DatabaseFaults
  private let pause: @Sendable (DatabasePausePoint) async -> Void

  /// A handle on a database.
  ///
  /// - Parameters:
  ///   - now: the database's clock.
  ///   - faults: what goes wrong; nothing unless said otherwise.
  ///   - pause: awaited at each `DatabasePausePoint`: others may run there, and a process that never comes back was
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

  /// As `PaymentDatabase.transact` says.
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

  /// As `ReadableDatabase.read` says.
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
