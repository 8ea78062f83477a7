package import PaymentPrimitives

/// A UUID as the App Store writes it: 36 characters, lower case. UUIDs with the same bytes are equal, in any spelling.
package struct AppStoreUUID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The UUID in lower case with dashes.
  package let text: String

  /// Reads the 8-4-4-4-12 form in upper or lower case; nil for anything else.
  ///
  /// StoreKit 1 accepts any text as a user name and keeps it only if it is a UUID (rule AS-BUY-6). This initializer
  /// decides that.
  package init?(_ text: String) {
    guard text.utf8.count == 36, let identifier = OrderIdentifier(text) else { return nil }
    self.init(identifier)
  }

  /// The UUID of an order id.
  package init(_ identifier: OrderIdentifier) { text = identifier.appAccountToken }

  /// A UUID of version 4 from at least 16 random bytes.
  init(random bytes: [UInt8]) {
    precondition(bytes.count >= 16, "a UUID needs 16 random bytes")
    let high = bytes[0..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let low = bytes[8..<16].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    self.init(
      OrderIdentifier(high: high & ~0xF000 | 0x4000, low: low & 0x3FFF_FFFF_FFFF_FFFF | 1 << 63))
  }

  package var description: String { text }

  package static func < (a: AppStoreUUID, b: AppStoreUUID) -> Bool {
    a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
  }
}
