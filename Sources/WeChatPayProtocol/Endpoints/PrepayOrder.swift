public import PaymentVocabulary
import StrictJSON

/// An order to open at WeChat Pay: what the payer will see and pay, and where its end is told.
///
/// WeChat Pay takes an order number once: every repetition must be the same to the byte, or it is refused. So the call
/// is made once, its body is kept with the order, and repetitions come from there (`WeChatPayCall.prepay(_:body:)`).
public struct PrepayOrder: Hashable, Sendable {
  /// How the payer pays, with what each way needs.
  public enum Cashier: Hashable, Sendable {
    /// Within an app.
    case app
    /// Within WeChat, by the payer's `openid` of the same app id.
    case jsapi(openid: String)
    /// In a browser outside of WeChat.
    case h5(PayerDevice)
    /// By a QR code.
    case native

    /// Which prepay call that is.
    public var tradeType: TradeType {
      switch self {
      case .app: .app
      case .jsapi: .jsapi
      case .h5: .h5
      case .native: .native
      }
    }
  }

  /// The payer's device, as WeChat Pay demands it for H5.
  public struct PayerDevice: Hashable, Sendable {
    /// Its public address, IPv4 or IPv6, from a proxy that is trusted. Loopback and private ones are refused.
    public var address: String
    /// Which kind of page: `iOS`, `Android` or `Wap`.
    public var kind: Kind
    /// Name and address of the site or app, bundle id or package name; nil leaves them out.
    public var appName: String?
    /// Address of the site.
    public var appURL: String?
    /// Bundle id of the iOS app.
    public var bundleId: String?
    /// Package name of the Android app.
    public var packageName: String?

    /// The kinds that WeChat Pay knows.
    public enum Kind: String, Hashable, CaseIterable, Sendable {
      /// A page within an iOS app.
      case iOS
      /// A page within an Android app.
      case android = "Android"
      /// A page in a browser.
      case wap = "Wap"
    }

    /// A device by its address and kind.
    public init(address: String, kind: Kind) {
      self.address = address
      self.kind = kind
    }
  }

  /// The app id that the order is opened for; bound to the merchant number.
  public var appid: String
  /// The merchant: the one that signs.
  public var mchid: String
  /// What the payer reads: 1 to 127 characters, none beyond three bytes of UTF-8.
  public var description: String
  /// Our number.
  public var outTradeNo: String
  /// The last moment to pay; WeChat Pay takes it only from the first call. nil: seven days.
  public var timeExpire: Timestamp?
  /// Comes back after the payment; at most 127 characters.
  public var attach: String?
  /// Where the payment is told: `https://`, no query, at most 255 characters.
  public var notifyURL: String
  /// A tag that promotions look for.
  public var goodsTag: String?
  /// The price, in fen.
  public var total: Int64
  /// How the payer pays.
  public var cashier: Cashier

  /// An order with what each needs; the rest is set afterwards.
  public init(
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

  /// The body of the call. Absent fields are left out: WeChat Pay refuses `null` and unknown ones.
  ///
  /// - Throws: what WeChat Pay would refuse, named before it is sent.
  public func body() throws(Refusal<WeChatPayRequestErrorCode>) -> [UInt8] {
    var check = RequestCheck()
    check.text("appid", appid, 1...32)
    check.text("mchid", mchid, 1...32)
    check.text("description", description, 1...127)
    check.orderNumber("out_trade_no", outTradeNo, 6...32)
    check.text("attach", attach, 0...127)
    check.text("goods_tag", goodsTag, 0...32)
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
    check.text("payer.openid", openid, 1...128)
    return .members([("openid", .string(openid))])
  }

  private func scene(_ check: inout RequestCheck) -> JSONValue? {
    guard case .h5(let device) = cashier else { return nil }
    check.payerAddress(device.address)
    check.text("scene_info.h5_info.app_name", device.appName, 1...64)
    check.text("scene_info.h5_info.app_url", device.appURL, 1...128)
    check.text("scene_info.h5_info.bundle_id", device.bundleId, 1...128)
    check.text("scene_info.h5_info.package_name", device.packageName, 1...128)
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
