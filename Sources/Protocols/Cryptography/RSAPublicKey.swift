import COpenSSL
package import PaymentPrimitives

/// An RSA public key of 2048 to 8192 bits: it verifies signatures (RSASSA-PKCS1-v1_5, RFC 8017 §8.2) and encrypts
/// short texts (RSAES-OAEP, RFC 8017 §7.1).
package struct RSAPublicKey: Sendable {
  /// The key as SubjectPublicKeyInfo in DER: the content of a PEM block `PUBLIC KEY`.
  package let spki: [UInt8]
  package let bitCount: Int

  let handle: KeyHandle

  /// Shorter keys can be factored; longer ones make verification too expensive.
  static let bitCounts = 2048...8192
  /// Maximum bytes of an encoded key of these lengths.
  static let bytesMax = 4096

  /// A key from a SubjectPublicKeyInfo in DER.
  ///
  /// - Throws: `malformedKey`, `notAnRSAKey` or `unsupportedRSAKeySize`.
  package init(spki: [UInt8]) throws(CodedError<CryptographyErrorCode>) {
    try self.init(spki: spki, bitCounts: Self.bitCounts)
  }

  init(spki: [UInt8], bitCounts: ClosedRange<Int>) throws(CodedError<CryptographyErrorCode>) {
    defer { ERR_clear_error() }
    guard spki.count <= Self.bytesMax, let key = Self.parsed(spki, by: { d2i_PUBKEY(nil, &$0, $1) }) else {
      throw CodedError(.malformedKey, "It is no public key in DER.")
    }
    try self.init(owning: key, bitCounts: bitCounts)
  }

  /// A key from PKCS#1 in DER: the content of a PEM block `RSA PUBLIC KEY`.
  package init(pkcs1: [UInt8]) throws(CodedError<CryptographyErrorCode>) {
    defer { ERR_clear_error() }
    guard pkcs1.count <= Self.bytesMax,
      let key = Self.parsed(pkcs1, by: { d2i_PublicKey(EVP_PKEY_RSA, nil, &$0, $1) })
    else { throw CodedError(.malformedKey, "It is no RSA public key in DER.") }
    try self.init(owning: key)
  }

  /// A key from its two numbers, most significant byte first: `n` and `e` of a JSON Web Key (RFC 7518 §6.3.1).
  package init(modulus: [UInt8], exponent: [UInt8]) throws(CodedError<CryptographyErrorCode>) {
    let odd = exponent.drop { $0 == 0 }
    // With the exponent 1 every text would be its own signature.
    guard !odd.elementsEqual([1]), odd.last.map({ $0 & 1 == 1 }) ?? false else {
      throw CodedError(.malformedKey, "Its exponent is not an odd number above 1.")
    }
    try self.init(pkcs1: DERWriter.sequence([DERWriter.integer(modulus), DERWriter.integer(exponent)]))
  }

  /// A key from the content of a file: PEM with one block `PUBLIC KEY` or `RSA PUBLIC KEY`, or DER.
  ///
  /// Line breaks that an environment variable removed or escaped are restored.
  /// - Throws: the actual kind of file (`certificateInsteadOfPublicKey`, `privateKeyInsteadOfPublicKey`,
  ///   `containerInsteadOfKey`), `malformedPEM`, or the error of the key itself.
  package init(file: [UInt8]) throws(CodedError<CryptographyErrorCode>) {
    switch try KeyFile(file) {
    case .subjectPublicKey(let der): try self.init(spki: der)
    case .rsaPublicKey(let der): try self.init(pkcs1: der)
    case .certificate: throw CodedError(.certificateInsteadOfPublicKey)
    case .privateKey, .ellipticPrivateKey, .encryptedPrivateKey: throw CodedError(.privateKeyInsteadOfPublicKey)
    case .container: throw CodedError(.containerInsteadOfKey)
    }
  }

  /// Takes ownership of a key from the caller.
  init(
    owning key: OpaquePointer, bitCounts: ClosedRange<Int> = Self.bitCounts
  ) throws(CodedError<CryptographyErrorCode>) {
    let handle = KeyHandle(owning: key)
    guard EVP_PKEY_is_a(key, "RSA") == 1 else { throw CodedError(.notAnRSAKey) }
    let bitCount = Int(EVP_PKEY_get_bits(key))
    guard bitCounts.contains(bitCount) else {
      throw CodedError(.unsupportedRSAKeySize, "It has \(bitCount) bits.")
    }
    let length = i2d_PUBKEY(key, nil)
    guard length > 0 else { throw CodedError(.malformedKey, "It cannot be written.") }
    self.bitCount = bitCount
    self.handle = handle
    spki = [UInt8](unsafeUninitializedCapacity: Int(length)) { output, count in
      var position = output.baseAddress
      count = Int(i2d_PUBKEY(key, &position))
    }
  }

  /// Reads DER to its last byte; nil if it does not have the form, or bytes follow.
  static func parsed(
    _ der: [UInt8], by read: (inout UnsafePointer<UInt8>?, Int) -> OpaquePointer?
  ) -> OpaquePointer? {
    der.withUnsafeBufferPointer { bytes in
      var position = bytes.baseAddress
      guard let key = read(&position, bytes.count) else { return nil }
      guard position == bytes.baseAddress.map({ $0 + bytes.count }) else {
        EVP_PKEY_free(key)
        return nil
      }
      return key
    }
  }

  /// Whether the private half of this key signed this message: PKCS#1 v1.5, never PSS.
  package func isValid(
    _ signature: [UInt8], for message: some Sequence<UInt8>, digest: DigestFunction = .sha256
  ) -> Bool {
    guard signature.count == (bitCount + 7) / 8 else { return false }
    let hash = digest.hash(message)
    let context = required(EVP_PKEY_CTX_new_from_pkey(nil, handle.pointer, nil))
    defer {
      EVP_PKEY_CTX_free(context)
      ERR_clear_error()
    }
    ensure(EVP_PKEY_verify_init(context))
    ensure(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING))
    ensure(EVP_PKEY_CTX_set_signature_md(context, digest.handle.pointer))
    return EVP_PKEY_verify(context, signature, signature.count, hash, hash.count) == 1
  }

  /// Maximum bytes that OAEP with SHA-1 encrypts at once: 214 for 2048 bits.
  package var oaepBytesMax: Int { (bitCount + 7) / 8 - 42 }

  /// Encrypts with OAEP over SHA-1 and MGF1-SHA-1, as WeChat Pay does; two ciphertexts of one text differ.
  ///
  /// - Returns: nil if the text is longer than `oaepBytesMax`.
  package func encryptOAEP(_ plaintext: [UInt8]) -> [UInt8]? {
    guard plaintext.count <= oaepBytesMax else { return nil }
    let context = required(EVP_PKEY_CTX_new_from_pkey(nil, handle.pointer, nil))
    defer {
      EVP_PKEY_CTX_free(context)
      ERR_clear_error()
    }
    ensure(EVP_PKEY_encrypt_init(context))
    ensure(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING))
    var length = (bitCount + 7) / 8
    let output = [UInt8](unsafeUninitializedCapacity: length) { output, count in
      let made = EVP_PKEY_encrypt(context, output.baseAddress, &length, plaintext, plaintext.count)
      count = made == 1 ? length : 0
    }
    return output.isEmpty ? nil : output
  }
}

extension RSAPublicKey: Hashable {
  package static func == (a: RSAPublicKey, b: RSAPublicKey) -> Bool { a.spki == b.spki }
  package func hash(into hasher: inout Hasher) { hasher.combine(spki) }
}

extension X509Certificate {
  /// The certified key, if it is an RSA key that we support; read again at each call.
  package var rsaPublicKey: RSAPublicKey? {
    guard let key = X509_get_pubkey(handle.pointer) else { return nil }
    return try? RSAPublicKey(owning: key)
  }
}
