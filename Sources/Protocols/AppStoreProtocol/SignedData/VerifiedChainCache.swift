import Cryptography
import PaymentPrimitives
import Synchronization

/// The cache of certificate chains: the good ones, the rejected ones, and the budget for examining unknown ones.
///
/// An examination costs about twenty times as much as the rest of a verification, and its result does not depend on the
/// payload. So a header that was found good is recognized by its exact bytes, without decoding. Results that depend on
/// a token's date are not cached: whether the certificates were valid then is checked for each token.
final class VerifiedChainCache: Sendable {
  private struct State {
    /// The good chains, most recently used first.
    var known: [(chain: KnownChain, forgottenAt: Timestamp)] = []
    var refused: RefusedHeaders
    var budget: VerificationBudget
  }

  private let limits: SignedDataLimits
  private let state: Mutex<State>

  init(_ limits: SignedDataLimits) {
    self.limits = limits
    state = Mutex(
      State(refused: RefusedHeaders(countMax: limits.refusedHeadersMax), budget: VerificationBudget(limits)))
  }

  /// The good chain with exactly this header; nil if there is none, or if it must be examined again.
  func known(_ header: UnsafeRawBufferPointer, at now: Timestamp) -> KnownChain? {
    state.withLock { state in
      let found = state.known.firstIndex { entry in
        entry.chain.header.withUnsafeBytes { hasEqualBytes($0, header) }
      }
      guard let found else { return nil }
      let entry = state.known[found]
      guard now < entry.forgottenAt else {
        state.known.remove(at: found)
        return nil
      }
      if found > 0 {
        state.known.remove(at: found)
        state.known.insert(entry, at: 0)
      }
      return entry.chain
    }
  }

  /// The earlier failure of a chain with exactly this header.
  func failure(of header: UnsafeRawBufferPointer) -> FailedCheck? {
    state.withLock { $0.refused.failure(of: header) }
  }

  /// Whether an unknown chain may be read at all.
  func mayRead(from sender: String?, at now: Timestamp) -> Bool {
    state.withLock { $0.budget.mayRead(from: sender, at: now) }
  }

  /// Whether the signatures of an unknown chain may be checked now. If so, the check is counted.
  func mayExamine(
    _ fingerprint: VerificationBudget.Fingerprint, intermediate: [UInt8], from sender: String?, at now: Timestamp
  ) -> Bool {
    let isExpected = AppleRootCertificates.isExpectedIntermediate(intermediate)
    return state.withLock { state in
      let isKnown = isExpected || state.known.contains { $0.chain.intermediate == intermediate }
      return state.budget.take(fingerprint, isExpected: isKnown, from: sender, at: now)
    }
  }

  /// Charges the sender of an invalid chain.
  func charge(_ sender: String?, wasDear: Bool, at now: Timestamp) {
    state.withLock { $0.budget.charge(sender, wasDear: wasDear, at: now) }
  }

  /// Accesses the list of all good chains, which survives restarts.
  func withBudget<Value: Sendable>(_ body: (inout VerificationBudget) -> Value) -> Value {
    state.withLock { body(&$0.budget) }
  }

  /// Remembers a good chain for a day, but not beyond the end of its validity. An expired chain (evidence of earlier
  /// years) is also remembered for a day. It only serves data that was signed while it was valid.
  func remember(_ chain: KnownChain, _ fingerprint: VerificationBudget.Fingerprint, at now: Timestamp) {
    guard chain.header.count <= limits.rememberedHeaderBytesMax else { return }
    let day = now + limits.knownChainLifetime
    let end = chain.facts.notAfter + .seconds(1)
    let forgottenAt = end > now ? min(day, end) : day
    state.withLock { state in
      state.budget.remember(fingerprint)
      state.known.removeAll { $0.chain.header == chain.header }
      state.known.insert((chain, forgottenAt), at: 0)
      if state.known.count > limits.knownChainsMax { state.known.removeLast() }
    }
  }

  /// Remembers a rejected chain; if there is no room, it replaces the oldest one.
  func remember(_ failure: FailedCheck, of header: HeaderBytes) {
    guard header.bytes.count <= limits.rememberedHeaderBytesMax else { return }
    state.withLock { $0.refused.remember(failure, of: header) }
  }
}
