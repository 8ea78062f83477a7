/// The number of an order in Apple's mail to the customer, such as `MK5TTT123H`.
///
/// Apple documents no form. All known numbers are an M and a few letters and digits. It is not the id of an order here.
package struct AppleOrderNumber: Hashable, Sendable, CustomStringConvertible {
  private static let charactersMax = 16
  private static let charactersMin = 7

  /// In upper case.
  package let text: String

  /// Reads a number in upper or lower case; nil for anything else.
  package init?(_ text: String) {
    let bytes = text.utf8.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }
    guard bytes.first == 0x4D, (Self.charactersMin...Self.charactersMax).contains(bytes.count),
      bytes.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) })
    else { return nil }
    self.text = String(decoding: bytes, as: UTF8.self)
  }

  package var description: String { text }
}
