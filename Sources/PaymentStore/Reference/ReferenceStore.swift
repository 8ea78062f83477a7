public import PaymentVocabulary

/// What one process holds of a `ReferenceDatabase`: a handle that may be dropped at any await without harm to any
/// other.
///
/// It gives the obvious answers, and is what the other stores are compared with. Faults and pauses are handed in, so
/// that a simulated world decides when the database refuses and between which two steps a process dies.
public struct ReferenceStore: PaymentStore {
  private let database: ReferenceDatabase
  private let now: @Sendable () -> Timestamp
  private let faults: ReferenceFaults
  private let pause: @Sendable (ReferencePoint) async -> Void

  /// A handle on a database.
  ///
  /// - Parameters:
  ///   - now: the database's clock.
  ///   - faults: what goes wrong; nothing unless said otherwise.
  ///   - pause: awaited at each `ReferencePoint`: others may run there, and a process that never comes back was
  ///     killed there.
  public init(
    _ database: ReferenceDatabase, now: @escaping @Sendable () -> Timestamp,
    faults: ReferenceFaults = ReferenceFaults(),
    pause: @escaping @Sendable (ReferencePoint) async -> Void = { _ in }
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

/// Where a `ReferenceStore` pauses.
public enum ReferencePoint: String, Hashable, CaseIterable, Sendable {
  /// A transaction was asked for; nothing has happened.
  case beforeRun
  /// A run met a conflict and was taken back; the closure runs again.
  case betweenRuns
  /// The writes are durable; nobody knows it yet.
  case afterCommit
  /// The outcome is decided; the caller is about to hear it.
  case beforeAnswer
  /// A read was asked for.
  case beforeRead
}

/// What goes wrong with one run of a transaction.
public enum ReferenceFault: Hashable, Sendable {
  /// Nothing.
  case none
  /// Another transaction met it: the run is taken back and the closure runs again.
  case conflict
  /// The database refuses: busy (`contended`), `full`, `unavailable`, …; nothing is written.
  case refused(StoreErrorCode)
  /// It is written, but the caller never hears of it.
  case outcomeUnknownButCommitted
  /// It is not written, and the caller does not hear that either.
  case outcomeUnknownAndNotCommitted

  /// How a run ends whose effects this fault has taken back.
  func runWithoutEffect<Value: Sendable>() -> ReferenceDatabase.Run<Value> {
    switch self {
    case .conflict: .conflict
    case .refused(let code): .ended(.refused(Refusal(code)), isCommitted: false)
    case .none, .outcomeUnknownButCommitted, .outcomeUnknownAndNotCommitted:
      .ended(.outcomeUnknown, isCommitted: false)
    }
  }
}

/// What goes wrong, asked anew each time.
public struct ReferenceFaults: Sendable {
  /// Asked before each run of a transaction's closure.
  public var transaction: @Sendable () -> ReferenceFault
  /// Asked before each read: the code that it is refused with, or nil.
  public var read: @Sendable () -> StoreErrorCode?

  /// Faults; none unless handed in.
  public init(
    transaction: @escaping @Sendable () -> ReferenceFault = { .none },
    read: @escaping @Sendable () -> StoreErrorCode? = { nil }
  ) {
    self.transaction = transaction
    self.read = read
  }
}
