import PaymentPrimitives
import Synchronization

/// An in-memory database: the disk of a simulation. It survives the processes that use it.
///
/// A transaction runs and commits in one synchronous step. So a killed process can never leave the database locked or
/// half written.
package final class InMemoryStorage: Sendable {
  private let rows: Mutex<InMemoryRows>

  /// A new database of that profile.
  ///
  /// - Parameter installationSecret: 64 hexadecimal digits, see `DatabaseSetting.installationSecret`.
  package init(profile: DatabaseProfile, installationSecret: String) {
    var rows = InMemoryRows()
    rows.settings[.init(DatabaseSetting.profile)] = profile.rawValue
    rows.settings[.init(DatabaseSetting.installationSecret)] = installationSecret
    self.rows = Mutex(rows)
  }

  private init(rows: InMemoryRows) { self.rows = Mutex(rows) }

  /// A database with the same rows. From now on each of the two changes by itself.
  package func copy() -> InMemoryStorage { InMemoryStorage(rows: rows.withLock { $0 }) }

  /// The result of one run of a closure.
  enum Run<Value: Sendable> {
    case ended(CommitOutcome<Value>, isCommitted: Bool)
    case conflict
  }

  func run<Value: Sendable>(
    at now: Timestamp, _ fault: DatabaseFault,
    _ body: (any DatabaseTransaction) throws -> Value
  ) -> Run<Value> {
    over(now) { transaction in
      let result = Result { try body(transaction) }
      if let run = Self.failure(of: transaction, result) {
        transaction.rollBack()
        return run
      }
      switch fault {
      case .none: break
      case .outcomeUnknownButCommitted: return .ended(.outcomeUnknown, isCommitted: true)
      case .conflict, .refused, .outcomeUnknownAndNotCommitted:
        transaction.rollBack()
        return fault.runWithoutEffect()
      }
      switch result {
      case .success(let value): return .ended(.committed(value), isCommitted: true)
      case .failure(let error): return .ended(.refused(error), isCommitted: false)
      }
    }
  }

  private static func failure<Value: Sendable>(
    of transaction: InMemoryTransaction, _ result: Result<Value, any Error>
  ) -> Run<Value>? {
    var error = transaction.failure
    if case .failure(let thrown) = result { error = error ?? thrown }
    guard let error else { return nil }
    return error is DatabaseConflict ? .conflict : .ended(.refused(error), isCommitted: false)
  }

  func read<Value: Sendable>(at now: Timestamp, _ body: (any DatabaseReader) throws -> Value) throws -> Value {
    try over(now) { transaction in Result { try body(transaction) } }.get()
  }

  /// Gives a transaction access to the rows, without copying them.
  private func over<Answer: Sendable>(
    _ now: Timestamp, _ body: (InMemoryTransaction) -> Answer
  ) -> Answer {
    rows.withLock { rows in
      let transaction = InMemoryTransaction(now: now)
      swap(&rows, &transaction.rows)
      defer { swap(&rows, &transaction.rows) }
      return body(transaction)
    }
  }
}

extension DatabaseFault {
  /// The result of a run that this fault rolled back.
  func runWithoutEffect<Value: Sendable>() -> InMemoryStorage.Run<Value> {
    switch self {
    case .conflict: .conflict
    case .refused(let code): .ended(.refused(CodedError(code)), isCommitted: false)
    case .none, .outcomeUnknownButCommitted, .outcomeUnknownAndNotCommitted:
      .ended(.outcomeUnknown, isCommitted: false)
    }
  }
}
