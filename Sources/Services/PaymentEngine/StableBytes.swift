package import PaymentPrimitives

/// An unambiguous encoding of words: equal words always give equal bytes, and different words different ones. Each
/// word is preceded by its length.
///
/// Hashes of them (ids of derived orders and of deliveries) must be the same on every node and in every version.
package enum StableBytes {
  package static func of(_ parts: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(parts.reduce(0) { $0 + 4 + $1.utf8.count })
    for part in parts {
      let count = UInt32(part.utf8.count)
      for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: count >> UInt32(shift))) }
      bytes.append(contentsOf: part.utf8)
    }
    return bytes
  }

  package static func of(_ purpose: String, _ payment: PaymentKey) -> [UInt8] {
    of([
      purpose, payment.app.text, payment.environment.rawValue, payment.store.rawValue,
      payment.transaction.text,
    ])
  }
}
