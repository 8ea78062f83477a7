import PaymentEngine
import PaymentPrimitives
import Synchronization

/// Logs, at most once a minute, that a sender outside `trusted_proxies` forwards client addresses. Most likely it is a
/// proxy that is not configured. Until it is, all its clients share one rate limit.
final class ForwardingWatch: Sendable {
  static let pause = TimeSpan.minutes(1)
  /// Counts such requests; `counterfoil doctor` reads it.
  static let counter = Metric.forwardedUnheededTotal

  private struct State {
    var toldAt: Timestamp?
    var untold = 0
  }

  private let state = Mutex(State())

  /// The log event for it; nil if one was logged within the last minute.
  ///
  /// - Parameter peer: the other end of the connection, as its socket names it.
  func event(_ unheeded: ClientAddress.Unheeded, from peer: String, at now: Timestamp) -> LogEvent? {
    let count: Int? = state.withLock { state in
      state.untold += 1
      // A clock that is set back must not silence it.
      if let told = state.toldAt, told <= now, now < told + Self.pause { return nil }
      defer { state = State(toldAt: now) }
      return state.untold
    }
    guard let count else { return nil }
    switch unheeded {
    case .untrusted(let field):
      return LogEvent(
        .warning, "forwarded.untrusted",
        [
          ("peer", peer), ("field", field), ("requests", "\(count)"),
          ("remedy", "If that is your proxy, name it in trusted_proxies; otherwise the field is forged."),
        ])
    case .otherField(let field):
      return LogEvent(
        .warning, "forwarded.otherField",
        [
          ("peer", peer), ("field", field), ("requests", "\(count)"),
          ("remedy", "Set forwarded_header to the field that your proxy writes."),
        ])
    }
  }
}
