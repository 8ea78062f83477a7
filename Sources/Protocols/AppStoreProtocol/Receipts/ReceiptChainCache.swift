import Cryptography
import PaymentPrimitives
import Synchronization

/// A receipt's certificate chain that passed examination.
final class KnownReceiptChain: Sendable {
  /// The certificates of the receipt and the name of its signer, byte for byte.
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

/// The cache of receipt chains, as `VerifiedChainCache` is for tokens. It keeps valid chains and the budget for
/// examining unknown ones. Apple uses one signer for about two years.
final class ReceiptChainCache: Sendable {
  private struct State {
    /// The valid chains, most recently used first.
    var known: [(chain: KnownReceiptChain, forgottenAt: Timestamp)] = []
    var budget: VerificationBudget
  }

  private let limits: SignedDataLimits
  private let state: Mutex<State>

  init(_ limits: SignedDataLimits) {
    self.limits = limits
    state = Mutex(State(budget: VerificationBudget(limits)))
  }

  /// The valid chain with exactly these bytes; nil if there is none, or if it must be examined again.
  func known(_ key: HeaderBytes, at now: Timestamp) -> KnownReceiptChain? {
    state.withLock { state in
      guard let found = state.known.firstIndex(where: { $0.chain.key == key }) else { return nil }
      let entry = state.known.remove(at: found)
      guard now < entry.forgottenAt else { return nil }
      state.known.insert(entry, at: 0)
      return entry.chain
    }
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

  /// Records a valid chain that is examined again every time.
  func remember(_ fingerprint: VerificationBudget.Fingerprint) {
    state.withLock { $0.budget.remember(fingerprint) }
  }

  /// Accesses the list of all valid chains, which survives restarts.
  func withBudget<Value: Sendable>(_ body: (inout VerificationBudget) -> Value) -> Value {
    state.withLock { body(&$0.budget) }
  }

  /// Remembers a valid chain for a day. Its validity at the receipt's creation date is still checked for each receipt.
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
