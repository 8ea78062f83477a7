package import PaymentPrimitives

/// The errors of a merchant's settings, found before any request.
package enum MerchantKeyErrorCode: String, ErrorCode {
  /// The merchant number is malformed.
  case merchantNumber = "wechat_pay_merchant_number"
  /// The serial number is not hexadecimal.
  case certificateSerial = "wechat_pay_certificate_serial"
  /// The APIv3 key does not have 32 bytes.
  case apiV3KeyLength = "wechat_pay_api_v3_key_length"
  /// The merchant certificate does not belong to the private key.
  case keyPairMismatch = "wechat_pay_key_pair_mismatch"
  /// The id of the platform public key is malformed.
  case publicKeyIdentifier = "wechat_pay_public_key_identifier"
  /// The merchant's own key was given instead of WeChat Pay's key.
  case merchantKeyAsPlatformKey = "wechat_pay_merchant_key_as_platform_key"
  /// Two different keys have the same id.
  case doubledPlatformKey = "wechat_pay_platform_key_doubled"
  /// The key of the platform certificate is not an RSA key.
  case platformCertificateKey = "wechat_pay_platform_certificate_key"

  package var meaning: BilingualText {
    switch self {
    case .merchantNumber: BilingualText("This is not a merchant number.", "这不是商户号。")
    case .certificateSerial:
      BilingualText("This is not a serial number of a certificate.", "这不是证书序列号。")
    case .apiV3KeyLength: BilingualText("The APIv3 key does not have 32 bytes.", "APIv3 密钥不是 32 字节。")
    case .keyPairMismatch:
      BilingualText(
        "The merchant certificate does not belong to the private key.", "商户证书与商户私钥不匹配。")
    case .publicKeyIdentifier:
      BilingualText("This is not an id of a platform public key.", "这不是微信支付公钥 ID。")
    case .merchantKeyAsPlatformKey:
      BilingualText(
        "The key configured as WeChat Pay's is the merchant's own.", "配置为微信支付公钥的是商户自己的密钥。")
    case .doubledPlatformKey:
      BilingualText("Two different keys have the same id.", "两个不同的密钥使用了同一个 ID。")
    case .platformCertificateKey:
      BilingualText("The platform certificate contains no RSA key.", "平台证书中没有 RSA 公钥。")
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .merchantNumber:
      BilingualText(
        "Copy the merchant number from the merchant platform: usually 8 to 10 digits.",
        "请从商户平台复制商户号，通常为 8 至 10 位数字。")
    case .certificateSerial:
      BilingualText(
        "Copy it from the merchant platform: account centre, API security, certificate management.",
        "请在商户平台“账户中心 - API安全 - 证书管理”中复制证书序列号。")
    case .apiV3KeyLength:
      BilingualText(
        "Copy the APIv3 key that was set in the merchant platform; the key of API v2 is another one.",
        "请填写商户平台中设置的 APIv3 密钥；它与 APIv2 密钥不同。")
    case .keyPairMismatch:
      BilingualText(
        "Use apiclient_cert.pem and apiclient_key.pem of the same download, and that certificate's serial number.",
        "请使用同一次下载的 apiclient_cert.pem 与 apiclient_key.pem，并填写该证书的序列号。")
    case .publicKeyIdentifier:
      BilingualText(
        "Copy the id that begins with PUB_KEY_ID_ from the merchant platform, beside the public key.",
        "请从商户平台复制以 PUB_KEY_ID_ 开头的公钥 ID。")
    case .merchantKeyAsPlatformKey:
      BilingualText(
        "Download WeChat Pay's public key (pub_key.pem) in the merchant platform; apiclient_cert.pem is your own.",
        "请在商户平台下载微信支付公钥（pub_key.pem）；apiclient_cert.pem 是商户自己的证书。")
    case .doubledPlatformKey:
      BilingualText("Remove the outdated one.", "请删除过时的那一个。")
    case .platformCertificateKey:
      BilingualText("Have the certificates downloaded again.", "请重新下载平台证书。")
    }
  }

  package var retry: RetryAdvice { .never }
}
