import Cryptography
import PaymentPrimitives

/// What is remembered of certificate chains: the good ones, the bad ones, and how many unknown ones may still be
/// examined.
///
/// An examination costs about twenty times what the rest of a verification costs, and its result does not depend on
/// the payload. So a header that was found good is known again by its exact bytes, without being decoded at all. What
/// a token's date decides (whether the certificates were valid then) is not remembered but judged for each token.
final class VerifiedChainCache: Sendable {
  private struct State {
    /// The good ones, the last used first.
    var known: [(chain: KnownChain, forgottenAt: Timestamp)] = []
    /// The bad ones, with their order of arrival.
    var refused: [HeaderBytes: FailedCheck] = [:]
    var refusedOrder: [HeaderBytes] = []
    var refusedNext = 0
    var budget: VerificationBudget
  }

  private let limits: SignedDataLimits
  private let state: Guarded<State>

  init(_ limits: SignedDataLimits) {
    self.limits = limits
    state = Guarded(State(budget: VerificationBudget(limits)))
  }

  /// The good chain that came with exactly this header before; nil when there is none, or it is to be examined again.
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

  /// Why a chain that came with exactly this header was refused before.
  func refusal(of header: HeaderBytes) -> FailedCheck? {
    state.withLock { $0.refused[header] }
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

  /// What to do with the list of all chains that were found good, which outlives the program.
  func withBudget<Value: Sendable>(_ body: (inout VerificationBudget) -> Value) -> Value {
    state.withLock { body(&$0.budget) }
  }

  /// Remembers a good chain: for a day, and not beyond the end of its validity. A chain that has already ended
  /// (evidence of years ago) is remembered for a day too; it still serves only data that was signed while it was
  /// valid.
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

  /// Remembers a bad chain, in the place of the oldest one where there is no room.
  func remember(_ failure: FailedCheck, of header: HeaderBytes) {
    guard header.bytes.count <= limits.rememberedHeaderBytesMax else { return }
    state.withLock { state in
      guard state.refused.updateValue(failure, forKey: header) == nil else { return }
      if state.refusedOrder.count < limits.refusedHeadersMax {
        state.refusedOrder.append(header)
      } else if !state.refusedOrder.isEmpty {
        state.refused[state.refusedOrder[state.refusedNext]] = nil
        state.refusedOrder[state.refusedNext] = header
        state.refusedNext = (state.refusedNext + 1) % state.refusedOrder.count
      }
    }
  }
}

/// The encoded header of a token, hashed and compared as a whole; an array would do both byte by byte.
struct HeaderBytes: Hashable, Sendable {
  let bytes: [UInt8]

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = Array(bytes) }

  /// Several pieces as one; they are elements of DER, so that no two lists give the same bytes.
  init(joining pieces: [[UInt8]]) { bytes = Array(pieces.joined()) }

  static func == (a: HeaderBytes, b: HeaderBytes) -> Bool {
    a.bytes.withUnsafeBytes { a in b.bytes.withUnsafeBytes { b in hasEqualBytes(a, b) } }
  }

  func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}
