import COpenSSL

/// One RSA signature over SHA-256 checked over and over with everything ready: OpenSSL's verification alone, to measure
/// other things against.
package struct RepeatedRSAVerification: Sendable {
  private let context: PublicKeyContext
  private let signature: [UInt8]
  private let digest: [UInt8]

  /// A signature (PKCS#1 v1.5) of a digest by a key.
  package init(key: RSAPublicKey, signature: [UInt8], digest: [UInt8]) {
    context = PublicKeyContext(verifyingBy: key.handle)
    self.signature = signature
    self.digest = digest
  }

  /// Checks it once more. One thread at a time.
  package func isValid() -> Bool {
    EVP_PKEY_verify(context.pointer, signature, signature.count, digest, digest.count) == 1
  }
}

/// A context of OpenSSL's for one kind of work. It changes in use: `RepeatedRSAVerification` asks for one thread at a
/// time and is the only one to hold it.
private final class PublicKeyContext: @unchecked Sendable {
  let pointer: OpaquePointer

  init(verifyingBy key: KeyHandle) {
    pointer = required(EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil))
    ensure(EVP_PKEY_verify_init(pointer))
    ensure(EVP_PKEY_CTX_set_rsa_padding(pointer, RSA_PKCS1_PADDING))
    ensure(EVP_PKEY_CTX_set_signature_md(pointer, DigestFunction.sha256.handle.pointer))
  }

  deinit { EVP_PKEY_CTX_free(pointer) }
}
