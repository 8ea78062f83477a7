package import PaymentPrimitives

package enum ReceiptErrorCode: String, ErrorCode {
  /// The text is longer than any receipt of Apple.
  case tooLarge = "receipt_too_large"
  /// The text is not Base64, even after the known repairs.
  case notBase64 = "receipt_not_base64"
  /// The text is a JWS of StoreKit 2, not a receipt.
  case isSignedData = "receipt_is_signed_data"
  case otherKind = "receipt_other_kind"
  /// The text does not have the form of a receipt.
  case malformed = "receipt_malformed"
  /// Apple does not use this digest or algorithm for receipts.
  case algorithm = "receipt_algorithm"
  /// An attribute has an undocumented type or occurs twice.
  case malformedAttribute = "receipt_attribute_malformed"
  case otherApp = "receipt_other_app"
  /// The receipt has no creation date.
  case undated = "receipt_undated"
  case fromTheFuture = "receipt_from_the_future"
  /// The receipt lacks the signer's certificate.
  case signerMissing = "receipt_signer_missing"
  /// A certificate is unreadable, or not allowed in its position.
  case certificateUnusable = "receipt_certificate_unusable"
  /// The certificates do not lead to a trusted root.
  case untrusted = "receipt_untrusted"
  /// One of Apple's marker extensions is missing.
  case markerMissing = "receipt_marker_missing"
  /// A certificate was not valid when the receipt was made.
  case certificateExpired = "receipt_certificate_expired"
  /// The signature is valid, but no available root certifies the signer: neither valid nor forged.
  case chainNotShown = "receipt_chain_not_shown"
  /// The environment is not accepted.
  case otherEnvironment = "receipt_environment"
  /// The signature does not match this content and key.
  case invalidSignature = "receipt_signature_invalid"
  case otherDevice = "receipt_other_device"
  /// Too many unknown certificates at the moment; a later retry can succeed.
  case busy = "receipt_verification_busy"

  package var meaning: BilingualText {
    switch self {
    case .tooLarge: BilingualText("The receipt is too large.", "收据过大。")
    case .notBase64: BilingualText("The receipt is not Base64.", "收据不是 Base64。")
    case .isSignedData:
      BilingualText("This is signed data of StoreKit 2 (JWS), not a receipt.", "这是 StoreKit 2 的签名数据（JWS），不是收据。")
    case .otherKind: BilingualText("The receipt is of the other kind.", "收据属于另一种类型。")
    case .malformed: BilingualText("The bytes are not a receipt.", "这些字节不是收据。")
    case .algorithm:
      BilingualText("The receipt is signed in a way that Apple does not use.", "收据的签名方式不是 Apple 所用的。")
    case .malformedAttribute:
      BilingualText("A field of the receipt is of the wrong type, or occurs twice.", "收据中某个字段的类型不正确或重复。")
    case .otherApp: BilingualText("The receipt was made for another app.", "收据属于另一个应用。")
    case .undated: BilingualText("The receipt does not state when it was made.", "收据没有注明生成时间。")
    case .fromTheFuture: BilingualText("The receipt was made in the future.", "收据的生成时间在未来。")
    case .signerMissing:
      BilingualText("The certificate of the receipt's signer is missing.", "缺少收据签名者的证书。")
    case .certificateUnusable: BilingualText("A certificate cannot be used for receipts.", "有证书不能用于收据。")
    case .untrusted: BilingualText("The certificates do not lead to a trusted root.", "证书链未能到达受信任的根证书。")
    case .markerMissing: BilingualText("A certificate lacks Apple's marker.", "证书缺少 Apple 的标记扩展。")
    case .certificateExpired:
      BilingualText("A certificate was not valid when the receipt was made.", "收据生成时有证书无效。")
    case .chainNotShown:
      BilingualText("The receipt's signature is valid, but its signer cannot be verified here.", "收据签名完好，但此处无法证明签名者是谁。")
    case .otherEnvironment: BilingualText("The environment is not accepted here.", "此处不接受该环境。")
    case .invalidSignature: BilingualText("The receipt's signature is not valid.", "收据的签名无效。")
    case .otherDevice: BilingualText("The receipt was made on another device.", "收据是在另一台设备上生成的。")
    case .busy: BilingualText("There are too many unknown certificates at the moment.", "当前未知证书过多。")
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .tooLarge, .notBase64, .malformed, .algorithm, .malformedAttribute:
      BilingualText(
        "Send the receipt file's bytes in Base64, unchanged.", "请将收据文件的字节以 Base64 原样发送。")
    case .isSignedData:
      BilingualText("Send it to the call that accepts signed transactions.", "请发送到接收签名交易的接口。")
    case .otherKind: BilingualText("Send it to the call that accepts its kind.", "请发送到接收该类型的接口。")
    case .otherApp:
      BilingualText(
        "Compare bundle id and Apple id of the app with the configuration.", "请核对配置中的 bundle id 和 Apple id。")
    case .undated:
      BilingualText("Let the app refresh its receipt, and send the new one.", "请让应用刷新收据后发送新的收据。")
    case .fromTheFuture: BilingualText("Set the clock of this machine.", "请校准本机时钟。")
    case .signerMissing, .certificateUnusable, .untrusted, .markerMissing:
      BilingualText(
        "If it comes from a simulator or from Xcode, configure its root; otherwise it is forged.",
        "若来自模拟器或 Xcode，请配置其根证书；否则即为伪造。")
    case .certificateExpired, .chainNotShown:
      BilingualText(
        "Ask Apple for the transaction by its id (Get Transaction Info).", "请按交易号向 Apple 查询该交易（Get Transaction Info）。")
    case .otherEnvironment:
      BilingualText(
        "Accept this environment in the configuration, or send it to the server that does.",
        "请在配置中接受该环境，或发送到接受该环境的服务器。")
    case .invalidSignature:
      BilingualText("No action is needed: the receipt was changed or forged.", "无需处理：收据已被改动或伪造。")
    case .otherDevice:
      BilingualText("Let the app refresh its receipt on this device.", "请让应用在这台设备上刷新收据。")
    case .busy: BilingualText("Send the same again after a moment.", "请稍后重新发送。")
    }
  }

  package var retry: RetryAdvice { self == .busy ? .later : .never }
}
