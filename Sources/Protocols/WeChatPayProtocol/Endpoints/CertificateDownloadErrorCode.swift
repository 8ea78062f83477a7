package import PaymentPrimitives

/// What a download of platform certificates fails for.
package enum CertificateDownloadErrorCode: String, ErrorCode {
  /// This merchant has no platform certificate, as all new ones.
  case notIssued = "wechat_pay_certificates_not_issued"
  /// The merchant's platform certificate has ended.
  case expired = "wechat_pay_certificates_expired"
  /// WeChat Pay refused the request or failed.
  case refused = "wechat_pay_certificates_refused"
  /// Nobody knows who made the answer.
  case unverified = "wechat_pay_certificates_unverified"
  case malformed = "wechat_pay_certificates_malformed"
  case decryption = "wechat_pay_certificates_decryption"
  /// What was decrypted is no certificate that can be used, or another than was stated.
  case certificate = "wechat_pay_certificates_unusable"

  package var meaning: BilingualText {
    switch self {
    case .notIssued:
      BilingualText("This merchant has no platform certificate.", "该商户没有平台证书。")
    case .expired: BilingualText("The platform certificate has expired.", "平台证书已过期。")
    case .refused: BilingualText("WeChat Pay gave no certificates.", "微信支付没有返回平台证书。")
    case .unverified:
      BilingualText("The answer with the certificates is not signed as it should be.", "平台证书应答的签名验证失败。")
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
      BilingualText("It is tried again; read WeChat Pay's own code if it repeats.", "系统会重试；若反复出现请查看微信支付的错误码。")
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
