package import PaymentDatabase
import PaymentModel
package import PaymentPrimitives

/// Thrown out of a transaction when its writes would violate an invariant of money: everything is rolled back.
package struct InvariantBroken: Error {
  let violations: [Violation]
  /// The kind of the stopped change.
  var kind = StoppedChange.Kind.brokenRule

  init(violations: [Violation], kind: StoppedChange.Kind = .brokenRule) {
    self.violations = violations
    self.kind = kind
  }

  /// The violations, in one line.
  var found: String { violations.map(\.description).joined(separator: "; ") }
}

extension PaymentEngine {
  /// Runs a transaction to a known end. A violated invariant of money throws `invariantBroken`, and raises an alarm.
  package func transact<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseTransaction) throws -> Value
  ) async throws -> Value {
    do { return try await transactMoney(body) } catch let broken as InvariantBroken {
      throw reportBroken(broken)
    }
  }

  /// Counts and logs a violated invariant, and returns the error for the caller.
  /// The details go to the log only, because they may concern any user.
  package func reportBroken(_ broken: InvariantBroken) -> CodedError<EngineErrorCode> {
    for violation in broken.violations {
      metrics.count(
        .invariantViolationTotal, [("invariant", "\(violation.invariant.rawValue)")])
    }
    log(LogEvent(.error, "invariant.broken", [("found", broken.found)]))
    return CodedError(.invariantBroken)
  }

  /// Runs a transaction to a known end, for callers who handle a violated invariant (`InvariantBroken`).
  ///
  /// If it is not known whether it was written, the same closure is run again: it finds its rows by their key.
  /// Closures therefore create no identifiers of their own.
  package func transactMoney<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseTransaction) throws -> Value
  ) async throws -> Value {
    let clock = clock
    let lease = WorkLease.current
    let action = AuditedAction.current
    for attempt in 0...limits.outcomeRetries {
      let latest = clock.latest
      let begun = dependencies.now()
      let mayMark = clock.claim(at: begun)
      let outcome = await database.transact { transaction -> (Value, mark: Timestamp?, changes: CommittedChanges?) in
        // A database that plans ahead records the keys already.
        let recording = transaction as? RecordingTransaction ?? RecordingTransaction(over: transaction)
        try lease?.require(in: recording)
        try action?.refuseRepeat(in: recording)
        let wasWritten = try action?.wasWritten(in: recording) ?? false
        let value = try body(recording)
        // Not every change of an operator has a key of its own: a note would stand there twice.
        if wasWritten { throw WrittenBefore(value: value) }
        guard recording.hasWritten else { return (value, nil, nil) }
        try action?.append(.done, in: recording)
        let mark = try mayMark ? ClockMark.write(in: recording, after: latest) : latest
        return (value, mark, CommittedChanges(of: recording))
      }
      switch outcome {
      case .committed(let (value, mark, changes)):
        if let mark {
          action?.noteWritten()
          clock.noteCommit(mark)
          metrics.time(.commitSeconds, milliseconds: (dependencies.now() - begun).milliseconds)
        }
        if let changes { signal(changes) }
        return value
      case .refused(let error as WrittenBefore<Value>):
        action?.noteWritten()
        return error.value
      case .refused(let error):
        noteHealth(error)
        throw Self.translated(error)
      case .outcomeUnknown:
        metrics.count(.commitUnknownTotal)
        action?.noteAttempt()
        // It may be written, and a repeat then writes nothing.
        signal(.everything)
        guard attempt < limits.outcomeRetries else { break }
        try await dependencies.sleep(limits.outcomePause)
      }
    }
    throw CodedError<EngineErrorCode>(.outcomeUnknown)
  }

  private func signal(_ changes: CommittedChanges) {
    commits.signal(changes)
    if database.coordination != nil { news.note(changes) }
  }

  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseReader) throws -> Value
  ) async throws -> Value {
    do { return try await database.read(body) } catch { throw explained(error) }
  }

  /// The same for a closure that reads a few rows by their keys.
  package func readBriefly<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseReader) throws -> Value
  ) async throws -> Value {
    do { return try await database.readBriefly(body) } catch { throw explained(error) }
  }

  func explained(_ error: any Error) -> any Error {
    noteHealth(error)
    let error = Self.translated(error)
    return (error as? InvariantBroken).map { reportBroken($0) } ?? error
  }

  private static func translated(_ error: any Error) -> any Error {
    guard let databaseError = error as? CodedError<DatabaseErrorCode> else { return error }
    switch databaseError.code {
    case .outcomeUnknown: return CodedError<EngineErrorCode>(.outcomeUnknown)
    case .inconsistent, .balanceOutOfRange:
      // A retry does not help: the rows themselves are wrong. It is treated like any violated invariant of money.
      return InvariantBroken(
        violations: [Violation(.onePaymentOneOrderOneGrant, found: "\(databaseError)")],
        kind: databaseError.code == .balanceOutOfRange ? .balanceOutOfRange : .rowsInconsistent)
    case .unstorableText:
      // Calls with it are refused before: it was signed by a store, or stands in what a store answered.
      return CodedError<EngineErrorCode>(.evidenceUnreadable, databaseError.code.meaning.english)
    case .full, .unavailable, .contended, .overloaded, .heldByAnother, .damaged, .newerSchema,
      .olderSchema, .otherProfile, .invalidAddress, .accessDenied, .untrusted, .unsupportedServer, .missingRights,
      .readOnly, .notDurable, .poolerBetween, .moved, .copyUnfinished:
      return CodedError<EngineErrorCode>(.storeUnavailable, databaseError.code.meaning.english)
    }
  }
}

/// Ends a repeated transaction without a change: its first run was written. It carries what the closure returned.
private struct WrittenBefore<Value: Sendable>: Error {
  let value: Value
}
