/// Eight letters that name an order in speech (record 0176).
///
/// The first four count the hour in which the order's id was made. So the server finds the order among those of one
/// hour, without an index. The last four come from the id's random end. I and O are left out, because they look like
/// digits.
package struct SupportCode: Hashable, Sendable, CustomStringConvertible {
  private static let letters = Array("ABCDEFGHJKLMNPQRSTUVWXYZ".utf8)
  private static let lettersPerHalf = 4
  /// The values of four letters: as many hours as 37 years have, and as many ids within an hour.
  private static let half: UInt64 = 24 * 24 * 24 * 24
  private static let millisecondsPerHour: UInt64 = 3_600_000

  /// Hours since 1970; after 37 years they begin again.
  private let hour: UInt64
  private let end: UInt64

  /// The code of an order. The id of a derived order has no time, so its first half names no real hour.
  package init(of order: OrderIdentifier) {
    hour = (order.high >> 16) / Self.millisecondsPerHour % Self.half
    end = (order.low & 0x3FFF_FFFF_FFFF_FFFF) % Self.half
  }

  /// Reads a code in upper or lower case, with or without a dash in the middle; nil for anything else.
  package init?(_ text: String) {
    var bytes = Array(text.utf8)
    if bytes.count == 2 * Self.lettersPerHalf + 1, bytes[Self.lettersPerHalf] == 0x2D {
      bytes.remove(at: Self.lettersPerHalf)
    }
    guard bytes.count == 2 * Self.lettersPerHalf, let hour = Self.value(of: bytes.prefix(Self.lettersPerHalf)),
      let end = Self.value(of: bytes.suffix(Self.lettersPerHalf))
    else { return nil }
    self.hour = hour
    self.end = end
  }

  /// The last hour up to a moment that the code can name; nil if the code names none.
  package func hour(upTo now: Timestamp) -> ClosedRange<Timestamp>? {
    let present = UInt64(clamping: now.milliseconds) / Self.millisecondsPerHour
    let since = (present % Self.half + Self.half - hour) % Self.half
    guard since <= present else { return nil }
    let start = Int64((present - since) * Self.millisecondsPerHour)
    return Timestamp(milliseconds: start)...Timestamp(milliseconds: start + Int64(Self.millisecondsPerHour) - 1)
  }

  package var description: String { Self.text(of: hour) + Self.text(of: end) }

  private static func value(of letters: ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for letter in letters {
      let upper = (0x61...0x7A).contains(letter) ? letter - 0x20 : letter
      guard let digit = Self.letters.firstIndex(of: upper) else { return nil }
      value = value * UInt64(Self.letters.count) + UInt64(digit)
    }
    return value
  }

  private static func text(of value: UInt64) -> String {
    var rest = value
    var text: [UInt8] = []
    for _ in 0..<lettersPerHalf {
      text.append(letters[Int(rest % UInt64(letters.count))])
      rest /= UInt64(letters.count)
    }
    return String(decoding: text.reversed(), as: UTF8.self)
  }
}
