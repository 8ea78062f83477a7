package import Cryptography
package import PaymentPrimitives
package import StrictJSON

/// What an app hands to WeChat's SDK to open the cashier, under the names that fluwx and both OpenSDKs take.
///
/// Signed anew at each hand-off, while the `prepay_id` is less than 110 minutes old (it is good for two hours).
package struct AppPaymentParameters: Hashable, Sendable {
  /// How long after its issue a `prepay_id` is handed out: ten minutes are left for the payer.
  package static let handOffLimit = TimeSpan.minutes(110)

  /// The app id of the order.
  package let appId: String
  package let partnerId: String
  /// What opening the order gave.
  package let prepayId: String
  package let packageValue = "Sign=WXPay"
  /// 32 letters and digits.
  package let nonceStr: String
  /// Seconds since 1970; a number, as fluwx and the iOS SDK take it.
  package let timeStamp: Int64
  /// The merchant's signature in Base64.
  package let sign: String
  /// Always RSA. WeChat's SDKs do not need it.
  package let signType = "RSA"
  /// Comes back with the SDK's result: our order id, so that the app knows which order came back.
  package let extData: String

  /// Signed parameters.
  ///
  /// - Parameters:
  ///   - prepayId: bare, as it came.
  ///   - order: our order.
  package init(
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
  package static func isValid(
    sign: String, appId: String, prepayId: String, nonceStr: String, timeStamp: Int64, key: RSAPublicKey
  ) -> Bool {
    let text = SignedText.client(appId: appId, timestamp: timeStamp, nonce: nonceStr, subject: prepayId)
    return Base64.decode(sign).map { key.isValid($0, for: text) } ?? false
  }

  package var json: JSONValue {
    .members([
      ("appId", .string(appId)), ("partnerId", .string(partnerId)), ("prepayId", .string(prepayId)),
      ("packageValue", .string(packageValue)), ("nonceStr", .string(nonceStr)), ("timeStamp", .integer(timeStamp)),
      ("sign", .string(sign)), ("signType", .string(signType)), ("extData", .string(extData)),
    ])
  }
}
