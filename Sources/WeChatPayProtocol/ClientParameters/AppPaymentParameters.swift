public import Cryptography
public import PaymentVocabulary
public import StrictJSON

/// What an app hands to WeChat's SDK to open the cashier, under the names that fluwx and both OpenSDKs take.
///
/// Signed anew at each hand-off, while the `prepay_id` is less than 110 minutes old (it is good for two hours).
public struct AppPaymentParameters: Hashable, Sendable {
  /// How long after its issue a `prepay_id` is handed out: ten minutes are left for the payer.
  public static let handOffLimit = TimeSpan.minutes(110)

  /// The app id of the order.
  public let appId: String
  /// The merchant number.
  public let partnerId: String
  /// What opening the order gave.
  public let prepayId: String
  /// Always the same for apps.
  public let packageValue = "Sign=WXPay"
  /// 32 letters and digits.
  public let nonceStr: String
  /// Seconds since 1970; a number, as fluwx and the iOS SDK take it.
  public let timeStamp: Int64
  /// The merchant's signature in Base64.
  public let sign: String
  /// Always RSA. WeChat's SDKs do not need it.
  public let signType = "RSA"
  /// Comes back with the SDK's result: our order id, so that the app knows which order came back.
  public let extData: String

  /// Signed parameters.
  ///
  /// - Parameters:
  ///   - prepayId: bare, as it came.
  ///   - order: our order.
  public init(
    merchant: MerchantCredentials, appId: String, prepayId: String, order: OrderIdentifier, at now: Timestamp,
    nonce: String
  ) {
    self.appId = appId
    self.partnerId = merchant.mchid
    self.prepayId = prepayId
    self.nonceStr = nonce
    self.timeStamp = now.seconds
    self.extData = order.description
    let text = SignedText.client(appId: appId, timestamp: now.seconds, nonce: nonce, subject: prepayId)
    sign = Base64.encode(merchant.privateKey.signature(for: text))
  }

  /// Whether the merchant of that key signed them, as WeChat's cashier asks.
  public static func isValid(
    sign: String, appId: String, prepayId: String, nonceStr: String, timeStamp: Int64, key: RSAPublicKey
  ) -> Bool {
    let text = SignedText.client(appId: appId, timestamp: timeStamp, nonce: nonceStr, subject: prepayId)
    return Base64.decode(sign).map { key.isValid($0, for: text) } ?? false
  }

  /// The nine names.
  public var json: JSONValue {
    .members([
      ("appId", .string(appId)), ("partnerId", .string(partnerId)), ("prepayId", .string(prepayId)),
      ("packageValue", .string(packageValue)), ("nonceStr", .string(nonceStr)), ("timeStamp", .integer(timeStamp)),
      ("sign", .string(sign)), ("signType", .string(signType)), ("extData", .string(extData)),
    ])
  }
}
