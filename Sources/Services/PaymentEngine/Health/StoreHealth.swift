import PaymentDatabase
import PaymentPrimitives
import Synchronization

/// Whether the database accepts writes: remembered from the last error until a write succeeds again.
final class StoreHealth: Sendable {
  /// Interval between log events about the cause, however many writes fail.
  static let pause = TimeSpan.minutes(1)

  private struct Failing {
    var cause: CodedError<DatabaseErrorCode>
    var since: Timestamp
    var reportedAt: Timestamp?
    var unreported = 0
  }

  private let state = Mutex<Failing?>(nil)

  /// Why nothing can be written; nil while no error is known.
  var cause: CodedError<DatabaseErrorCode>? { state.withLock { $0?.cause } }

  /// Records an error of a read or write.
  ///
  /// - Returns: the event to log now. It is nil if the same was logged within the last minute, or if the error is not
  ///   about the disk.
  func note(_ error: CodedError<DatabaseErrorCode>, at now: Timestamp) -> LogEvent? {
    switch error.code {
    case .full, .unavailable, .damaged, .accessDenied, .untrusted, .missingRights, .readOnly: break
    case .outcomeUnknown, .contended, .overloaded, .inconsistent, .balanceOutOfRange, .heldByAnother, .newerSchema,
      .olderSchema, .otherProfile, .invalidAddress, .unsupportedServer, .unstorableText, .notDurable, .moved,
      .poolerBetween, .copyUnfinished:
      return nil
    }
    return state.withLock { state in
      var failing = state ?? Failing(cause: error, since: now)
      failing.unreported += 1
      let isOther = failing.cause.code != error.code
      failing.cause = error
      defer { state = failing }
      // A clock that is set back must not suppress the event.
      if let told = failing.reportedAt, told <= now, now < told + Self.pause, !isOther { return nil }
      let count = failing.unreported
      (failing.reportedAt, failing.unreported) = (now, 0)
      return LogEvent(
        .error, "store.failing",
        [
          ("cause", error.code.rawValue), ("particulars", error.details), ("failures", "\(count)"),
          ("since", failing.since.iso8601), ("remedy", error.code.remedy.english),
        ])
    }
  }

  /// Records a successful write.
  ///
  /// - Returns: the event to log, if there was an error before.
  func noteWrite(at now: Timestamp) -> LogEvent? {
    state.withLock { state in
      guard let failing = state else { return nil }
      state = nil
      return LogEvent(
        .warning, "store.writesAgain",
        [("cause", failing.cause.code.rawValue), ("seconds", "\((now - failing.since).milliseconds / 1000)")])
    }
  }
}

extension PaymentEngine {
  /// The setting that a probe writes.
  static let probeSetting = "store.probe"

  /// Reads a small value from the database for `/readyz`. While writes fail it tries one, and so detects when writes
  /// work again.
  ///
  /// - Throws: `storeUnavailable`, with the cause, while it cannot be read or written; `backupGapOpen` while the stores
  ///   are asked about the time after a restored backup; `nodeDraining` once this node is about to end.
  package func checkReadiness() async throws {
    guard !nodes.isDraining else { throw CodedError<EngineErrorCode>(.nodeDraining) }
    let gap = try await backupGap()
    if let gap, gap.askedAt == nil { throw CodedError<EngineErrorCode>(.backupGapOpen) }
    guard health.cause != nil else { return }
    try await transact { try $0.set(Self.probeSetting, to: "\($0.now.milliseconds)") }
    if let event = health.noteWrite(at: dependencies.now()) { log(event) }
    measureHealth()
  }

  /// Waits for the end of a commit, whatever its outcome.
  package func tryCommit() async {
    try? await transact { try $0.set(Self.probeSetting, to: "\($0.now.milliseconds)") }
  }

  /// Records an error of the database.
  func noteHealth(_ error: any Error) {
    guard let databaseError = error as? CodedError<DatabaseErrorCode> else { return }
    metrics.count(.storeFailuresTotal, [("cause", databaseError.code.rawValue)])
    if let event = health.note(databaseError, at: dependencies.now()) { log(event) }
    measureHealth()
  }

  /// Sets the gauges of the database's writability.
  func measureHealth() {
    let cause = health.cause?.code
    metrics.set(.storeWritable, to: cause == nil ? 1 : 0)
    for code in [DatabaseErrorCode.full, .unavailable, .damaged] {
      metrics.set(.storeFailing, [("cause", code.rawValue)], to: cause == code ? 1 : 0)
    }
  }
}
