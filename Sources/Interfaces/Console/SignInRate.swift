import PaymentPrimitives
import Synchronization

/// How often an address may try to sign in: a code has 256 bits, so this only keeps the log short.
final class SignInRate: Sendable {
  static let triesMax = 10
  static let span = TimeSpan.minutes(1)
  /// An attacker with many addresses must not fill memory. Above that, nobody signs in until the span is over.
  private static let addressesMax = 10_000

  private let tries = Mutex<[String: (since: Timestamp, count: Int)]>([:])

  func allows(_ address: String, at now: Timestamp) -> Bool {
    tries.withLock { tries in
      if tries[address] == nil, tries.count >= Self.addressesMax {
        tries = tries.filter { now - $0.value.since < Self.span }
        guard tries.count < Self.addressesMax else { return false }
      }
      var entry = tries[address] ?? (now, 0)
      if now - entry.since >= Self.span { entry = (now, 0) }
      entry.count += 1
      tries[address] = entry
      return entry.count <= Self.triesMax
    }
  }
}
