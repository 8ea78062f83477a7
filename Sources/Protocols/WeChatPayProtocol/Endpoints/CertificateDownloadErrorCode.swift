package import PaymentPrimitives

/// The errors of a download of platform certificates.
package enum CertificateDownloadErrorCode: String, ErrorCode {
  /// The merchant has no platform certificate; no new merchant has one.
  case notIssued = "wechat_pay_certificates_not_issued"
  /// The merchant's platform certificate is expired.
  case expired = "wechat_pay_certificates_expired"
  /// WeChat Pay returned an error.
  case refused = "wechat_pay_certificates_refused"
  /// The signature of the answer cannot be verified.
  case unverified = "wechat_pay_certificates_unverified"
  case malformed = "wechat_pay_certificates_malformed"
  case decryption = "wechat_pay_certificates_decryption"
  /// The decrypted content is not a usable certificate, or not the stated one.
  case certificate = "wechat_pay_certificates_unusable"

  package var meaning: BilingualText {
    switch self {
    case .notIssued:
      BilingualText("This merchant has no platform certificate.", "该商户没有平台证书。")
    case .expired: BilingualText("The platform certificate has expired.", "平台证书已过期。")
    case .refused: BilingualText("WeChat Pay returned no certificates.", "微信支付没有返回平台证书。")
    case .unverified:
      BilingualText("The answer with the certificates is not signed correctly.", "平台证书应答的签名验证失败。")
    case .malformed: BilingualText("The answer with the certificates cannot be read.", "平台证书应答无法解析。")
    case .decryption:
      BilingualText("The certificates cannot be decrypted with this APIv3 key.", "无法用此 APIv3 密钥解密平台证书。")
    case .certificate: BilingualText("A platform certificate cannot be used.", "平台证书不可用。")
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .notIssued, .expired:
      BilingualText(
        "Use the platform public key: download it in the merchant platform and configure it with its PUB_KEY_ID.",
        "请使用微信支付公钥模式：在商户平台下载公钥，并与 PUB_KEY_ID 一起配置。")
    case .refused, .malformed, .unverified:
      BilingualText("It is retried. If it repeats, read WeChat Pay's own code.", "系统会重试；若反复出现请查看微信支付的错误码。")
    case .decryption:
      BilingualText("Compare the APIv3 key with the merchant platform.", "请核对商户平台的 APIv3 密钥。")
    case .certificate: BilingualText("Ask WeChat Pay, and name the Request-ID.", "请联系微信支付并提供 Request-ID。")
    }
  }

  package var retry: RetryAdvice {
    switch self {
    case .refused, .unverified, .malformed: .later
    default: .never
    }
  }
}
