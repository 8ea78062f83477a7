package import Cryptography
package import PaymentPrimitives
package import StrictJSON

/// The parameters with which a page in WeChat or a mini program opens the cashier: `WeixinJSBridge`'s
/// `getBrandWCPayRequest`, and `wx.requestPayment`.
package struct JSAPIPaymentParameters: Hashable, Sendable {
  /// The app id of the order; a mini program leaves it out.
  package let appId: String
  /// Seconds since 1970, as text: both interfaces require text.
  package let timeStamp: String
  /// 32 letters and digits.
  package let nonceStr: String
  /// `prepay_id=` followed by the value from the prepay call.
  package let package: String
  package let signType = "RSA"
  /// The merchant's signature in Base64, over `package` exactly as it is here.
  package let paySign: String

  /// Creates signed parameters.
  ///
  /// - Parameter prepayId: the bare value, unchanged.
  package init(merchant: MerchantCredentials, appId: String, prepayId: String, at now: Timestamp, nonce: String) {
    self.appId = appId
    self.timeStamp = "\(now.seconds)"
    self.nonceStr = nonce
    self.package = "prepay_id=" + prepayId
    let text = SignedText.client(appId: appId, timestamp: now.seconds, nonce: nonce, subject: package)
    paySign = Base64.encode(merchant.privateKey.signature(for: text))
  }

  /// Whether the merchant with that key signed the parameters, as WeChat's cashier checks it.
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
