import COpenSSL

/// One RSA signature over SHA-256 checked over and over with everything ready: OpenSSL's verification alone, to measure
/// other things against.
package struct RepeatedRSAVerification: Sendable {
  private let context: RSAVerificationContext
  private let signature: [UInt8]
  private let digest: [UInt8]

  /// A signature (PKCS#1 v1.5) of a digest by a key.
  package init(key: RSAPublicKey, signature: [UInt8], digest: [UInt8]) {
    context = RSAVerificationContext(key.handle)
    self.signature = signature
    self.digest = digest
  }

  /// Checks it once more. One thread at a time.
  package func isValid() -> Bool {
    EVP_PKEY_verify(context.pointer, signature, signature.count, digest, digest.count) == 1
  }
}
