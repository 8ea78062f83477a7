package import PaymentPrimitives
package import StrictJSON
import WeChatPayProtocol

/// How a payer reaches the cashier: with the data from their app, page or camera.
package enum CashierVisit: Hashable, Sendable {
  /// With WeChat's SDK, and the parameters that the merchant's server signed.
  case app(AppHandOver)
  /// With `wx.requestPayment` or `getBrandWCPayRequest`, and the parameters that the merchant's server signed.
  case jsapi(JSAPIHandOver)
  /// With the `h5_url`.
  case h5(prepayId: String)
  /// With a scan of the `code_url`.
  case native(codeURL: String)

  /// The parameters that an app hands to WeChat's SDK.
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

    /// Reads an app's parameters, with fluwx's names (`packageValue`) or the SDK's own (`package`).
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

  /// The parameters from a page within WeChat or from a mini program.
  package struct JSAPIHandOver: Hashable, Sendable {
    /// The app id. WeChat knows a mini program's id, but it is required here too.
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

extension CashierVisit {
  /// The visit that the parameters open which a merchant's server answers: for an app, a page, a browser or a camera.
  package init(handedOver json: JSONValue) throws(JSONFieldError) {
    if let url = json["h5Url"]?.string {
      let query = url.split(separator: "?").dropFirst().first ?? ""
      let name = "prepay_id="
      let parameter = query.split(separator: "&").first { $0.hasPrefix(name) }
      self = .h5(prepayId: parameter.map { String($0.dropFirst(name.count)) } ?? "")
    } else if let url = json["codeUrl"]?.string {
      self = .native(codeURL: url)
    } else if json["partnerId"] != nil {
      self = .app(try AppHandOver(json))
    } else {
      self = .jsapi(try JSAPIHandOver(json))
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
  /// Pays after coupons of this amount in fen.
  case payWithCoupon(Int64)
  /// Pays and leaves without "done": the order is paid, and the app gets no result (lost-callback case 6).
  case payAndLeave
  /// Confirms; the payment arrives later. `winsOverClose` says whether a close in between still allows it.
  case payLater(TimeSpan, winsOverClose: Bool)
  /// Goes back with the cashier's own button: the app gets −2.
  case cancel
  /// Leaves in any other way: with the system's back control, the home screen, or a phone lock. The app gets no result,
  /// and nothing is paid (lost-callback cases 1 to 5, 7, 8).
  case leave
  /// WeChat fails: the app gets −1.
  case fail
}

/// The result of a visit for the app and the tester.
package struct CashierResult: Hashable, Sendable {
  /// The app's result: 0, −1 or −2; nil: none.
  package let errCode: Int?
  /// Why the cashier rejected the visit, for testers; nil when it did not.
  package let reason: CashierError?
  /// The order, if the cashier found it.
  package let order: OrderKey?
}

/// Why a cashier accepts no payment. WeChat tells the payer little and gives the app −1; this names the reason. The
/// names are permanent.
package enum CashierError: String, CaseIterable, Hashable, Sendable {
  /// No order has that prepay id, link or code.
  case unknown
  /// The app id is not the order's.
  case otherApp
  /// The merchant number is not the order's.
  case otherMerchant
  /// `package` or `signType` has the wrong value; `signType` must be RSA.
  case wrongPackage
  /// The merchant did not sign this.
  case wrongSignature
  /// The order is for another cashier.
  case otherCashier
  /// The prepay id or link is too old, or a later code replaced it.
  case outdated
  /// The order's time to pay is over.
  case expired
  case closed
  case paid
  /// Another payer entered first, or the order belongs to another payer.
  case otherPayer
}
