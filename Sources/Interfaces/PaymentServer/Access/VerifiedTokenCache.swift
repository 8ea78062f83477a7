import Cryptography
import Synchronization

/// Remembers ES256 tokens with a valid signature, by a digest of all their bytes. A phone sends the same token for an
/// hour, and a check costs as much as the rest of a small call. Everything else about a token is checked each time.
final class VerifiedTokenCache: Sendable {
  /// Maximum tokens to remember: 32 bytes each. The oldest is evicted.
  static let countMax = 4096

  private struct State {
    var digests: Set<[UInt8]> = []
    var order: [[UInt8]] = []
    var next = 0
  }

  private let state = Mutex(State())

  /// Whether a token is signed by a key. Only ES256 is remembered, because HMAC costs no more than the lookup.
  ///
  /// - Parameter mayCheck: called before the check of a signature that is not remembered; throws if the check is not
  ///   allowed.
  func isSigned<Failure: Error>(
    _ text: [UInt8], _ signature: [UInt8], by method: UserTokenKey.Method, mayCheck: () throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    switch method {
    case .hs256(let secret): return HMACSHA256.isValid(signature, for: text, key: secret)
    case .es256(let key):
      guard let parsed = ECDSASignature(raw: signature, curve: .p256) else { return false }
      // The digest includes the key: another key with the same name needs a new check.
      let digest = SHA256.hash(key.point + signature + text)
      if state.withLock({ $0.digests.contains(digest) }) { return true }
      try mayCheck()
      guard key.isValid(parsed, for: text) else { return false }
      remember(digest)
      return true
    }
  }

  var count: Int { state.withLock { $0.digests.count } }

  private func remember(_ digest: [UInt8]) {
    state.withLock { state in
      guard state.digests.insert(digest).inserted else { return }
      if state.order.count < Self.countMax {
        state.order.append(digest)
      } else {
        state.digests.remove(state.order[state.next])
        state.order[state.next] = digest
        state.next = (state.next + 1) % Self.countMax
      }
    }
  }
}
