import COpenSSL

/// Verifies one signature repeatedly with prepared contexts: a baseline for measurements, with only OpenSSL's
/// verification.
package struct RepeatedVerification: Sendable {
  private let context: VerificationContext
  private let signature: [UInt8]
  private let digest: [UInt8]

  /// A signature of a digest with a key.
  package init(key: ECDSAPublicKey, signature: ECDSASignature, digest: [UInt8]) {
    context = [UInt8]().withUnsafeBytes { VerificationContext(key: key.handle, beginning: $0) }
    self.signature = signature.der
    self.digest = digest
  }

  /// Verifies it again. One thread at a time.
  package func isValid() -> Bool {
    EVP_PKEY_verify(context.verification, signature, signature.count, digest, digest.count) == 1
  }
}
