/// The points where an in-memory database pauses.
package enum DatabasePausePoint: String, Hashable, CaseIterable, Sendable {
  /// A transaction was requested; nothing has happened.
  case beforeRun
  /// A run had a conflict and was rolled back; the closure runs again.
  case betweenRuns
  /// The writes are durable; no caller knows it yet.
  case afterCommit
  /// The outcome is decided; the caller is about to receive it.
  case beforeAnswer
  case beforeRead
}

/// The fault in one run of a transaction.
package enum DatabaseFault: Hashable, Sendable {
  case none
  /// A conflict with another transaction: the run is rolled back and the closure runs again.
  case conflict
  /// The database returns an error: busy (`contended`), `full`, `unavailable`, …; nothing is written.
  case refused(DatabaseErrorCode)
  /// It is written, but the caller never learns it.
  case outcomeUnknownButCommitted
  /// It is not written, and the caller does not learn that either.
  case outcomeUnknownAndNotCommitted
}

/// The faults to inject; each closure is called again each time.
package struct DatabaseFaults: Sendable {
  /// Called before each run of a transaction's closure.
  package var transaction: @Sendable () -> DatabaseFault
  /// Called before each read: the error code for it, or nil.
  package var read: @Sendable () -> DatabaseErrorCode?
  /// Called before each batch of SQLite in memory: whether there is no space for another page.
  package var isDiskFull: @Sendable () -> Bool

  /// Faults; default: none.
  package init(
    transaction: @escaping @Sendable () -> DatabaseFault = { .none },
    read: @escaping @Sendable () -> DatabaseErrorCode? = { nil },
    isDiskFull: @escaping @Sendable () -> Bool = { false }
  ) {
    self.transaction = transaction
    self.read = read
    self.isDiskFull = isDiskFull
  }
}
