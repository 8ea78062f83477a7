import Cryptography
import PaymentVocabulary

/// What is remembered of certificate chains: the good ones, the bad ones, and how many unknown ones may still be
/// examined.
///
/// An examination costs about twenty times what the rest of a verification costs, and its result does not depend on
/// the payload. So a header that was found good is known again by its exact bytes, without being decoded at all. What
/// a token's date decides (whether the certificates were valid then) is not remembered but judged for each token.
final class ChainMemory: Sendable {
  private struct State {
    /// The good ones, the last used first.
    var known: [(chain: KnownChain, forgottenAt: Timestamp)] = []
    /// The bad ones, with their order of arrival.
    var refused: [HeaderBytes: FailedCheck] = [:]
    var refusedOrder: [HeaderBytes] = []
    var refusedNext = 0
    /// Two budgets, so that a flood of invented authorities leaves room for a new leaf of a known one.
    var strangers: TokenBucket
    var newLeaves: TokenBucket
  }

  private let limits: SignedDataLimits
  private let state: Guarded<State>

  init(_ limits: SignedDataLimits) {
    self.limits = limits
    let bucket = TokenBucket(
      burst: limits.unknownChainsBurst, perSecond: limits.unknownChainsPerSecond)
    state = Guarded(State(strangers: bucket, newLeaves: bucket))
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

  /// Whether one more unknown chain may be examined now; counts it if so.
  func mayExamine(intermediate: [UInt8], at now: Timestamp) -> Bool {
    let isExpected = AppleRootCertificates.isExpectedIntermediate(intermediate)
    return state.withLock { state in
      if isExpected || state.known.contains(where: { $0.chain.intermediate == intermediate }) {
        return state.newLeaves.take(at: now)
      }
      return state.strangers.take(at: now)
    }
  }

  /// Remembers a good chain: for a day, and not beyond the end of its validity. A chain that has already ended
  /// (evidence of years ago) is remembered for a day too; it still serves only data that was signed while it was
  /// valid.
  func remember(_ chain: KnownChain, at now: Timestamp) {
    guard chain.header.count <= limits.rememberedHeaderBytesMax else { return }
    let day = now + limits.knownChainLifetime
    let end = chain.facts.notAfter + .seconds(1)
    let forgottenAt = end > now ? min(day, end) : day
    state.withLock { state in
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

/// So many at once, and so many each second in the long run.
struct TokenBucket: Sendable {
  private let burst: Int64
  private let perSecond: Int64
  /// In thousandths, so that a millisecond can add something.
  private var level: Int64
  private var filledAt: Timestamp?

  init(burst: Int, perSecond: Int) {
    self.burst = Int64(min(burst, 1 << 40)) * 1000
    self.perSecond = Int64(min(perSecond, 1 << 20))
    level = self.burst
  }

  /// Takes one if there is one. A clock that is set back adds nothing and takes nothing away.
  mutating func take(at now: Timestamp) -> Bool {
    if let filledAt, now > filledAt {
      let elapsed = min((now - filledAt).milliseconds, 1 << 32)
      level = min(burst, level + elapsed * perSecond)
    }
    filledAt = now
    guard level >= 1000 else { return false }
    level -= 1000
    return true
  }
}
