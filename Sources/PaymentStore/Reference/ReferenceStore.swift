public import PaymentVocabulary

/// What one process holds of a `ReferenceDatabase`: a handle that may be dropped at any await without harm to any
/// other.
///
/// It gives the obvious answers, and is what the other stores are compared with. Faults and pauses are handed in, so
/// that a simulated world decides when the database refuses and between which two steps a process dies.
public struct ReferenceStore: PaymentStore {
  private let database: ReferenceDatabase
  private let now: @Sendable () -> Timestamp
  private let faults: StoreFaults
  private let pause: @Sendable (StorePausePoint) async -> Void

  /// A handle on a database.
  ///
  /// - Parameters:
  ///   - now: the database's clock.
  ///   - faults: what goes wrong; nothing unless said otherwise.
  ///   - pause: awaited at each `StorePausePoint`: others may run there, and a process that never comes back was
  ///     killed there.
  public init(
    _ database: ReferenceDatabase, now: @escaping @Sendable () -> Timestamp,
    faults: StoreFaults = StoreFaults(),
    pause: @escaping @Sendable (StorePausePoint) async -> Void = { _ in }
  ) {
    self.database = database
    self.now = now
    self.faults = faults
    self.pause = pause
  }

  /// As `PaymentStore.transact` says.
  public func transact<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async -> StoreOutcome<Value> {
    await pause(.beforeRun)
    for run in 1...StoreLimit.runsPerTransaction {
      switch database.run(at: now(), faults.transaction(), body) {
      case .ended(let outcome, let isCommitted):
        if isCommitted { await pause(.afterCommit) }
        await pause(.beforeAnswer)
        return outcome
      case .conflict:
        if run < StoreLimit.runsPerTransaction { await pause(.betweenRuns) }
      }
    }
    await pause(.beforeAnswer)
    return .refused(Refusal<StoreErrorCode>(.contended))
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
