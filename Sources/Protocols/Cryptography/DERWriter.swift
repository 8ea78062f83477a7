/// Writes DER (X.690), for keys and for what is compared with signed bytes.
package enum DERWriter {
  package static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    var length: [UInt8] = []
    if content.count < 128 {
      length = [UInt8(content.count)]
    } else {
      var rest = content.count
      while rest > 0 {
        length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
        rest >>= 8
      }
      length.insert(0x80 | UInt8(length.count), at: 0)
    }
    return [tag] + length + content
  }

  package static func sequence(_ parts: [[UInt8]]) -> [UInt8] { element(0x30, parts.flatMap { $0 }) }

  /// A non-negative number, from its bytes, most significant first.
  package static func integer(_ magnitude: [UInt8]) -> [UInt8] {
    let digits = magnitude.drop { $0 == 0 }
    let isHigh = (digits.first ?? 0) >= 0x80
    return element(0x02, digits.isEmpty ? [0] : (isHigh ? [0] : []) + digits)
  }

  package static func octetString(_ bytes: [UInt8]) -> [UInt8] { element(0x04, bytes) }

  package static func bitString(_ bytes: [UInt8], unusedBits: UInt8 = 0) -> [UInt8] {
    element(0x03, [unusedBits] + bytes)
  }

  package static func objectIdentifier(_ identifier: ASN1ObjectIdentifier) -> [UInt8] {
    element(0x06, identifier.der)
  }

  package static let null: [UInt8] = [0x05, 0x00]

  /// An element with a context number instead of a type: `[0] { … }`.
  package static func tagged(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
    element(0xA0 | number, content)
  }

  /// A subject's public key (RFC 5280 §4.1.2.7).
  static func subjectPublicKey(_ curve: EllipticCurve, point: [UInt8]) -> [UInt8] {
    sequence([keyAlgorithm(curve), bitString(point)])
  }

  /// "An elliptic-curve key on this curve" (RFC 5480 §2.1.1).
  static func keyAlgorithm(_ curve: EllipticCurve) -> [UInt8] {
    sequence([
      objectIdentifier("1.2.840.10045.2.1"), objectIdentifier(curve.objectIdentifier),
    ])
  }
}
