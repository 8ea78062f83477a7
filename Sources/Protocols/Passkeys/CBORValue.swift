/// A value of CBOR (RFC 8949), of the kinds that authenticators send.
package indirect enum CBORValue: Hashable, Sendable {
  case integer(Int64)
  case bytes([UInt8])
  case text(String)
  case array([CBORValue])
  /// Its pairs in the order in which they stand; no key stands twice.
  case map([Pair])
  case bool(Bool)
  case null

  package struct Pair: Hashable, Sendable {
    package let key: CBORValue
    package let value: CBORValue
  }

  /// The value of a key in a map; nil for every other value.
  package subscript(_ key: CBORValue) -> CBORValue? {
    guard case .map(let pairs) = self else { return nil }
    return pairs.first { $0.key == key }?.value
  }

  package var bytes: [UInt8]? {
    guard case .bytes(let bytes) = self else { return nil }
    return bytes
  }
}
