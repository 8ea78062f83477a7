import PaymentPrimitives

/// How many unknown certificate chains may still be examined: in all, and of each sender.
///
/// What a chain costs is paid by who sent it. A chain that cannot be read, or whose names lead to no trusted root,
/// never touches the common budgets. One that fails a signature is charged to its sender many times over, so that a
/// flood of false leaves under a genuine authority leaves room for a genuine leaf of somebody else. Chains that were
/// found good before, also by an earlier run of this program, need no budget at all.
struct VerificationBudget: Sendable {
  /// A SHA-256 over the bytes that brought a chain.
  typealias Fingerprint = [UInt8]

  private let limits: SignedDataLimits
  /// Two budgets, so that a flood of invented authorities leaves room for a new leaf of a known one.
  private var strangers: TokenBucket
  private var newLeaves: TokenBucket
  private var senders: [String: TokenBucket] = [:]
  /// Those found good, the last found last.
  private var good: [Fingerprint] = []
  private var hasNews = false

  init(_ limits: SignedDataLimits) {
    self.limits = limits
    strangers = TokenBucket(burst: limits.unknownChainsBurst, perSecond: limits.unknownChainsPerSecond)
    newLeaves = strangers
  }

  /// Whether a chain is to be read at all: nothing is taken.
  mutating func mayRead(from sender: String?, at now: Timestamp) -> Bool {
    guard strangers.has(at: now) || newLeaves.has(at: now) else { return false }
    guard let sender else { return true }
    return senders[sender]?.has(at: now) ?? true
  }

  /// Whether the signatures of a chain may be checked now; counts it if so.
  ///
  /// - Parameter isExpected: whether its intermediate is known.
  mutating func take(_ fingerprint: Fingerprint, isExpected: Bool, from sender: String?, at now: Timestamp) -> Bool {
    if good.contains(fingerprint) { return true }
    guard isExpected ? newLeaves.has(at: now) : strangers.has(at: now) else { return false }
    if let sender, !change(sender, at: now, { $0.take(at: now) }) { return false }
    return isExpected ? newLeaves.take(at: now) : strangers.take(at: now)
  }

  /// Makes the sender of a bad chain pay for it.
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

  /// Puts those that an earlier run found good before its own.
  mutating func recall(_ fingerprints: [Fingerprint]) {
    let earlier = fingerprints.filter { !good.contains($0) }
    good = Array((earlier + good).suffix(limits.goodChainsMax))
  }

  /// Those found good, if some are new since this was asked.
  mutating func takeNews() -> [Fingerprint]? {
    guard hasNews else { return nil }
    hasNews = false
    return good
  }

  /// Whoever asks shall be told again.
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

  /// Forgets those whose buckets are full again, which loses nothing; where that is not half of them, all: the common
  /// budgets stay.
  private mutating func forgetSenders(at now: Timestamp) {
    let countBefore = senders.count
    senders = senders.filter { entry in
      var bucket = entry.value
      return !bucket.isFull(at: now)
    }
    if senders.count > countBefore / 2 { senders = [:] }
  }
}

/// So many at once, and so many each second in the long run.
struct TokenBucket: Sendable {
  private let burst: Int64
  private let perSecond: Int64
  /// In thousandths, so that a millisecond can add something; less than none after a charge.
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

  /// Takes one if there is one.
  mutating func take(at now: Timestamp) -> Bool {
    guard has(at: now) else { return false }
    level -= 1000
    return true
  }

  /// Takes so many thousandths, on credit if need be, but never more than one burst.
  mutating func charge(_ thousandths: Int64, at now: Timestamp) {
    fill(at: now)
    level = max(-burst, level - thousandths)
  }

  mutating func isFull(at now: Timestamp) -> Bool {
    fill(at: now)
    return level >= burst
  }

  /// A clock that is set back adds nothing and takes nothing away.
  private mutating func fill(at now: Timestamp) {
    if let filledAt, now > filledAt {
      let elapsed = min((now - filledAt).milliseconds, 1 << 32)
      level = min(burst, level + elapsed * perSecond)
    }
    filledAt = now
  }
}
