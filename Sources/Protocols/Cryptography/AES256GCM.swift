import COpenSSL
package import PaymentPrimitives

/// AES with a key of 256 bits in Galois/Counter Mode (NIST SP 800-38D): encryption that also detects every change.
///
/// One key must never use the same nonce twice; the caller of `seal` creates a new one.
package struct AES256GCM: Sendable {
  /// Bytes of a nonce: 96 bits, the standard length of the mode. Other lengths are legal, but no sender uses them.
  package static let nonceByteCount = 12
  /// Bytes of the tag after the ciphertext.
  package static let tagByteCount = 16

  private let key: Secret

  /// A cipher with its key.
  ///
  /// - Throws: `malformedKey` unless the key has 32 bytes.
  package init(key: Secret) throws(CodedError<CryptographyErrorCode>) {
    guard key.count == 32 else { throw CodedError(.malformedKey, "It has \(key.count) bytes instead of 32.") }
    self.key = key
  }

  /// Decrypts a ciphertext followed by its tag. Nil if the ciphertext, the nonce or the associated data was changed,
  /// or if the key is another.
  package func open(
    _ sealed: some Sequence<UInt8>, nonce: some Sequence<UInt8>, associatedData: some Sequence<UInt8>
  ) -> [UInt8]? {
    let sealed = Array(sealed)
    let nonce = Array(nonce)
    guard nonce.count == Self.nonceByteCount, sealed.count >= Self.tagByteCount, sealed.count <= Int(Int32.max)
    else { return nil }
    var tag = Array(sealed.suffix(Self.tagByteCount))
    return withContext(encrypts: false, nonce) { context in
      ensure(counterfoil_set_tag(context, Int32(tag.count), &tag))
      let plaintext = update(context, Array(associatedData), text: sealed.dropLast(Self.tagByteCount))
      var rest: Int32 = 0
      var nothing: UInt8 = 0
      return EVP_CipherFinal_ex(context, &nothing, &rest) == 1 ? plaintext : nil
    }
  }

  /// Encrypts a plaintext; returns the ciphertext followed by its tag.
  ///
  /// - Parameter nonce: 12 bytes that were never used with this key.
  package func seal(
    _ plaintext: some Sequence<UInt8>, nonce: some Sequence<UInt8>, associatedData: some Sequence<UInt8>
  ) -> [UInt8] {
    let nonce = Array(nonce)
    precondition(nonce.count == Self.nonceByteCount, "a nonce has 12 bytes")
    return withContext(encrypts: true, nonce) { context in
      let ciphertext = update(context, Array(associatedData), text: Array(plaintext)[...])
      var rest: Int32 = 0
      var tag = [UInt8](repeating: 0, count: Self.tagByteCount)
      ensure(EVP_CipherFinal_ex(context, &tag, &rest))
      ensure(counterfoil_get_tag(context, Int32(tag.count), &tag))
      return ciphertext + tag
    }
  }

  private func withContext<Result>(
    encrypts: Bool, _ nonce: [UInt8], _ body: (OpaquePointer) -> Result
  ) -> Result {
    let context = required(EVP_CIPHER_CTX_new())
    defer {
      EVP_CIPHER_CTX_free(context)
      ERR_clear_error()
    }
    key.withBytes { key in
      let key = key.assumingMemoryBound(to: UInt8.self).baseAddress
      ensure(EVP_CipherInit_ex2(context, Self.cipher.pointer, key, nonce, encrypts ? 1 : 0, nil))
    }
    return body(context)
  }

  /// Counter mode returns as many bytes as it gets, and none at the end.
  private func update(_ context: OpaquePointer, _ associatedData: [UInt8], text: ArraySlice<UInt8>) -> [UInt8] {
    var length: Int32 = 0
    if !associatedData.isEmpty {
      ensure(EVP_CipherUpdate(context, nil, &length, associatedData, Int32(associatedData.count)))
    }
    guard !text.isEmpty else { return [] }
    return [UInt8](unsafeUninitializedCapacity: text.count) { output, count in
      text.withUnsafeBufferPointer { text in
        ensure(EVP_CipherUpdate(context, output.baseAddress, &length, text.baseAddress, Int32(text.count)))
      }
      count = Int(length)
    }
  }

  private static let cipher = CipherHandle("AES-256-GCM")
}
