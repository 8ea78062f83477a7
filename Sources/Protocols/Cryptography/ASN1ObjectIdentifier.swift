/// The identifier of an algorithm, attribute or extension: numbers separated by points.
package struct ASN1ObjectIdentifier: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// The numbers as text: `1.2.840.113635.100.6.11.1`.
  package let text: String

  /// An identifier from its text. Nil unless it has at least two numbers, the first at most 2, the second below 40
  /// (after 2: any).
  package init?(_ text: String) {
    guard Self.numbers(in: text) != nil else { return nil }
    self.text = text
  }

  package init(stringLiteral value: StaticString) { self.text = value.description }

  /// An identifier in the notation of OpenSSL.
  init(written text: String) { self.text = text }

  package var description: String { text }

  /// The content bytes of the DER form.
  package var der: [UInt8] {
    guard let numbers = Self.numbers(in: text) else {
      preconditionFailure("an object identifier in the source is malformed")
    }
    return ([numbers[0] * 40 + numbers[1]] + numbers[2...]).flatMap { number in
      var groups = [UInt8(number & 0x7F)]
      var rest = number >> 7
      while rest > 0 {
        groups.append(UInt8(rest & 0x7F) | 0x80)
        rest >>= 7
      }
      return groups.reversed()
    }
  }

  private static func numbers(in text: String) -> [UInt64]? {
    let parts = text.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
    var numbers: [UInt64] = []
    for part in parts {
      guard let number = UInt64(String(decoding: part, as: UTF8.self)), number < 1 << 56,
        part.first != 0x2B
      else { return nil }
      numbers.append(number)
    }
    guard numbers.count >= 2, numbers[0] <= 2, numbers[0] == 2 || numbers[1] < 40 else { return nil }
    return numbers
  }
}
