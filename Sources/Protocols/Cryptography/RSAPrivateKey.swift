import COpenSSL
package import PaymentPrimitives

/// An RSA private key of 2048 to 8192 bits: it signs (RSASSA-PKCS1-v1_5) and decrypts (RSAES-OAEP). It cannot be
/// printed or encoded; `pkcs8` returns it as a secret.
package struct RSAPrivateKey: Sendable {
  package let publicKey: RSAPublicKey

  let handle: KeyHandle

  /// A key from DER: PKCS#8 or PKCS#1.
  ///
  /// - Throws: `malformedKey`, also when its numbers do not match each other, `notAnRSAKey`, `unsupportedRSAKeySize`.
  package init(der: Secret) throws(CodedError<CryptographyErrorCode>) {
    try self.init(der: der, bitCounts: RSAPublicKey.bitCounts)
  }

  /// A key from DER, with as many bits as the caller allows.
  package init(der: Secret, bitCounts: ClosedRange<Int>) throws(CodedError<CryptographyErrorCode>) {
    defer { ERR_clear_error() }
    let key: OpaquePointer? = der.withBytes { bytes in
      guard bytes.count <= RSAPublicKey.bytesMax * 2 else { return nil }
      var position = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
      guard let key = d2i_AutoPrivateKey(nil, &position, bytes.count) else { return nil }
      guard UnsafeRawPointer(position) == bytes.baseAddress.map({ $0 + bytes.count }) else {
        EVP_PKEY_free(key)
        return nil
      }
      return key
    }
    guard let key else { throw CodedError(.malformedKey, "It is neither PKCS#8 nor PKCS#1.") }
    let handle = KeyHandle(owning: key)
    ensure(EVP_PKEY_up_ref(key))
    let spki = try RSAPublicKey(owning: key, bitCounts: bitCounts).spki
    let publicKey = try RSAPublicKey(spki: spki, bitCounts: bitCounts)
    self.handle = handle
    self.publicKey = publicKey
    // A key with a private number that does not match its modulus still signs, but no verifier accepts it: detect that
    // now.
    let text = Array("counterfoil".utf8)
    guard let signature = Self.sign(SHA256.hash(text), DigestFunction.sha256.handle, handle: handle),
      publicKey.isValid(signature, for: text)
    else {
      throw CodedError(.malformedKey, "Its numbers do not belong together.")
    }
  }

  /// A key from the content of a file: PEM with one block `PRIVATE KEY` or `RSA PRIVATE KEY`, or DER.
  ///
  /// Line breaks that an environment variable removed or escaped are restored.
  /// - Throws: the actual kind of file (`certificateInsteadOfPrivateKey`, `publicKeyInsteadOfPrivateKey`,
  ///   `encryptedKey`, `containerInsteadOfKey`), `malformedPEM`, or the error of the key itself.
  package init(file: Secret) throws(CodedError<CryptographyErrorCode>) {
    switch try KeyFile(file.withBytes { Array($0) }) {
    case .privateKey(let der): try self.init(der: der)
    case .ellipticPrivateKey: throw CodedError(.notAnRSAKey)
    case .encryptedPrivateKey: throw CodedError(.encryptedKey)
    case .certificate: throw CodedError(.certificateInsteadOfPrivateKey)
    case .subjectPublicKey, .rsaPublicKey: throw CodedError(.publicKeyInsteadOfPrivateKey)
    case .container: throw CodedError(.containerInsteadOfKey)
    }
  }

  /// The key as PKCS#8 in DER: the content of a PEM block `PRIVATE KEY`.
  package var pkcs8: Secret {
    let length = Int(i2d_PrivateKey(handle.pointer, nil))
    precondition(length > 0, "a key that was read can be written")
    let pkcs1 = [UInt8](unsafeUninitializedCapacity: length) { output, count in
      var position = output.baseAddress
      count = Int(i2d_PrivateKey(handle.pointer, &position))
    }
    return Secret(
      DERWriter.sequence([
        DERWriter.integer([0]), DERWriter.rsaEncryption, DERWriter.octetString(pkcs1),
      ]))
  }

  /// Signs a message with PKCS#1 v1.5: the same message always has the same signature.
  package func signature(for message: some Sequence<UInt8>, digest: DigestFunction = .sha256) -> [UInt8] {
    signature(digest.hash(message), digest.handle)
  }

  /// Signs the digest of a message with PKCS#1 v1.5.
  package func signature(forHash hash: [UInt8], _ digest: ReceiptDigest) -> [UInt8] {
    signature(hash, digest.handle)
  }

  private func signature(_ hash: [UInt8], _ digest: DigestHandle) -> [UInt8] {
    guard let signature = Self.sign(hash, digest, handle: handle) else {
      preconditionFailure("a key that signed when it was read signs no more")
    }
    return signature
  }

  private static func sign(_ hash: [UInt8], _ digest: DigestHandle, handle: KeyHandle) -> [UInt8]? {
    let context = required(EVP_PKEY_CTX_new_from_pkey(nil, handle.pointer, nil))
    defer { EVP_PKEY_CTX_free(context) }
    ensure(EVP_PKEY_sign_init(context))
    ensure(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING))
    ensure(EVP_PKEY_CTX_set_signature_md(context, digest.pointer))
    var length = Int(EVP_PKEY_get_size(handle.pointer))
    let output = [UInt8](unsafeUninitializedCapacity: length) { output, count in
      count = EVP_PKEY_sign(context, output.baseAddress, &length, hash, hash.count) == 1 ? length : 0
    }
    return output.isEmpty ? nil : output
  }

  /// Decrypts a ciphertext of OAEP over SHA-1 for this key; nil if it is not one.
  package func decryptOAEP(_ ciphertext: [UInt8]) -> [UInt8]? {
    let context = required(EVP_PKEY_CTX_new_from_pkey(nil, handle.pointer, nil))
    defer {
      EVP_PKEY_CTX_free(context)
      ERR_clear_error()
    }
    ensure(EVP_PKEY_decrypt_init(context))
    ensure(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING))
    var length = Int(EVP_PKEY_get_size(handle.pointer))
    var isGenuine = false
    let output = [UInt8](unsafeUninitializedCapacity: length) { output, count in
      isGenuine = EVP_PKEY_decrypt(context, output.baseAddress, &length, ciphertext, ciphertext.count) == 1
      count = isGenuine ? length : 0
    }
    return isGenuine ? output : nil
  }
}

extension RSAPrivateKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "(RSA private key of \(publicKey.bitCount) bits)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension DERWriter {
  /// "An RSA key" (RFC 8017 §A.1).
  package static var rsaEncryption: [UInt8] { sequence([objectIdentifier("1.2.840.113549.1.1.1"), null]) }
}
