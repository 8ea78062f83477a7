import COpenSSL
package import PaymentPrimitives

/// A public key on P-256 or P-384, for verifying ECDSA signatures.
package struct ECDSAPublicKey: Sendable {
  package let curve: EllipticCurve
  /// The point in uncompressed SEC 1 form: 4, x, y.
  package let point: [UInt8]

  let handle: KeyHandle

  /// A key from its uncompressed point.
  ///
  /// - Throws: `malformedKey` when the length is wrong or the point is not on the curve.
  package init(curve: EllipticCurve, point: [UInt8]) throws(CodedError<CryptographyErrorCode>) {
    guard point.count == 1 + 2 * curve.byteCount, point.first == 4,
      let key = Self.key(curve, point: point, scalar: nil)
    else { throw CodedError(.malformedKey, "It is not an uncompressed point on \(curve.rawValue).") }
    self.init(curve: curve, point: point, handle: KeyHandle(owning: key))
  }

  init(curve: EllipticCurve, point: [UInt8], handle: KeyHandle) {
    self.curve = curve
    self.point = point
    self.handle = handle
  }

  /// A key from a SubjectPublicKeyInfo in DER: the content of a PEM block `PUBLIC KEY`.
  ///
  /// Only the form with a named curve and an uncompressed point is accepted; every tool writes that form.
  package init(spki: [UInt8]) throws(CodedError<CryptographyErrorCode>) {
    for curve in EllipticCurve.allCases {
      let length = 1 + 2 * curve.byteCount
      let point = Array(spki.suffix(length))
      if point.count == length, DERWriter.subjectPublicKey(curve, point: point) == spki {
        try self.init(curve: curve, point: point)
        return
      }
    }
    throw CodedError(.unsupportedKey, "It is no public key with a named curve P-256 or P-384.")
  }

  /// A key from a PEM text with one block `PUBLIC KEY`.
  package init(pem: String) throws(CodedError<CryptographyErrorCode>) {
    let blocks = try PEM.blocks(in: pem)
    guard blocks.count == 1, blocks[0].label == "PUBLIC KEY" else {
      throw CodedError(.malformedKey, "The text does not hold exactly one block PUBLIC KEY.")
    }
    try self.init(spki: blocks[0].bytes.withBytes { Array($0) })
  }

  /// The key as SubjectPublicKeyInfo in DER.
  package var spki: [UInt8] { DERWriter.subjectPublicKey(curve, point: point) }

  /// Whether the private half of this key signed this message.
  ///
  /// - Parameter digest: the digest that was signed; default: that of the curve (ES256: SHA-256 on P-256).
  package func isValid(
    _ signature: ECDSASignature, for message: some Sequence<UInt8>, digest: DigestFunction? = nil
  ) -> Bool {
    isValid(signature, forDigest: (digest ?? curve.digest).hash(message))
  }

  /// Whether the signature is for a message with this digest.
  package func isValid(_ signature: ECDSASignature, forDigest digest: [UInt8]) -> Bool {
    guard signature.curve == curve else { return false }
    let context = required(EVP_PKEY_CTX_new_from_pkey(nil, handle.pointer, nil))
    defer { EVP_PKEY_CTX_free(context) }
    ensure(EVP_PKEY_verify_init(context))
    let der = signature.der
    defer { ERR_clear_error() }
    return EVP_PKEY_verify(context, der, der.count, digest, digest.count) == 1
  }

  /// A key object from a point, with the private number if it is known; nil when the point is not on the curve.
  static func key(
    _ curve: EllipticCurve, point: [UInt8], scalar: OpaquePointer?
  ) -> OpaquePointer? {
    let parameters = point.withUnsafeBufferPointer { Self.parameters(curve, $0, scalar: scalar) }
    defer { OSSL_PARAM_free(parameters) }
    let context = required(EVP_PKEY_CTX_new_from_name(nil, "EC", nil))
    defer { EVP_PKEY_CTX_free(context) }
    ensure(EVP_PKEY_fromdata_init(context))
    var key: OpaquePointer?
    let selection =
      scalar == nil ? counterfoil_public_key_selection : counterfoil_key_pair_selection
    defer { ERR_clear_error() }
    return EVP_PKEY_fromdata(context, &key, selection, parameters) == 1 ? key : nil
  }

  /// The builder keeps only addresses of the pushed values until it creates the parameters: both happen within this
  /// call.
  private static func parameters(
    _ curve: EllipticCurve, _ point: UnsafeBufferPointer<UInt8>, scalar: OpaquePointer?
  ) -> UnsafeMutablePointer<OSSL_PARAM> {
    let builder = required(OSSL_PARAM_BLD_new())
    defer { OSSL_PARAM_BLD_free(builder) }
    return curve.groupName.withUTF8Buffer { name in
      name.withMemoryRebound(to: CChar.self) { name in
        ensure(
          OSSL_PARAM_BLD_push_utf8_string(
            builder, counterfoil_group_parameter(), name.baseAddress, name.count))
        ensure(
          OSSL_PARAM_BLD_push_octet_string(
            builder, counterfoil_public_key_parameter(), point.baseAddress, point.count))
        if let scalar {
          ensure(OSSL_PARAM_BLD_push_BN(builder, counterfoil_private_key_parameter(), scalar))
        }
        return required(OSSL_PARAM_BLD_to_param(builder))
      }
    }
  }
}

extension ECDSAPublicKey: Hashable {
  package static func == (a: ECDSAPublicKey, b: ECDSAPublicKey) -> Bool {
    a.curve == b.curve && a.point == b.point
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(point) }
}
