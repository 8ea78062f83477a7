package import PaymentDatabase
package import PaymentPrimitives

/// A connection of a database that keeps its rows in tables, inside a transaction.
package protocol SQLConnection: AnyObject {
  /// The headers of signed texts that were found here in committed rows.
  var knownHeaders: KnownHeaders { get set }
  /// Whether what a closure asks is asked only after it, together with what others ask.
  var asksTogether: Bool { get }

  /// Runs a statement without rows, at once or before the next that answers.
  func write(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws
  /// Fails if the last write changed another number of rows than one: at once, or when it runs.
  func requireOneRowChanged(_ details: String) throws
  /// Runs a write at once.
  ///
  /// - Returns: the number of rows that it changed.
  func change(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws -> Int
  /// Runs an insertion that ends with `returningNumber`, at once.
  ///
  /// - Returns: the number of the new row; nil if another row stood in its way.
  func insertedRow(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws -> Int64?
  /// Runs a query.
  ///
  /// - Parameter read: reads a row; returns whether it wants the next one.
  func rows(
    _ sql: SQL, _ bind: (inout Parameters) -> Void, _ read: (inout Columns) throws -> Bool
  ) throws
}

/// An error of a database, in its own words.
package protocol SQLFailure: Error {
  /// The error for the caller: a `DatabaseConflict` if the closure is to run again, otherwise an error with a code.
  var asDatabaseError: any Error { get }
}

/// A closure's run on a connection. After the first failure nothing more is read or written.
package protocol SQLRun: AnyObject, DatabaseTransaction {
  /// The first error of the database. If it is set, the run must not be committed.
  var failure: (any Error)? { get }
  /// Whether anything was written that needs a rollback.
  var hasWritten: Bool { get }
  /// What this run knows of rows that it need not read again.
  var known: KnownRows { get }

  /// Ends the run: every further use of it fails, also in a closure that kept it.
  func end()
  /// Does on the caller's thread what else would cost time on the writer.
  ///
  /// - Returns: whether the writes can be applied; if not, the writer meets the same error.
  func prepare(_ writes: [DatabaseWrite]) -> Bool
  /// Splits a text and writes its header if it is new; nil for a text without a long header.
  func split(_ text: String) throws -> SplitEvidence?
}

extension SQLConnection {
  package var asksTogether: Bool { false }

  /// Begins a run.
  ///
  /// - Parameters:
  ///   - known: rows that a snapshot told, if they have not changed since.
  ///   - refusesWrites: whether a write fails with `WriteRefused`, before the database sees it.
  ///   - taking: how it takes due work; nil if nobody else can take it meanwhile.
  package func newRun(
    now: Timestamp, known: KnownRows = KnownRows(), refusesWrites: Bool = false, taking: (any WorkLocks)? = nil
  ) -> any SQLRun {
    SQLTransaction(self, now: now, known: known, refusesWrites: refusesWrites, workLocks: taking)
  }
}

/// The failure of a run that may only read.
package struct WriteRefused: Error {
  package init() {}
}
