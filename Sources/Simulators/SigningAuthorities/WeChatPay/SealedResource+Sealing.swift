import Cryptography
package import StrictJSON
package import WeChatPayProtocol

extension SealedResource {
  /// Encrypts, as the platform does.
  ///
  /// - Parameter nonce: 12 bytes of text, never used before with this key.
  package init(
    sealing plaintext: [UInt8], key: APIv3Key, nonce: String, associatedData: String, originalType: String? = nil
  ) {
    let sealed = key.cipher.seal(plaintext, nonce: nonce.utf8, associatedData: associatedData.utf8)
    self.init(
      originalType: originalType, algorithm: Self.algorithm, ciphertext: Base64.encode(sealed), nonce: nonce,
      associatedData: associatedData)
  }

  package var json: JSONValue {
    .members([
      ("original_type", originalType.map { .string($0) }), ("algorithm", .string(algorithm)),
      ("ciphertext", .string(ciphertext)),
      ("associated_data", associatedData.isEmpty ? nil : .string(associatedData)), ("nonce", .string(nonce)),
    ])
  }
}
