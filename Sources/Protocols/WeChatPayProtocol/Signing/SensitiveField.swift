package import Cryptography

/// Single fields that are encrypted within a request or an answer, such as a bank account: RSAES-OAEP with SHA-1, in
/// Base64.
///
/// A request that has one must name the key in `Wechatpay-Serial`; `WeChatPayCall` always does. Nothing that we send
/// today has one but the self-test; abnormal refunds will.
package enum SensitiveField {
  /// Encrypts a text to a key of WeChat Pay's.
  ///
  /// - Returns: nil when the text is longer than the key allows: 214 bytes for 2048 bits.
  package static func encrypt(_ text: String, to key: RSAPublicKey) -> String? {
    key.encryptOAEP(Array(text.utf8)).map { Base64.encode($0) }
  }

  /// Decrypts what WeChat Pay encrypted to the merchant's certificate.
  ///
  /// - Returns: nil when it was not, or is not UTF-8.
  package static func decrypt(_ field: String, with key: RSAPrivateKey) -> String? {
    guard let plaintext = Base64.decode(field).flatMap({ key.decryptOAEP($0) }) else { return nil }
    let text = String(decoding: plaintext, as: UTF8.self)
    return text.utf8.elementsEqual(plaintext) ? text : nil
  }
}
