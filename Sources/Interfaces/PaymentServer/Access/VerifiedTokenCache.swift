import Cryptography
import Synchronization

/// Remembers what valid tokens say, by a digest of all their bytes. A phone sends the same token for an hour, and to
/// read and check it again costs as much as the rest of a small call. Its times are checked each time.
final class VerifiedTokenCache: Sendable {
  /// Maximum tokens to remember, about 200 bytes each. The oldest is evicted.
  static let countMax = 4096

  private struct State {
    var claims: [[UInt8]: UserToken.Claims] = [:]
    var order: [[UInt8]] = []
    var next = 0
    /// The keys by which the remembered tokens are valid.
    var generation = 0
  }

  private let state = Mutex(State())

  /// What a token with these bytes says, if it has been found valid by the keys of that generation.
  func claims(_ digest: [UInt8], generation: Int) -> UserToken.Claims? {
    state.withLock { state in state.generation == generation ? state.claims[digest] : nil }
  }

  /// Remembers a token that is valid by the keys of that generation. Newer keys make all earlier tokens forgotten.
  func remember(_ digest: [UInt8], _ claims: UserToken.Claims, generation: Int) {
    state.withLock { state in
      guard generation >= state.generation else { return }
      if generation > state.generation { state = State(generation: generation) }
      guard state.claims.updateValue(claims, forKey: digest) == nil else { return }
      if state.order.count < Self.countMax {
        state.order.append(digest)
      } else {
        state.claims[state.order[state.next]] = nil
        state.order[state.next] = digest
        state.next = (state.next + 1) % Self.countMax
      }
    }
  }

  var count: Int { state.withLock { $0.claims.count } }
}
