/// The identity of a purchase: 16 bytes, compared as bytes and never as text.
///
/// It *is* Apple's `appAccountToken` and WeChat Pay's `out_trade_no`, so the store carries our order through its own
/// system. Ids that we create are UUID version 7 (RFC 9562), or version 8 if they are derived from a payment.
public struct OrderIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Bytes 0–7, most significant first.
  public let high: UInt64
  /// Bytes 8–15, most significant first.
  public let low: UInt64

  /// An identifier from its two halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads a UUID in the 8-4-4-4-12 form or as 32 hexadecimal digits, upper or lower case; nil for anything else.
  public init?(_ text: String) {
    var halves: (UInt64, UInt64) = (0, 0)
    var digits = 0
    let utf8 = text.utf8
    let dashed = utf8.count == 36
    guard dashed || utf8.count == 32 else { return nil }
    for (index, byte) in utf8.enumerated() {
      if dashed, index == 8 || index == 13 || index == 18 || index == 23 {
        guard byte == 0x2D else { return nil }
        continue
      }
      guard let value = Self.hexadecimalValue(byte) else { return nil }
      if digits < 16 { halves.0 = halves.0 << 4 | value } else { halves.1 = halves.1 << 4 | value }
      digits += 1
    }
    self.init(high: halves.0, low: halves.1)
  }

  /// A new id of UUID version 7: the time in milliseconds, then 74 random bits.
  ///
  /// - Parameter random: at least 10 random bytes; more are ignored.
  public init(version7At moment: Timestamp, random: [UInt8]) {
    precondition(random.count >= 10, "a version 7 id needs 10 random bytes")
    let time = UInt64(clamping: moment.milliseconds) & 0xFFFF_FFFF_FFFF
    let a = UInt64(random[0]) << 8 | UInt64(random[1])
    let b = random[2..<10].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    self.init(high: time << 16 | 0x7000 | a & 0x0FFF, low: b & 0x3FFF_FFFF_FFFF_FFFF | 1 << 63)
  }

  /// An id of UUID version 8 from a hash, for orders derived from a payment: the same payment gives the same id.
  ///
  /// - Parameter digest: at least 16 bytes of a keyed hash; more are ignored.
  public init(version8From digest: [UInt8]) {
    precondition(digest.count >= 16, "a derived id needs 16 bytes")
    let high = digest[0..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let low = digest[8..<16].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    self.init(
      high: high & ~0xF000 | 0x8000, low: low & 0x3FFF_FFFF_FFFF_FFFF | 1 << 63)
  }

  /// When an id of UUID version 7 was made, to the millisecond; nil for any other id.
  package var madeAt: Timestamp? {
    guard high >> 12 & 0xF == 7, low >> 62 == 2 else { return nil }
    return Timestamp(milliseconds: Int64(high >> 16))
  }

  /// The 16 bytes, most significant first.
  public var bytes: [UInt8] {
    [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
  }

  /// Lower case with dashes, as in Apple's `appAccountToken` and in our own API.
  public var appAccountToken: String { text(letters: 0x61, dashed: true) }

  /// 32 upper-case hexadecimal digits, as WeChat Pay carries it in `out_trade_no`.
  public var outTradeNo: String { text(letters: 0x41, dashed: false) }

  /// The hexadecimal digits; `letters` is the character for ten. Written byte by byte for speed, because every
  /// purchase uses this text several times.
  private func text(letters: UInt8, dashed: Bool) -> String {
    String(unsafeUninitializedCapacity: 36) { bytes in
      var count = 0
      for digit in 0..<32 {
        if dashed, digit == 8 || digit == 12 || digit == 16 || digit == 20 {
          bytes[count] = 0x2D
          count += 1
        }
        let half = digit < 16 ? high : low
        let value = UInt8(truncatingIfNeeded: half >> UInt64(60 - digit % 16 * 4)) & 15
        bytes[count] = value < 10 ? 0x30 + value : letters + value - 10
        count += 1
      }
      return count
    }
  }

  public var description: String { appAccountToken }

  public static func < (a: OrderIdentifier, b: OrderIdentifier) -> Bool {
    (a.high, a.low) < (b.high, b.low)
  }

  private static func hexadecimalValue(_ byte: UInt8) -> UInt64? {
    switch byte {
    case 0x30...0x39: UInt64(byte - 0x30)
    case 0x41...0x46: UInt64(byte - 0x41 + 10)
    case 0x61...0x66: UInt64(byte - 0x61 + 10)
    default: nil
    }
  }
}
