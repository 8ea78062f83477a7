package import PaymentPrimitives
import StrictJSON

/// An order to open at WeChat Pay: what the payer sees and pays, and the URL for the notification.
///
/// WeChat Pay accepts an order number once. Every repetition must have the same bytes, or WeChat Pay rejects it. So the
/// body is created once and saved with the order. Repetitions use the saved body (`WeChatPayCall.prepay(_:body:)`).
package struct PrepayOrder: Hashable, Sendable {
  /// The way of payment, with the data that each way needs.
  package enum Cashier: Hashable, Sendable {
    case app
    /// In WeChat, for the payer's `openid` of the same app id.
    case jsapi(openid: String)
    /// In a browser outside WeChat.
    case h5(PayerDevice)
    case native

    package var tradeType: TradeType {
      switch self {
      case .app: .app
      case .jsapi: .jsapi
      case .h5: .h5
      case .native: .native
      }
    }
  }

  /// The payer's device; WeChat Pay requires it for H5.
  package struct PayerDevice: Hashable, Sendable {
    /// The public address, IPv4 or IPv6, from a trusted proxy. Loopback and private addresses are errors.
    package var address: String
    /// The kind of page: `iOS`, `Android` or `Wap`.
    package var kind: Kind
    /// The name of the site or app. For this and the following fields, nil leaves the field out.
    package var appName: String?
    package var appURL: String?
    /// Bundle id of the iOS app.
    package var bundleId: String?
    /// Package name of the Android app.
    package var packageName: String?

    /// The kinds that WeChat Pay knows.
    package enum Kind: String, Hashable, CaseIterable, Sendable {
      /// A page in an iOS app.
      case iOS
      /// A page in an Android app.
      case android = "Android"
      case wap = "Wap"
    }

    /// A device with its address and kind.
    package init(address: String, kind: Kind) {
      self.address = address
      self.kind = kind
    }
  }

  /// The app id of the order; it must be bound to the merchant number.
  package var appid: String
  /// The merchant who signs.
  package var mchid: String
  /// The description that the payer sees: 1 to 127 characters, none with more than three bytes in UTF-8.
  package var description: String
  package var outTradeNo: String
  /// The deadline for the payment. WeChat Pay uses only the value of the first call. nil means seven days.
  package var timeExpire: Timestamp?
  /// A text that WeChat Pay returns after the payment; at most 127 characters.
  package var attach: String?
  /// The URL for the payment notification: `https://`, no query, at most 255 characters.
  package var notifyURL: String
  /// A tag for promotions.
  package var goodsTag: String?
  package var total: Int64
  package var cashier: Cashier

  /// An order with the required fields; set the others afterwards.
  package init(
    appid: String, mchid: String, description: String, outTradeNo: String, notifyURL: String, total: Int64,
    cashier: Cashier
  ) {
    self.appid = appid
    self.mchid = mchid
    self.description = description
    self.outTradeNo = outTradeNo
    self.notifyURL = notifyURL
    self.total = total
    self.cashier = cashier
  }

  /// The body of the call. Absent fields are left out, because WeChat Pay rejects `null` and unknown fields.
  ///
  /// - Throws: a value that WeChat Pay would reject.
  package func body() throws(CodedError<WeChatPayRequestErrorCode>) -> [UInt8] {
    var check = RequestCheck()
    check.text("appid", appid, range: 1...32)
    check.text("mchid", mchid, range: 1...32)
    check.text("description", description, range: 1...127)
    check.orderNumber("out_trade_no", outTradeNo, range: 6...32)
    check.text("attach", attach, range: 0...127)
    check.text("goods_tag", goodsTag, range: 0...32)
    check.notifyURL(notifyURL, bytesMax: 255)
    check.amount("amount.total", total, atMost: PaymentTransaction.fenMax)
    let payer = payer(&check)
    let scene = scene(&check)
    if let problem = check.problem { throw problem }
    return JSONValue.members([
      ("appid", .string(appid)), ("mchid", .string(mchid)), ("description", .string(description)),
      ("out_trade_no", .string(outTradeNo)),
      ("time_expire", timeExpire.map { .string(BeijingTime.text($0)) }), ("attach", attach.map { .string($0) }),
      ("notify_url", .string(notifyURL)), ("goods_tag", goodsTag.map { .string($0) }),
      ("amount", .members([("total", .integer(total)), ("currency", "CNY")])), ("payer", payer),
      ("scene_info", scene),
    ]).bytes
  }

  private func payer(_ check: inout RequestCheck) -> JSONValue? {
    guard case .jsapi(let openid) = cashier else { return nil }
    check.text("payer.openid", openid, range: 1...128)
    return .members([("openid", .string(openid))])
  }

  private func scene(_ check: inout RequestCheck) -> JSONValue? {
    guard case .h5(let device) = cashier else { return nil }
    check.payerAddress(device.address)
    check.text("scene_info.h5_info.app_name", device.appName, range: 1...64)
    check.text("scene_info.h5_info.app_url", device.appURL, range: 1...128)
    check.text("scene_info.h5_info.bundle_id", device.bundleId, range: 1...128)
    check.text("scene_info.h5_info.package_name", device.packageName, range: 1...128)
    return .members([
      ("payer_client_ip", .string(device.address)),
      (
        "h5_info",
        .members([
          ("type", .string(device.kind.rawValue)), ("app_name", device.appName.map { .string($0) }),
          ("app_url", device.appURL.map { .string($0) }), ("bundle_id", device.bundleId.map { .string($0) }),
          ("package_name", device.packageName.map { .string($0) }),
        ])
      ),
    ])
  }
}
