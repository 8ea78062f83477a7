import Cryptography
package import PaymentPrimitives
package import StrictJSON

/// Data that WeChat Pay encrypted with the merchant's APIv3 key: the content of a notification, or a platform
/// certificate.
package struct SealedResource: Hashable, Sendable {
  /// The only algorithm: AES-256-GCM.
  package static let algorithm = "AEAD_AES_256_GCM"
  /// WeChat Pay's own limit of the ciphertext, as text.
  static let ciphertextBytesMax = 1_048_576

  /// The kind of the content: `transaction`, `refund`, `security`; nil for a certificate.
  package let originalType: String?
  /// The algorithm: `AEAD_AES_256_GCM`.
  package let algorithm: String
  /// The ciphertext and the tag, in Base64.
  package let ciphertext: String
  /// The nonce: 12 bytes of text.
  package let nonce: String
  /// The additional authenticated data; empty if WeChat Pay leaves it out.
  package let associatedData: String

  /// Reads `resource` or `encrypt_certificate`.
  ///
  /// - Throws: the field that is missing or malformed.
  package init(_ fields: JSONFields) throws(JSONFieldError) {
    originalType = try fields.stated("original_type", bytesMax: 32)
    algorithm = try fields.string("algorithm", bytesMax: 32)
    ciphertext = try fields.string("ciphertext", bytesMax: Self.ciphertextBytesMax)
    nonce = try fields.string("nonce", bytesMax: 16)
    associatedData = try fields.stated("associated_data", bytesMax: 64) ?? ""
  }

  package init(originalType: String?, algorithm: String, ciphertext: String, nonce: String, associatedData: String) {
    self.originalType = originalType
    self.algorithm = algorithm
    self.ciphertext = ciphertext
    self.nonce = nonce
    self.associatedData = associatedData
  }

  /// The decrypted content.
  ///
  /// - Throws: `unsupportedAlgorithm`, or `decryption` if nonce, ciphertext, associated data or key do not match.
  package func open(_ key: APIv3Key) throws(CodedError<SealedResourceErrorCode>) -> [UInt8] {
    guard algorithm == Self.algorithm else { throw CodedError(.unsupportedAlgorithm) }
    guard let sealed = Base64.decode(ciphertext),
      let plaintext = key.cipher.open(sealed, nonce: nonce.utf8, associatedData: associatedData.utf8)
    else { throw CodedError(.decryption) }
    return plaintext
  }
}

/// The errors of an encrypted resource.
package enum SealedResourceErrorCode: String, ErrorCode {
  case unsupportedAlgorithm = "wechat_pay_resource_algorithm"
  /// The resource is not encrypted with this APIv3 key, or it was changed.
  case decryption = "wechat_pay_resource_decryption"

  package var meaning: BilingualText {
    switch self {
    case .unsupportedAlgorithm: BilingualText("The encryption algorithm is not known.", "加密算法不受支持。")
    case .decryption:
      BilingualText("It cannot be decrypted with this APIv3 key.", "无法用此 APIv3 密钥解密。")
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .unsupportedAlgorithm: BilingualText("Update Counterfoil.", "请升级 Counterfoil。")
    case .decryption:
      BilingualText(
        "Compare the APIv3 key with the merchant platform; most often it was changed there.",
        "请核对商户平台的 APIv3 密钥；最常见的原因是该密钥被重新设置过。")
    }
  }

  package var retry: RetryAdvice { .never }
}
