package import Cryptography

/// Single encrypted fields in a request or an answer, such as a bank account: RSAES-OAEP with SHA-1, in Base64.
///
/// A request with such a field must name the key in `Wechatpay-Serial`; `WeChatPayCall` always does. The
/// self-test and abnormal refunds send such fields.
package enum SensitiveField {
  /// Encrypts a text for a key of WeChat Pay.
  ///
  /// - Returns: nil if the text is longer than the key allows: 214 bytes for 2048 bits.
  package static func encrypt(_ text: String, to key: RSAPublicKey) -> String? {
    key.encryptOAEP(Array(text.utf8)).map { Base64.encode($0) }
  }

  /// Decrypts a text that WeChat Pay encrypted for the merchant's certificate.
  ///
  /// - Returns: nil if it was not encrypted for this key, or is not UTF-8.
  package static func decrypt(_ field: String, with key: RSAPrivateKey) -> String? {
    guard let plaintext = Base64.decode(field).flatMap({ key.decryptOAEP($0) }) else { return nil }
    let text = String(decoding: plaintext, as: UTF8.self)
    return text.utf8.elementsEqual(plaintext) ? text : nil
  }
}
