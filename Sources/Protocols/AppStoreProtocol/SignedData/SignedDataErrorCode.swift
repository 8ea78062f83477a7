package import PaymentPrimitives

/// The errors of signed data. They use the words of Apple's own libraries where those exist.
package enum SignedDataErrorCode: String, ErrorCode {
  /// The data is longer than any signed data of Apple.
  case signedDataTooLarge
  /// The text does not have three Base64URL parts with JSON in the first two.
  case invalidFormat
  /// The header names an algorithm other than ES256.
  case invalidAlgorithm
  /// The header contains its own key, or requires an unknown feature.
  case invalidHeader
  /// A member of the payload does not have the documented type.
  case malformedPayload
  /// The signed data is not of the expected kind.
  case unexpectedKind
  case invalidAppIdentifier
  /// The signing date is in the future.
  case signedInTheFuture
  case invalidChainLength
  /// A certificate is unreadable, or not allowed in its position.
  case invalidCertificate
  /// The certificates do not lead to a trusted root.
  case invalidChain
  /// One of Apple's marker extensions is missing.
  case missingOID
  /// A certificate was not valid when the data was signed.
  case expired
  /// The issuer has revoked a certificate.
  case certificateRevoked
  /// Whether a certificate is revoked is not known at the moment; a later retry can succeed.
  case certificateStatusUnknown
  /// The environment is not accepted.
  case invalidEnvironment
  /// The signature does not match this text and key.
  case invalidSignature
  /// A signed part inside is not valid.
  case invalidNestedData
  /// Too many unknown certificate chains at the moment; a later retry can succeed.
  case verificationBusy
  /// A production configuration would accept data that Apple has not signed.
  case unsafeConfiguration

  package var meaning: BilingualText {
    switch self {
    case .signedDataTooLarge: BilingualText("The signed data is too large.", "签名数据过大。")
    case .invalidFormat: BilingualText("The text is not a compact JWS.", "该文本不是紧凑格式的 JWS。")
    case .invalidAlgorithm: BilingualText("The algorithm is not ES256.", "签名算法不是 ES256。")
    case .invalidHeader:
      BilingualText("The header contains its own key, or requires an unknown feature.", "头部自带密钥，或要求了未知的特性。")
    case .malformedPayload:
      BilingualText("A field of the payload is of the wrong type.", "载荷中某个字段的类型不正确。")
    case .unexpectedKind:
      BilingualText("The signed data is of another kind than expected.", "签名数据的种类与预期不符。")
    case .invalidAppIdentifier:
      BilingualText("The signed data was made for another app.", "签名数据属于另一个应用。")
    case .signedInTheFuture:
      BilingualText("The signing date is in the future.", "签名时间在未来。")
    case .invalidChainLength:
      BilingualText("There are not exactly three certificates.", "证书不是恰好三张。")
    case .invalidCertificate:
      BilingualText("A certificate cannot be used for this.", "有证书不能用于此用途。")
    case .invalidChain:
      BilingualText("The certificates do not lead to a trusted root.", "证书链未能到达受信任的根证书。")
    case .missingOID:
      BilingualText("A certificate lacks Apple's marker.", "证书缺少 Apple 的标记扩展。")
    case .expired:
      BilingualText("A certificate was not valid at that time.", "证书在当时无效。")
    case .certificateRevoked:
      BilingualText("Apple has revoked the certificate that signed it.", "签名所用的证书已被 Apple 吊销。")
    case .certificateStatusUnknown:
      BilingualText(
        "It is not known at the moment whether the certificate that signed it is revoked.", "目前无法得知签名所用的证书是否已被吊销。")
    case .invalidEnvironment:
      BilingualText("The environment is not accepted here.", "此处不接受该环境。")
    case .invalidSignature:
      BilingualText("The signature is not valid.", "签名无效。")
    case .invalidNestedData:
      BilingualText("Signed data inside is not valid.", "内层签名数据无效。")
    case .verificationBusy:
      BilingualText("There are too many unknown certificate chains at the moment.", "当前未知证书链过多。")
    case .unsafeConfiguration:
      BilingualText(
        "A production configuration may trust Apple's signatures only.", "生产配置只能信任 Apple 的签名。")
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .signedDataTooLarge, .invalidFormat, .malformedPayload, .invalidHeader, .invalidAlgorithm:
      BilingualText(
        "Send the text exactly as StoreKit or Apple gave it.", "请原样发送 StoreKit 或 Apple 给出的文本。")
    case .unexpectedKind:
      BilingualText("Send it to the call that accepts its kind.", "请发送到接收该种类的接口。")
    case .invalidAppIdentifier:
      BilingualText(
        "Compare bundle id and Apple id of the app with the configuration.", "请核对配置中的 bundle id 和 Apple id。")
    case .signedInTheFuture:
      BilingualText("Set the clock of this machine.", "请校准本机时钟。")
    case .invalidChainLength, .invalidCertificate, .invalidChain, .missingOID:
      BilingualText(
        "If it comes from a simulator or from Xcode, configure its root; otherwise it is forged.",
        "若来自模拟器或 Xcode，请配置其根证书；否则即为伪造。")
    case .expired:
      BilingualText("Ask Apple for the transaction again.", "请重新向 Apple 查询该交易。")
    case .certificateRevoked:
      BilingualText(
        "Ask Apple for the transaction again: Apple signs it with another certificate.",
        "请重新向 Apple 查询该交易：Apple 会用另一张证书签名。")
    case .certificateStatusUnknown:
      BilingualText(
        "Let this server reach ocsp.apple.com, or set ocsp = \"soft\" in [app_store].",
        "请让本服务器能够访问 ocsp.apple.com，或在 [app_store] 中设置 ocsp = \"soft\"。")
    case .invalidEnvironment:
      BilingualText(
        "Accept this environment in the configuration, or send it to the server that does.",
        "请在配置中接受该环境，或发送到接受该环境的服务器。")
    case .invalidSignature, .invalidNestedData:
      BilingualText("No action is needed: the data was changed or forged.", "无需处理：数据已被改动或伪造。")
    case .verificationBusy:
      BilingualText("Send the same again after a moment.", "请稍后重新发送。")
    case .unsafeConfiguration:
      BilingualText(
        "Remove further roots, xcode and localTesting from the production configuration.",
        "请从生产配置中去除额外的根证书、xcode 和 localTesting。")
    }
  }

  package var retry: RetryAdvice {
    self == .verificationBusy || self == .certificateStatusUnknown ? .later : .never
  }
}
