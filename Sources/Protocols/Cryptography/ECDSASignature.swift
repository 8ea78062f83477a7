import COpenSSL
package import PaymentPrimitives

/// An elliptic-curve signature in its two common forms: r and s side by side (JWS), or as DER (certificates, App Store
/// offers).
package struct ECDSASignature: Hashable, Sendable {
  /// The curve; it sets the length of the two halves.
  package let curve: EllipticCurve
  /// r and s, each of the curve's length, most significant byte first.
  package let raw: [UInt8]

  /// A signature from r and s side by side; nil unless they have the curve's length.
  package init?(raw: [UInt8], curve: EllipticCurve) {
    guard raw.count == 2 * curve.byteCount else { return nil }
    self.curve = curve
    self.raw = raw
  }

  /// A signature from DER.
  ///
  /// - Throws: `malformedSignature` when it is not exact DER, or its numbers are too large for the curve.
  package init(der: [UInt8], curve: EllipticCurve) throws(CodedError<CryptographyErrorCode>) {
    let raw: [UInt8]? = der.withUnsafeBufferPointer { bytes in
      var position = bytes.baseAddress
      guard let signature = d2i_ECDSA_SIG(nil, &position, bytes.count) else { return nil }
      defer { ECDSA_SIG_free(signature) }
      let length = Int32(curve.byteCount)
      return [UInt8](unsafeUninitializedCapacity: 2 * curve.byteCount) { output, count in
        guard let r = output.baseAddress,
          BN_bn2binpad(ECDSA_SIG_get0_r(signature), r, length) == length,
          BN_bn2binpad(ECDSA_SIG_get0_s(signature), r + curve.byteCount, length) == length
        else { return }
        count = 2 * curve.byteCount
      }
    }
    ERR_clear_error()
    // DER has only one encoding. OpenSSL also reads other forms (long lengths, negative numbers), but they give other
    // bytes back.
    guard let raw, let signature = ECDSASignature(raw: raw, curve: curve), signature.der == der else {
      throw CodedError(.malformedSignature, "It is not DER of two numbers below \(curve.byteCount) bytes.")
    }
    self = signature
  }

  package var der: [UInt8] {
    raw.withUnsafeBytes { raw in
      [UInt8](unsafeUninitializedCapacity: Self.derBytesMax) { output, count in
        count = Self.writeDER(raw, to: UnsafeMutableRawBufferPointer(output))
      }
    }
  }

  /// Space for the longer curve: two numbers of 48 bytes, each with a leading zero, and the headers.
  static let derBytesMax = 2 + 2 * (2 + 1 + 48)

  /// Writes r and s as DER and returns the number of bytes; used by the most frequent verification.
  static func writeDER(
    _ raw: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer
  ) -> Int {
    let half = raw.count / 2
    var position = 2
    for start in [0, half] {
      var first = start
      while first < start + half - 1, raw[first] == 0 { first += 1 }
      let isHigh = raw[first] >= 0x80
      output[position] = 0x02
      output[position + 1] = UInt8(start + half - first + (isHigh ? 1 : 0))
      position += 2
      if isHigh {
        output[position] = 0
        position += 1
      }
      for index in first..<start + half {
        output[position] = raw[index]
        position += 1
      }
    }
    output[0] = 0x30
    output[1] = UInt8(position - 2)
    return position
  }
}
