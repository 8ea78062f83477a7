/// A signed text in two parts: the header that many texts have in common, and the rest from the first full stop on.
package struct SignedTextParts {
  package let header: String
  package let rest: String

  /// The fewest bytes of a header that is kept apart. Apple's has about 3,700; a header without certificates has fewer
  /// than its row would cost.
  private static let headerBytesMin = 512
  private static let headerBytesMax = 16_384

  /// Nil for a text that does not begin with a long header of a JWS.
  package init?(_ text: String) {
    let bytes = text.utf8
    guard let end = bytes.prefix(Self.headerBytesMax + 1).firstIndex(of: UInt8(ascii: ".")),
      bytes.distance(from: bytes.startIndex, to: end) >= Self.headerBytesMin,
      bytes[..<end].allSatisfy(Self.isBase64URL)
    else { return nil }
    header = String(text[..<end])
    rest = String(text[end...])
  }

  private static func isBase64URL(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
