package import Cryptography
package import PaymentPrimitives
package import StrictJSON

/// What a page within WeChat or a mini program hands to the cashier: `WeixinJSBridge`'s `getBrandWCPayRequest`, and
/// `wx.requestPayment`.
package struct JSAPIPaymentParameters: Hashable, Sendable {
  /// The app id of the order; a mini program leaves it out.
  package let appId: String
  /// Seconds since 1970; a text, as both interfaces demand it.
  package let timeStamp: String
  /// 32 letters and digits.
  package let nonceStr: String
  /// `prepay_id=` and what opening the order gave.
  package let package: String
  package let signType = "RSA"
  /// The merchant's signature in Base64, over `package` as it stands here.
  package let paySign: String

  /// Signed parameters.
  ///
  /// - Parameter prepayId: bare, as it came.
  package init(merchant: MerchantCredentials, appId: String, prepayId: String, at now: Timestamp, nonce: String) {
    self.appId = appId
    self.timeStamp = "\(now.seconds)"
    self.nonceStr = nonce
    self.package = "prepay_id=" + prepayId
    let text = SignedText.client(appId: appId, timestamp: now.seconds, nonce: nonce, subject: package)
    paySign = Base64.encode(merchant.privateKey.signature(for: text))
  }

  /// Whether the merchant of that key signed them, as WeChat's cashier asks.
  package static func isValid(
    paySign: String, appId: String, package: String, nonceStr: String, timeStamp: Int64, key: RSAPublicKey
  ) -> Bool {
    let text = SignedText.client(appId: appId, timestamp: timeStamp, nonce: nonceStr, subject: package)
    return Base64.decode(paySign).map { key.isValid($0, for: text) } ?? false
  }

  package var json: JSONValue {
    .members([
      ("appId", .string(appId)), ("timeStamp", .string(timeStamp)), ("nonceStr", .string(nonceStr)),
      ("package", .string(package)), ("signType", .string(signType)), ("paySign", .string(paySign)),
    ])
  }
}
