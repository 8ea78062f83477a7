import Cryptography
import PaymentPrimitives

// The elements that only certificates and receipts contain.

extension DERWriter {
  static func set(_ parts: [[UInt8]]) -> [UInt8] { element(BERElement.set, parts.flatMap { $0 }) }

  static func boolean(_ value: Bool) -> [UInt8] { element(0x01, [value ? 0xFF : 0]) }

  static func utf8String(_ text: String) -> [UInt8] { element(BERElement.utf8String, Array(text.utf8)) }

  /// A date in certificate form: from 1950 to 2049 with two digits of the year, otherwise with four (RFC 5280
  /// §4.1.2.5).
  static func time(_ moment: Timestamp) -> [UInt8] {
    let digits = moment.iso8601.utf8.prefix { $0 != 0x2E }.filter { (0x30...0x39).contains($0) }
    precondition(digits.count == 14, "a certificate holds years from 0 to 9999")
    let year = digits.prefix(4).reduce(0) { $0 * 10 + Int($1 - 0x30) }
    let isShort = (1950...2049).contains(year)
    return element(isShort ? 0x17 : 0x18, (isShort ? digits.dropFirst(2) : digits[...]) + [0x5A])
  }
}
