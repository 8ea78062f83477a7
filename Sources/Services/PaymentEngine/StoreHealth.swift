import PaymentDatabase
import PaymentPrimitives
import Synchronization

/// Whether the database takes what is written: remembered from the last failure until a write goes through again.
final class StoreHealth: Sendable {
  /// How often the log names the cause, however many writes fail.
  static let pause = TimeSpan.minutes(1)

  private struct Failing {
    var cause: CodedError<DatabaseErrorCode>
    var since: Timestamp
    var toldAt: Timestamp?
    var untold = 0
  }

  private let state = Mutex<Failing?>(nil)

  /// Why nothing can be written; nil while all is well, as far as is known.
  var cause: CodedError<DatabaseErrorCode>? { state.withLock { $0?.cause } }

  /// Notes what a read or write has met.
  ///
  /// - Returns: what is to be logged now; nil where the same was logged within the last minute, and for what says
  ///   nothing of the disk.
  func note(_ refusal: CodedError<DatabaseErrorCode>, at now: Timestamp) -> LogEvent? {
    switch refusal.code {
    case .full, .unavailable, .damaged: break
    case .outcomeUnknown, .contended, .overloaded, .inconsistent, .balanceOutOfRange, .heldByAnother, .newerSchema,
      .olderSchema, .otherProfile:
      return nil
    }
    return state.withLock { state in
      var failing = state ?? Failing(cause: refusal, since: now)
      failing.untold += 1
      let isOther = failing.cause.code != refusal.code
      failing.cause = refusal
      defer { state = failing }
      // A clock that is set back must not silence it.
      if let told = failing.toldAt, told <= now, now < told + Self.pause, !isOther { return nil }
      let count = failing.untold
      (failing.toldAt, failing.untold) = (now, 0)
      return LogEvent(
        .error, "store.failing",
        [
          ("cause", refusal.code.rawValue), ("particulars", refusal.details), ("failures", "\(count)"),
          ("since", failing.since.iso8601), ("remedy", refusal.code.remedy.english),
        ])
    }
  }

  /// Notes that a write went through.
  ///
  /// - Returns: what is to be logged, if there was a failure before.
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

  /// Asks the database for something small: what `/readyz` says. While writes fail it tries one, and so finds out by
  /// itself when there is room again.
  ///
  /// - Throws: `storeUnavailable`, with the cause, while it cannot be read or written.
  package func checkReadiness() async throws {
    _ = try await read { try $0.setting("profile") }
    guard health.cause != nil else { return }
    try await transact { try $0.set(Self.probeSetting, to: "\($0.now.milliseconds)") }
    if let event = health.noteWrite(at: surroundings.now()) { log(event) }
    measureHealth()
  }

  /// Notes what the database has refused.
  func noteHealth(_ error: any Error) {
    guard let refusal = error as? CodedError<DatabaseErrorCode> else { return }
    metrics.count("counterfoil_store_failures_total", [("cause", refusal.code.rawValue)])
    if let event = health.note(refusal, at: surroundings.now()) { log(event) }
    measureHealth()
  }

  /// Sets the gauges of whether the database can be written.
  func measureHealth() {
    let cause = health.cause?.code
    metrics.set("counterfoil_store_writable", to: cause == nil ? 1 : 0)
    for code in [DatabaseErrorCode.full, .unavailable, .damaged] {
      metrics.set("counterfoil_store_failing", [("cause", code.rawValue)], to: cause == code ? 1 : 0)
    }
  }
}
