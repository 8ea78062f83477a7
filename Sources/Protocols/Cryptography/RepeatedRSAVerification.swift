import COpenSSL

/// Verifies one RSA signature over SHA-256 repeatedly with prepared contexts: a baseline for measurements, with only
/// OpenSSL's verification.
package struct RepeatedRSAVerification: Sendable {
  private let context: RSAVerificationContext
  private let signature: [UInt8]
  private let digest: [UInt8]

  /// A signature (PKCS#1 v1.5) of a digest with a key.
  package init(key: RSAPublicKey, signature: [UInt8], digest: [UInt8]) {
    context = RSAVerificationContext(key.handle)
    self.signature = signature
    self.digest = digest
  }

  /// Verifies it again. One thread at a time.
  package func isValid() -> Bool {
    EVP_PKEY_verify(context.pointer, signature, signature.count, digest, digest.count) == 1
  }
}
