import PaymentPrimitives

/// The database operations that the engine uses, and nothing else. One conformance suite tests every implementation.
///
/// A transaction is a *synchronous, re-runnable* closure: it may run several times before one run is committed. So it
/// must have no effect outside the transaction and must not wait for anything. An implementation can therefore put many
/// transactions into one commit. It can also roll a batch back and run it again, or send queued writes in one round
/// trip.
package protocol PaymentDatabase: ReadableDatabase {
  /// Runs the closure as one transaction: all of its writes become durable together, or none.
  ///
  /// The result comes after the commit: a power failure cannot undo it. A closure that got an error or conflict from
  /// the database is never committed, even if it caught the error. After `DatabaseLimits.runsPerTransaction` conflicts
  /// the result is `contended`.
  func transact<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseTransaction) throws -> Value
  ) async -> CommitOutcome<Value>

  /// What several processes over this database need; nil if one process holds it.
  var coordination: (any NodeCoordination)? { get }
}

extension PaymentDatabase {
  package var coordination: (any NodeCoordination)? { nil }
}

/// A database that can be read, also while a server runs on it. Reports and the audit need no more.
package protocol ReadableDatabase: Sendable {
  /// Runs the closure on one consistent state, without writing.
  ///
  /// - Throws: the closure's error, or `CodedError<DatabaseErrorCode>` when the database cannot be read.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseReader) throws -> Value
  ) async throws -> Value

  /// The same for a closure that reads a few rows by their keys: a database may run it on the caller's thread.
  func readBriefly<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseReader) throws -> Value
  ) async throws -> Value

  /// The processes that share the database, by number; none if one process holds it.
  func nodes() async throws -> [NodeRecord]

  /// What is seen now of the rows that are read as feeds, and who writes.
  func lookAtFeed() async throws -> FeedLook
}

extension ReadableDatabase {
  package func nodes() async throws -> [NodeRecord] { [] }

  package func lookAtFeed() async throws -> FeedLook { .everything }

  package func readBriefly<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseReader) throws -> Value
  ) async throws -> Value {
    try await read(body)
  }
}

package enum CommitOutcome<Value: Sendable>: Sendable {
  case committed(Value)
  /// Nothing of it was written: the closure threw an error, or the database did (`CodedError<DatabaseErrorCode>`).
  case refused(any Error)
  /// It is unknown whether it was written. The caller reads again by its key. Running the same closure again is safe,
  /// because the database enforces uniqueness.
  case outcomeUnknown

  /// The value of a committed transaction.
  ///
  /// - Throws: the error; `DatabaseErrorCode.outcomeUnknown` if the outcome is unknown.
  package func get() throws -> Value {
    switch self {
    case .committed(let value): return value
    case .refused(let error): throw error
    case .outcomeUnknown: throw CodedError<DatabaseErrorCode>(.outcomeUnknown)
    }
  }
}

/// Two transactions used the same rows, or a unique key was taken in between: the database runs the closure again.
///
/// Thrown by reads and writes inside a transaction; a closure must not catch it.
package struct DatabaseConflict: Error, Hashable, Sendable {
  /// The key or row, for the log.
  package let on: String

  /// A conflict on a key or row.
  package init(on key: String) { self.on = key }
}
