import Cryptography
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import Synchronization

/// Remembers valid API keys for a few seconds, so that a busy backend does not cost a database read per call. A key
/// revoked through this process is forgotten at once, one revoked elsewhere within `lifetime`.
final class APIKeyCache: Sendable {
  /// How long a key counts as valid without another check.
  static let lifetime = TimeSpan.seconds(5)
  /// Maximum keys to remember: an installation has a few dozen. Beyond it all are forgotten.
  static let countMax = 1024

  private struct State {
    var keys: [CredentialIdentifier: (key: APIKey, until: Timestamp)] = [:]
    /// Counts removals: a key that was read before a removal must not be added after it.
    var generation = 0
  }

  private let state = Mutex(State())

  /// Whether a key with that text was valid before, even long ago: then it may be checked again without a rate limit.
  func hasSeen(text: String) -> Bool {
    guard let id = APIKeyText.identifier(in: text) else { return false }
    return state.withLock { $0.keys[id]?.key }?.isShown(by: text) ?? false
  }

  /// The valid key with that text, if there is one.
  func key(text: String, at now: Timestamp, in engine: PaymentEngine) async throws -> APIKey? {
    guard let id = APIKeyText.identifier(in: text) else { return nil }
    let (known, generation) = state.withLock { ($0.keys[id], $0.generation) }
    if let known, now < known.until, known.until <= now + Self.lifetime {
      return known.key.isShown(by: text) ? known.key : nil
    }
    guard let key = try await engine.key(text: text) else { return nil }
    state.withLock { state in
      guard state.generation == generation else { return }
      if state.keys.count >= Self.countMax { state.keys = [:] }
      state.keys[id] = (key, now + Self.lifetime)
    }
    return key
  }

  /// Forgets a key, because it was revoked.
  func forget(_ id: CredentialIdentifier) {
    state.withLock { state in
      state.keys[id] = nil
      state.generation += 1
    }
  }
}
