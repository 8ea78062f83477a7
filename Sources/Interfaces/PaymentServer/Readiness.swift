import PaymentEngine
import PaymentPrimitives
import Synchronization

/// Whether the database answers, checked at most once a second: every caller may ask, and probes are not limited.
final class Readiness: Sendable {
  static let lifetime = TimeSpan.seconds(1)

  private let goodUntil = Mutex(Timestamp(milliseconds: .min))

  /// Throws the engine's error while the database does not answer; a failure is never remembered.
  func check(_ engine: PaymentEngine, at now: Timestamp) async throws {
    let until = goodUntil.withLock { $0 }
    if now < until, until <= now + Self.lifetime { return }
    try await engine.checkReadiness()
    goodUntil.withLock { $0 = now + Self.lifetime }
  }
}
