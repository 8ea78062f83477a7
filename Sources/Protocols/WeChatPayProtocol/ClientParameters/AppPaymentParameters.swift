package import Cryptography
package import PaymentPrimitives
package import StrictJSON

/// The parameters with which an app opens the cashier through WeChat's SDK. The names are those of fluwx and both
/// OpenSDKs.
///
/// They are signed for each hand-off, while the `prepay_id` is less than 110 minutes old (it is valid for two hours).
package struct AppPaymentParameters: Hashable, Sendable {
  /// The maximum age of a `prepay_id` at the hand-off, which leaves ten minutes for the payer.
  package static let handOffLimit = TimeSpan.minutes(110)

  /// The app id of the order.
  package let appId: String
  package let partnerId: String
  /// The `prepay_id` from the prepay call.
  package let prepayId: String
  package let packageValue = "Sign=WXPay"
  /// 32 letters and digits.
  package let nonceStr: String
  /// Seconds since 1970, as a number: fluwx and the iOS SDK expect a number.
  package let timeStamp: Int64
  /// The merchant's signature in Base64.
  package let sign: String
  /// Always RSA; WeChat's SDKs do not need it.
  package let signType = "RSA"
  /// Our order id. The SDK's result contains it, so that the app recognizes the order.
  package let extData: String

  /// Creates signed parameters.
  ///
  /// - Parameters:
  ///   - prepayId: the bare value, unchanged.
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

  /// Whether the merchant with that key signed the parameters, as WeChat's cashier checks it.
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
