import Cryptography
package import PaymentPrimitives

/// Writes the content of an app receipt, attribute by attribute, without any check: tests need invalid receipts.
package struct AppReceiptContent: Sendable {
  private var attributes: [[UInt8]] = []

  package init() {}

  /// Adds a text in UTF-8.
  package mutating func add(_ type: Int64, text: String) {
    add(type, value: DERWriter.utf8String(text))
  }

  /// Adds a text in ASCII, the form of dates and age ratings.
  package mutating func add(_ type: Int64, ascii text: String) {
    add(type, value: DERWriter.element(BERElement.ia5String, Array(text.utf8)))
  }

  /// Adds a date with whole seconds, or an empty text for nil, as Apple does.
  package mutating func add(_ type: Int64, date: Timestamp?) {
    add(type, ascii: date.map { $0.iso8601.prefix(19) + "Z" } ?? "")
  }

  /// Adds a non-negative number.
  package mutating func add(_ type: Int64, number: Int64) {
    add(type, value: Self.integer(number))
  }

  package mutating func add(purchase: AppReceiptContent) { add(17, value: purchase.bytes) }

  /// Adds an attribute with raw bytes.
  package mutating func add(_ type: Int64, value: [UInt8]) {
    attributes.append(
      DERWriter.sequence([Self.integer(type), DERWriter.integer([1]), DERWriter.octetString(value)]))
  }

  /// Adds the opaque value and the device hash of a device (4 and 5), by Apple's rule.
  package mutating func add(device: [UInt8], opaqueValue: [UInt8], bundleId: String) {
    add(4, value: opaqueValue)
    add(5, value: SHA1.hash(device + opaqueValue + DERWriter.utf8String(bundleId)))
  }

  /// The content in DER, with the attributes in the order of adding. Apple's receipts have no fixed order.
  package var bytes: [UInt8] { DERWriter.set(attributes) }

  private static func integer(_ number: Int64) -> [UInt8] {
    precondition(number >= 0, "no number of a receipt is negative")
    return DERWriter.integer(withUnsafeBytes(of: number.bigEndian) { Array($0) })
  }
}
