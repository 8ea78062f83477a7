import PaymentPrimitives

/// Counts the calls of each merchant and operation in the current second. The counts are not in the log: a restart
/// resets them.
struct RateLimits {
  private struct Window {
    var second: Int64
    var count: Int64
  }

  private struct Key: Hashable {
    let mchid: String
    let operation: WeChatPayOperation
  }

  private var windows: [Key: Window] = [:]

  /// WeChat Pay's own limits per second. Source: its pages of the calls; where a page states none, the limit of
  /// queries.
  static func limit(of operation: WeChatPayOperation) -> Int64 {
    switch operation {
    case .certificates: 1000
    case .refund, .abnormalRefund: 150
    default: 600
    }
  }

  /// Counts a call; false when it exceeds the limit of this second.
  mutating func admit(_ mchid: String, _ operation: WeChatPayOperation, at now: Timestamp, behaviour: Int64) -> Bool {
    let key = Key(mchid: mchid, operation: operation)
    var window = windows[key] ?? Window(second: now.seconds, count: 0)
    if window.second != now.seconds { window = Window(second: now.seconds, count: 0) }
    window.count += 1
    windows[key] = window
    return window.count <= (behaviour > 0 ? behaviour : Self.limit(of: operation))
  }
}

/// The recently used nonces. They are not in the log.
struct UsedNonces {
  private struct Use: Hashable {
    let mchid: String
    let nonce: String
  }

  private var uses: [Use: Timestamp] = [:]
  private var sequence: [(use: Use, at: Timestamp)] = []
  private var dropped = 0

  /// Notes a nonce; false when the merchant used it within five minutes.
  mutating func admit(_ mchid: String, _ nonce: String, at now: Timestamp) -> Bool {
    let use = Use(mchid: mchid, nonce: nonce)
    let oldest = now - WeChatPaySimulatorLimits.nonceLife
    while dropped < sequence.count,
      sequence[dropped].at < oldest || sequence.count - dropped > WeChatPaySimulatorLimits.noncesMax
    {
      let old = sequence[dropped]
      if uses[old.use] == old.at { uses[old.use] = nil }
      dropped += 1
    }
    if dropped > 4096, dropped * 2 > sequence.count {
      sequence.removeFirst(dropped)
      dropped = 0
    }
    let isFresh = uses[use] == nil
    uses[use] = now
    sequence.append((use, now))
    return isFresh
  }
}
