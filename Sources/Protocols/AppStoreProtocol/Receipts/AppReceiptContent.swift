import Cryptography
package import PaymentPrimitives

/// Writes the content of an app receipt, attribute by attribute: for simulators, and for tests, which need wrong ones.
package struct AppReceiptContent: Sendable {
  private var attributes: [[UInt8]] = []

  package init() {}

  /// Adds a text in UTF-8.
  package mutating func add(_ type: Int64, text: String) {
    add(type, value: DERWriter.utf8String(text))
  }

  /// Adds a text in ASCII, as dates and ages are written.
  package mutating func add(_ type: Int64, ascii text: String) {
    add(type, value: DERWriter.element(BERElement.ia5String, Array(text.utf8)))
  }

  /// Adds a date to the second, or nothing where there is none, as Apple does.
  package mutating func add(_ type: Int64, date: Timestamp?) {
    add(type, ascii: date.map { $0.iso8601.prefix(19) + "Z" } ?? "")
  }

  /// Adds a number that is not negative.
  package mutating func add(_ type: Int64, number: Int64) {
    add(type, value: Self.integer(number))
  }

  package mutating func add(purchase: AppReceiptContent) { add(17, value: purchase.bytes) }

  /// Adds an attribute as it is.
  package mutating func add(_ type: Int64, value: [UInt8]) {
    attributes.append(
      DERWriter.sequence([Self.integer(type), DERWriter.integer([1]), DERWriter.octetString(value)]))
  }

  /// Adds opaque value and device hash (4 and 5) of a device, by Apple's rule.
  package mutating func add(device: [UInt8], opaqueValue: [UInt8], bundleId: String) {
    add(4, value: opaqueValue)
    add(5, value: SHA1.hash(device + opaqueValue + DERWriter.utf8String(bundleId)))
  }

  /// The content in DER. Attributes stand in the order in which they were added: Apple's stand in none.
  package var bytes: [UInt8] { DERWriter.set(attributes) }

  private static func integer(_ number: Int64) -> [UInt8] {
    precondition(number >= 0, "no number of a receipt is negative")
    return DERWriter.integer(withUnsafeBytes(of: number.bigEndian) { Array($0) })
  }
}
