package import PaymentPrimitives
package import StrictJSON
import WeChatPayProtocol

/// How a payer comes to the cashier: with what his app, page or camera hands over.
package enum CashierVisit: Hashable, Sendable {
  /// By WeChat's SDK, with the parameters that the merchant's server signed.
  case app(AppHandOver)
  /// By `wx.requestPayment` or `getBrandWCPayRequest`, with the parameters that the merchant's server signed.
  case jsapi(JSAPIHandOver)
  /// By the `h5_url`.
  case h5(prepayId: String)
  /// By scanning the `code_url`.
  case native(codeURL: String)

  /// What an app hands to WeChat's SDK.
  package struct AppHandOver: Hashable, Sendable {
    package var appId: String
    package var partnerId: String
    package var prepayId: String
    /// `Sign=WXPay`
    package var package: String
    /// 1 to 32 characters.
    package var nonceStr: String
    /// Seconds since 1970.
    package var timeStamp: Int64
    /// The merchant's signature in Base64.
    package var sign: String

    /// What an app hands over, under fluwx's names (`packageValue`) or the SDK's own (`package`).
    package init(_ json: JSONValue) throws(JSONFieldError) {
      let fields = try JSONFields(json)
      appId = try fields.string("appId", bytesMax: 64)
      partnerId = try fields.string("partnerId", bytesMax: 64)
      prepayId = try fields.string("prepayId", bytesMax: 128)
      let flutters = try fields.optionalString("packageValue")
      if let flutters { package = flutters } else { package = try fields.string("package") }
      nonceStr = try fields.string("nonceStr", bytesMax: 64)
      timeStamp = try fields.seconds("timeStamp")
      sign = try fields.string("sign", bytesMax: 2048)
    }
  }

  /// What a page within WeChat or a mini program hands over.
  package struct JSAPIHandOver: Hashable, Sendable {
    /// The app id; a mini program's is known to WeChat, and stands here all the same.
    package var appId: String
    /// Seconds since 1970.
    package var timeStamp: Int64
    /// 1 to 32 characters.
    package var nonceStr: String
    /// `prepay_id=` and the prepay id.
    package var package: String
    /// `RSA`
    package var signType: String
    /// The merchant's signature in Base64.
    package var paySign: String

    package init(_ json: JSONValue) throws(JSONFieldError) {
      let fields = try JSONFields(json)
      appId = try fields.string("appId", bytesMax: 64)
      timeStamp = try fields.seconds("timeStamp")
      nonceStr = try fields.string("nonceStr", bytesMax: 64)
      package = try fields.string("package")
      signType = try fields.string("signType", bytesMax: 16)
      paySign = try fields.string("paySign", bytesMax: 2048)
    }
  }
}

extension JSONFields {
  /// Seconds as a number or as its digits: the SDKs differ.
  fileprivate func seconds(_ name: String) throws(JSONFieldError) -> Int64 {
    if value(name)?.string != nil { return try converted(name, "seconds since 1970") { Int64($0) } }
    return try integer(name, in: 0...1 << 40)
  }
}

/// What a payer does in the cashier.
package enum CashierAction: Hashable, Sendable {
  case pay
  /// Pays after coupons of so many fen.
  case payWithCoupon(Int64)
  /// Pays and leaves without "done": paid, and the app is told nothing (lost-callback case 6).
  case payAndLeave
  /// Confirms; the payment arrives later. A close on the way breaks it off, or does not.
  case payLater(TimeSpan, winsOverClose: Bool)
  /// Goes back by the cashier's own button: the app is told −2.
  case cancel
  /// Leaves in any other way: by the system's back control, by the home screen, by locking the phone. The app is told
  /// nothing, and nothing is paid (lost-callback cases 1 to 5, 7, 8).
  case leave
  /// WeChat fails: the app is told −1.
  case fail
}

/// What the app, and the tester, learn from a visit.
package struct CashierResult: Hashable, Sendable {
  /// What the app is told: 0, −1 or −2; nil: nothing at all.
  package let errCode: Int?
  /// Why the cashier refused, for whoever tests; nil when it did not.
  package let reason: CashierRefusal?
  /// The order, if the cashier found it.
  package let order: OrderKey?
}

/// Why a cashier takes no payment. WeChat tells the payer little and the app −1; this names it. The names are
/// permanent.
package enum CashierRefusal: String, CaseIterable, Hashable, Sendable {
  /// No order has that prepay id, link or code.
  case unknown
  /// The app id is not the order's.
  case otherApp
  /// The merchant number is not the order's.
  case otherMerchant
  /// `package` is not what this cashier demands, or `signType` not RSA.
  case wrongPackage
  /// The merchant did not sign this.
  case wrongSignature
  /// The order is for another cashier.
  case otherCashier
  /// The prepay id or link is too old, or a later code took its place.
  case outdated
  /// The order's time is over.
  case expired
  /// The order is closed.
  case closed
  /// The order is paid.
  case paid
  /// Another payer entered first, or the order is another payer's.
  case otherPayer
}
