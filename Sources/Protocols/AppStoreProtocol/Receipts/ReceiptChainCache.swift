import Cryptography
import PaymentPrimitives

/// A receipt's chain that was found good.
final class KnownReceiptChain: Sendable {
  /// The certificates that came along and the name of the signer, byte for byte.
  let key: HeaderBytes
  let facts: CertificateChain
  let signer: X509Certificate
  let intermediate: [UInt8]

  init(key: HeaderBytes, facts: CertificateChain, signer: X509Certificate, intermediate: [UInt8]) {
    self.key = key
    self.facts = facts
    self.signer = signer
    self.intermediate = intermediate
  }
}

/// What is remembered of the chains of receipts, like `VerifiedChainCache` of those of tokens: the good ones, and how
/// many unknown ones may still be examined. Apple uses one signer for about two years.
final class ReceiptChainCache: Sendable {
  private struct State {
    /// The good ones, the last used first.
    var known: [(chain: KnownReceiptChain, forgottenAt: Timestamp)] = []
    var budget: VerificationBudget
  }

  private let limits: SignedDataLimits
  private let state: Guarded<State>

  init(_ limits: SignedDataLimits) {
    self.limits = limits
    state = Guarded(State(budget: VerificationBudget(limits)))
  }

  /// The good chain of exactly these bytes; nil when there is none, or it is to be examined again.
  func known(_ key: HeaderBytes, at now: Timestamp) -> KnownReceiptChain? {
    state.withLock { state in
      guard let found = state.known.firstIndex(where: { $0.chain.key == key }) else { return nil }
      let entry = state.known.remove(at: found)
      guard now < entry.forgottenAt else { return nil }
      state.known.insert(entry, at: 0)
      return entry.chain
    }
  }

  /// Whether an unknown chain is to be read at all.
  func mayRead(from sender: String?, at now: Timestamp) -> Bool {
    state.withLock { $0.budget.mayRead(from: sender, at: now) }
  }

  /// Whether the signatures of an unknown chain may be checked now; counts it if so.
  func mayExamine(
    _ fingerprint: VerificationBudget.Fingerprint, intermediate: [UInt8], from sender: String?, at now: Timestamp
  ) -> Bool {
    let isExpected = AppleRootCertificates.isExpectedIntermediate(intermediate)
    return state.withLock { state in
      let isKnown = isExpected || state.known.contains { $0.chain.intermediate == intermediate }
      return state.budget.take(fingerprint, isExpected: isKnown, from: sender, at: now)
    }
  }

  /// Makes the sender of a bad chain pay for it.
  func charge(_ sender: String?, wasDear: Bool, at now: Timestamp) {
    state.withLock { $0.budget.charge(sender, wasDear: wasDear, at: now) }
  }

  /// Notes a good chain that is examined anew each time.
  func remember(_ fingerprint: VerificationBudget.Fingerprint) {
    state.withLock { $0.budget.remember(fingerprint) }
  }

  /// What to do with the list of all chains that were found good, which outlives the program.
  func withBudget<Value: Sendable>(_ body: (inout VerificationBudget) -> Value) -> Value {
    state.withLock { body(&$0.budget) }
  }

  /// Remembers a good chain for a day; whether it was valid at a receipt's creation is judged for each receipt.
  func remember(_ chain: KnownReceiptChain, _ fingerprint: VerificationBudget.Fingerprint, at now: Timestamp) {
    let day = now + limits.knownChainLifetime
    let end = chain.facts.notAfter + .seconds(1)
    let forgottenAt = end > now ? min(day, end) : day
    state.withLock { state in
      state.budget.remember(fingerprint)
      state.known.removeAll { $0.chain.key == chain.key }
      state.known.insert((chain, forgottenAt), at: 0)
      if state.known.count > limits.knownChainsMax { state.known.removeLast() }
    }
  }
}
