package import PaymentPrimitives

/// The checks of WeChat Pay's signature, each with its error code.
package enum PlatformSignatureErrorCode: String, ErrorCode {
  /// One of the four headers is missing.
  case headerMissing = "wechat_pay_signature_header_missing"
  case headerRepeated = "wechat_pay_signature_header_repeated"
  /// The signature uses a scheme that we do not support.
  case unsupportedSignatureType = "wechat_pay_signature_type"
  /// The timestamp is not a number of seconds.
  case malformedTimestamp = "wechat_pay_signature_timestamp"
  /// The time of signing differs by more than 300 seconds from now.
  case timestampOutsideWindow = "wechat_pay_signature_clock"
  /// WeChat Pay tests whether we check signatures.
  case probeSignature = "wechat_pay_signature_probe"
  /// The signing key is not known here (yet).
  case unknownKey = "wechat_pay_signature_unknown_key"
  /// The signing certificate is not valid now.
  case keyNotValid = "wechat_pay_signature_key_not_valid"
  /// The signature is not Base64.
  case malformedSignature = "wechat_pay_signature_malformed"
  /// The signature does not match this text and key.
  case wrongSignature = "wechat_pay_signature_wrong"

  package var meaning: BilingualText {
    switch self {
    case .headerMissing: BilingualText("A signature header is missing.", "缺少签名头。")
    case .headerRepeated: BilingualText("A signature header is repeated.", "签名头重复出现。")
    case .unsupportedSignatureType: BilingualText("The signature type is not known.", "签名类型不受支持。")
    case .malformedTimestamp: BilingualText("The signature's timestamp is not a number.", "签名时间戳不是数字。")
    case .timestampOutsideWindow:
      BilingualText("Its signing time differs from now by more than five minutes.", "签名时间与当前时间相差超过五分钟。")
    case .probeSignature:
      BilingualText("WeChat Pay sent a test signature, which must be refused.", "微信支付发送的探测签名，应当拒绝。")
    case .unknownKey: BilingualText("It was signed by an unknown key.", "签名所用的密钥未知。")
    case .keyNotValid:
      BilingualText("It was signed by a certificate that is not valid now.", "签名所用的证书当前无效。")
    case .malformedSignature: BilingualText("The signature is not Base64.", "签名不是 Base64。")
    case .wrongSignature: BilingualText("The signature is not valid.", "签名无效。")
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .headerMissing, .headerRepeated:
      BilingualText(
        "Let proxies pass all Wechatpay-* headers unchanged.", "请让代理原样转发所有 Wechatpay-* 头。")
    case .unsupportedSignatureType:
      BilingualText("Choose RSA, not SM2, in the merchant platform.", "请在商户平台选择 RSA，而非国密 SM2。")
    case .malformedTimestamp, .malformedSignature:
      BilingualText("No action is needed: it was changed or forged.", "无需处理：已被改动或伪造。")
    case .timestampOutsideWindow:
      BilingualText("Set the clock of this machine (NTP).", "请校准本机时钟（NTP）。")
    case .probeSignature:
      BilingualText(
        "No action is needed: WeChat Pay sends the same again with a real signature.", "无需处理：微信支付会再发送真实签名。")
    case .unknownKey:
      BilingualText(
        "Configure the platform public key and its id, or have the platform certificates downloaded.",
        "请配置微信支付公钥及其 ID，或下载平台证书。")
    case .keyNotValid:
      BilingualText("Have the platform certificates downloaded again.", "请重新下载平台证书。")
    case .wrongSignature:
      BilingualText(
        "Make sure that no proxy changes bodies, and compare the platform key with the merchant platform's.",
        "请确认代理没有改动报文，并核对微信支付公钥与商户平台是否一致。")
    }
  }

  package var retry: RetryAdvice {
    switch self {
    case .probeSignature, .unknownKey, .keyNotValid, .timestampOutsideWindow: .later
    default: .never
    }
  }
}
