/// Where a store in memory pauses.
package enum DatabasePausePoint: String, Hashable, CaseIterable, Sendable {
  /// A transaction was asked for; nothing has happened.
  case beforeRun
  /// A run met a conflict and was taken back; the closure runs again.
  case betweenRuns
  /// The writes are durable; nobody knows it yet.
  case afterCommit
  /// The outcome is decided; the caller is about to hear it.
  case beforeAnswer
  case beforeRead
}

/// What goes wrong with one run of a transaction.
package enum DatabaseFault: Hashable, Sendable {
  case none
  /// Another transaction met it: the run is taken back and the closure runs again.
  case conflict
  /// The database refuses: busy (`contended`), `full`, `unavailable`, …; nothing is written.
  case refused(DatabaseErrorCode)
  /// It is written, but the caller never hears of it.
  case outcomeUnknownButCommitted
  /// It is not written, and the caller does not hear that either.
  case outcomeUnknownAndNotCommitted
}

/// What goes wrong, asked anew each time.
package struct DatabaseFaults: Sendable {
  /// Asked before each run of a transaction's closure.
  package var transaction: @Sendable () -> DatabaseFault
  /// Asked before each read: the code that it is refused with, or nil.
  package var read: @Sendable () -> DatabaseErrorCode?
  /// Asked before each batch of SQLite in memory: whether there is no room for a further page.
  package var isDiskFull: @Sendable () -> Bool

  /// Faults; none unless handed in.
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
