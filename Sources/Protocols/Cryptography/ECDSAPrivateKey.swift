import COpenSSL
package import PaymentPrimitives

/// A private key on P-256 or P-384, for ECDSA signatures. It cannot be printed or encoded; `pkcs8` returns it as a
/// secret.
package struct ECDSAPrivateKey: Sendable {
  package let publicKey: ECDSAPublicKey

  /// The private number, with the length of the curve.
  package let scalar: Secret

  package var curve: EllipticCurve { publicKey.curve }

  /// A key from its number, most significant byte first.
  ///
  /// - Throws: `malformedKey` unless it has the curve's length and is between 1 and the curve's order.
  package init(curve: EllipticCurve, scalar: Secret) throws(CodedError<CryptographyErrorCode>) {
    guard scalar.count == curve.byteCount, let key = Self(curve: curve, checked: scalar) else {
      throw CodedError(
        .malformedKey, "It is not a number of \(curve.byteCount) bytes below the order of \(curve.rawValue).")
    }
    self = key
  }

  private init?(curve: EllipticCurve, checked scalar: Secret) {
    let arithmetic = CurveArithmetic(curve)
    let number = BigNumber(scalar)
    guard number.isPositive(below: arithmetic.order) else { return nil }
    let point = arithmetic.point(number)
    let key = required(ECDSAPublicKey.key(curve, point: point, scalar: number.pointer))
    publicKey = ECDSAPublicKey(curve: curve, point: point, handle: KeyHandle(owning: key))
    self.scalar = scalar
  }

  /// A key from DER: PKCS#8 (the content of an App Store `.p8` file) or SEC 1.
  ///
  /// - Throws: `malformedKey`, or `unsupportedKey` for another algorithm or curve.
  package init(der: Secret) throws(CodedError<CryptographyErrorCode>) {
    let key: OpaquePointer? = der.withBytes { bytes in
      var position = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
      let key = d2i_AutoPrivateKey(nil, &position, bytes.count)
      guard let key else { return nil }
      guard UnsafeRawPointer(position) == bytes.baseAddress.map({ $0 + bytes.count }) else {
        EVP_PKEY_free(key)
        return nil
      }
      return key
    }
    ERR_clear_error()
    guard let key else { throw CodedError(.malformedKey, "It is neither PKCS#8 nor SEC 1.") }
    defer { EVP_PKEY_free(key) }
    guard let curve = Self.curve(of: key) else {
      throw CodedError(.unsupportedKey, "It is no key on P-256 or P-384.")
    }
    var number: OpaquePointer?
    guard EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &number) == 1 else {
      throw CodedError(.malformedKey, "It holds no private number.")
    }
    defer { BN_clear_free(number) }
    var bytes = [UInt8](repeating: 0, count: curve.byteCount)
    guard BN_bn2binpad(number, &bytes, Int32(curve.byteCount)) == curve.byteCount else {
      throw CodedError(.malformedKey, "Its private number is too large.")
    }
    try self.init(curve: curve, scalar: Secret(bytes))
  }

  private static func curve(of key: OpaquePointer) -> EllipticCurve? {
    guard EVP_PKEY_is_a(key, "EC") == 1 else { return nil }
    var name = [CChar](repeating: 0, count: 64)
    var length = 0
    guard EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else { return nil }
    let group = name.prefix(length).map { UInt8(bitPattern: $0) }
    return EllipticCurve.allCases.first { $0.groupName.description.utf8.elementsEqual(group) }
  }

  /// A key from a PEM text with one block `PRIVATE KEY` or `EC PRIVATE KEY`; other blocks (`EC PARAMETERS`) are
  /// ignored.
  ///
  /// - Throws: `encryptedKey` when it is encrypted with a passphrase.
  package init(pem: Secret) throws(CodedError<CryptographyErrorCode>) {
    let blocks = try PEM.blocks(in: pem.withBytes { Array($0) })
    if blocks.contains(where: { $0.label == "ENCRYPTED PRIVATE KEY" }) {
      throw CodedError(.encryptedKey)
    }
    let keys = blocks.filter { $0.label == "PRIVATE KEY" || $0.label == "EC PRIVATE KEY" }
    guard keys.count == 1 else {
      throw CodedError(.malformedKey, "The text holds \(keys.count) private keys instead of one.")
    }
    try self.init(der: keys[0].bytes)
  }

  /// A key from the content of a file: PEM or DER, also if an environment variable removed its line breaks.
  ///
  /// - Throws: the actual kind of file (`certificateInsteadOfPrivateKey`, `publicKeyInsteadOfPrivateKey`,
  ///   `encryptedKey`), or `unsupportedKey` for another algorithm or curve.
  package init(file: Secret) throws(CodedError<CryptographyErrorCode>) {
    switch try KeyFile(file.withBytes { Array($0) }) {
    case .privateKey(let der), .ellipticPrivateKey(let der): try self.init(der: der)
    case .encryptedPrivateKey: throw CodedError(.encryptedKey)
    case .certificate: throw CodedError(.certificateInsteadOfPrivateKey)
    case .subjectPublicKey, .rsaPublicKey: throw CodedError(.publicKeyInsteadOfPrivateKey)
    case .container: throw CodedError(.containerInsteadOfKey)
    }
  }

  /// The key as PKCS#8 in DER: the content of a PEM block `PRIVATE KEY`.
  package var pkcs8: Secret {
    let number = scalar.withBytes { Array($0) }
    let inner = DERWriter.sequence([
      DERWriter.integer([1]), DERWriter.octetString(number),
      DERWriter.tagged(1, DERWriter.bitString(publicKey.point)),
    ])
    return Secret(
      DERWriter.sequence([
        DERWriter.integer([0]), DERWriter.keyAlgorithm(curve), DERWriter.octetString(inner),
      ]))
  }

  /// Signs a message. Two signatures of one message differ, because OpenSSL uses a new random number for each.
  ///
  /// - Parameter digest: the digest to sign; default: that of the curve (ES256: SHA-256 on P-256).
  package func signature(
    for message: some Sequence<UInt8>, digest: DigestFunction? = nil
  ) -> ECDSASignature {
    let digest = (digest ?? curve.digest).hash(message)
    let context = required(EVP_PKEY_CTX_new_from_pkey(nil, publicKey.handle.pointer, nil))
    defer { EVP_PKEY_CTX_free(context) }
    ensure(EVP_PKEY_sign_init(context))
    var length = ECDSASignature.derBytesMax
    let der = [UInt8](unsafeUninitializedCapacity: length) { output, count in
      ensure(EVP_PKEY_sign(context, output.baseAddress, &length, digest, digest.count))
      count = length
    }
    do {
      return try ECDSASignature(der: der, curve: curve)
    } catch {
      preconditionFailure("OpenSSL made a signature that is not DER")
    }
  }
}

extension ECDSAPrivateKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "(private key on \(curve.rawValue))" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
