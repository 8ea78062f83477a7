import PaymentPrimitives

/// The budget for examining unknown certificate chains: in total, and for each sender.
///
/// The sender of a chain pays for its cost. A chain never uses the common budgets if it is unreadable, or if its names
/// lead to no trusted root. If a signature in a chain is wrong, its sender pays many times over. So a flood of forged
/// leaves under a genuine authority leaves room for another sender's genuine leaf. Chains that were found good before
/// need no budget at all, also those of an earlier run.
struct VerificationBudget: Sendable {
  /// A SHA-256 over the bytes that contained a chain.
  typealias Fingerprint = [UInt8]

  private let limits: SignedDataLimits
  /// Two budgets, so that a flood of unknown authorities leaves room for a new leaf of a known one.
  private var strangers: TokenBucket
  private var newLeaves: TokenBucket
  private var senders: [String: TokenBucket] = [:]
  /// The fingerprints of the good chains, newest last.
  private var good: [Fingerprint] = []
  private var hasNews = false

  init(_ limits: SignedDataLimits) {
    self.limits = limits
    strangers = TokenBucket(burst: limits.unknownChainsBurst, perSecond: limits.unknownChainsPerSecond)
    newLeaves = strangers
  }

  /// Whether a chain may be read at all. This takes nothing from the budget.
  mutating func mayRead(from sender: String?, at now: Timestamp) -> Bool {
    guard strangers.has(at: now) || newLeaves.has(at: now) else { return false }
    guard let sender else { return true }
    return senders[sender]?.has(at: now) ?? true
  }

  /// Whether the signatures of a chain may be checked now. If so, the check is counted.
  ///
  /// - Parameter isExpected: whether its intermediate is known.
  mutating func take(_ fingerprint: Fingerprint, isExpected: Bool, from sender: String?, at now: Timestamp) -> Bool {
    if good.contains(fingerprint) { return true }
    guard isExpected ? newLeaves.has(at: now) : strangers.has(at: now) else { return false }
    if let sender, !change(sender, at: now, { $0.take(at: now) }) { return false }
    return isExpected ? newLeaves.take(at: now) : strangers.take(at: now)
  }

  /// Charges the sender of an invalid chain.
  ///
  /// - Parameter wasDear: whether its signatures were checked.
  mutating func charge(_ sender: String?, wasDear: Bool, at now: Timestamp) {
    guard let sender else { return }
    let thousandths = wasDear ? limits.falseChainCost * 1000 : 250
    change(sender, at: now) { $0.charge(thousandths, at: now) }
  }

  mutating func remember(_ fingerprint: Fingerprint) {
    let isNew = !good.contains(fingerprint)
    good.removeAll { $0 == fingerprint }
    good.append(fingerprint)
    if good.count > limits.goodChainsMax { good.removeFirst() }
    hasNews = hasNews || isNew
  }

  /// Puts the fingerprints from an earlier run before those of this run.
  mutating func recall(_ fingerprints: [Fingerprint]) {
    let earlier = fingerprints.filter { !good.contains($0) }
    good = Array((earlier + good).suffix(limits.goodChainsMax))
  }

  /// The good fingerprints, if there are new ones since the last call; otherwise nil.
  mutating func takeNews() -> [Fingerprint]? {
    guard hasNews else { return nil }
    hasNews = false
    return good
  }

  /// Reports the same fingerprints again at the next call.
  mutating func keepNews() { hasNews = true }

  @discardableResult
  private mutating func change<Value>(
    _ sender: String, at now: Timestamp, _ body: (inout TokenBucket) -> Value
  ) -> Value {
    if senders[sender] == nil, senders.count >= limits.sendersMax { forgetSenders(at: now) }
    var bucket =
      senders[sender] ?? TokenBucket(burst: limits.chainsPerSenderBurst, perSecond: limits.chainsPerSenderPerSecond)
    let value = body(&bucket)
    senders[sender] = bucket
    return value
  }

  /// Forgets senders with a full bucket, which loses nothing. If that frees less than half, it forgets all senders. The
  /// common budgets stay.
  private mutating func forgetSenders(at now: Timestamp) {
    let countBefore = senders.count
    senders = senders.filter { entry in
      var bucket = entry.value
      return !bucket.isFull(at: now)
    }
    if senders.count > countBefore / 2 { senders = [:] }
  }
}

/// A token bucket: a burst, and a sustained rate per second.
struct TokenBucket: Sendable {
  private let burst: Int64
  private let perSecond: Int64
  /// The level in thousandths, so that one millisecond can add something; negative after a charge.
  private var level: Int64
  private var filledAt: Timestamp?

  init(burst: Int, perSecond: Int) {
    self.burst = Int64(min(burst, 1 << 40)) * 1000
    self.perSecond = Int64(min(perSecond, 1 << 20))
    level = self.burst
  }

  mutating func has(at now: Timestamp) -> Bool {
    fill(at: now)
    return level >= 1000
  }

  /// Takes one token if available.
  mutating func take(at now: Timestamp) -> Bool {
    guard has(at: now) else { return false }
    level -= 1000
    return true
  }

  /// Takes thousandths of a token. The level may become negative, at most by one burst.
  mutating func charge(_ thousandths: Int64, at now: Timestamp) {
    fill(at: now)
    level = max(-burst, level - thousandths)
  }

  mutating func isFull(at now: Timestamp) -> Bool {
    fill(at: now)
    return level >= burst
  }

  /// If the clock goes back, nothing is added or removed.
  private mutating func fill(at now: Timestamp) {
    if let filledAt, now > filledAt {
      let elapsed = min((now - filledAt).milliseconds, 1 << 32)
      level = min(burst, level + elapsed * perSecond)
    }
    filledAt = now
  }
}
