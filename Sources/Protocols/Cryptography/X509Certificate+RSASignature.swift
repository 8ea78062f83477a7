import COpenSSL

/// The digests of RSA signatures on receipts. SHA-1 is broken for new signatures, but Apple's receipts until 2024 have
/// no other. Forging one needs a second text for an existing digest, which is infeasible.
package enum ReceiptDigest: String, CaseIterable, Sendable {
  /// 20 bytes: receipts until 2024, and all of iOS 6.
  case sha1
  /// 32 bytes: receipts since 2023.
  case sha256
  /// 48 bytes.
  case sha384
  /// 64 bytes.
  case sha512

  /// The digest with this identifier (RFC 8017 §A.2.4, RFC 5754 §2).
  package init?(_ identifier: ASN1ObjectIdentifier) {
    guard let found = Self.allCases.first(where: { $0.identifier == identifier }) else { return nil }
    self = found
  }

  package var identifier: ASN1ObjectIdentifier {
    switch self {
    case .sha1: "1.3.14.3.2.26"
    case .sha256: "2.16.840.1.101.3.4.2.1"
    case .sha384: "2.16.840.1.101.3.4.2.2"
    case .sha512: "2.16.840.1.101.3.4.2.3"
    }
  }

  package func hash(_ message: some Sequence<UInt8>) -> [UInt8] {
    switch self {
    case .sha1: SHA1.hash(message)
    case .sha256: DigestFunction.sha256.hash(message)
    case .sha384: DigestFunction.sha384.hash(message)
    case .sha512: DigestFunction.sha512.hash(message)
    }
  }

  var handle: DigestHandle {
    switch self {
    case .sha1: SHA1.handle
    case .sha256: DigestFunction.sha256.handle
    case .sha384: DigestFunction.sha384.handle
    case .sha512: DigestFunction.sha512.handle
    }
  }
}

extension X509Certificate {
  /// Bits of the certified RSA key; nil if it is not an RSA key.
  ///
  /// Certificates of iOS 6 receipts have 1024, which is too short to trust alone.
  package var rsaBitCount: Int? {
    guard let key = X509_get0_pubkey(handle.pointer), EVP_PKEY_is_a(key, "RSA") == 1 else { return nil }
    return Int(EVP_PKEY_get_bits(key))
  }

  /// Whether the certified RSA key, of 1024 to 8192 bits, signed a text: PKCS#1 v1.5, never PSS.
  package func isRSASignature(
    _ signature: [UInt8], over message: some Sequence<UInt8>, digest: ReceiptDigest
  ) -> Bool {
    guard let bitCount = rsaBitCount, (1024...8192).contains(bitCount), signature.count == (bitCount + 7) / 8,
      let key = X509_get0_pubkey(handle.pointer)
    else { return false }
    let hash = digest.hash(message)
    let context = required(EVP_PKEY_CTX_new_from_pkey(nil, key, nil))
    defer {
      EVP_PKEY_CTX_free(context)
      ERR_clear_error()
    }
    ensure(EVP_PKEY_verify_init(context))
    ensure(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING))
    ensure(EVP_PKEY_CTX_set_signature_md(context, digest.handle.pointer))
    return EVP_PKEY_verify(context, signature, signature.count, hash, hash.count) == 1
  }
}
