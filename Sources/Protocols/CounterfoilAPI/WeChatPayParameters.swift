public import PaymentPrimitives
public import StrictJSON

/// `POST /v1/orders/{orderId}/wechat-pay`: fresh parameters for WeChat, for the same order. The answer is the order
/// with `weChatPay`; without it the order cannot be handed over now: it is paid, closed, or not prepared yet.
public enum PrepareWeChatPay {
  /// The path of the call for an order.
  public static func path(of order: OrderIdentifier) -> String {
    CreateOrder.path + "/" + order.appAccountToken + "/wechat-pay"
  }
}

/// `POST /v1/payments/wechat-pay`: the client is back from WeChat. The server asks WeChat Pay at once and, if unpaid,
/// again after five seconds. What the client was told there decides nothing.
public enum CheckWeChatPay {
  /// The path of the call.
  public static let path = "/v1/payments/wechat-pay"

  /// Which order.
  public struct Request: Hashable, Sendable {
    /// Its id or the app's own number.
    public var order: String
    /// Whose it is; only with a secret key.
    public var user: UserIdentifier?

    /// A question about an order.
    public init(order: String) { self.order = order }

    /// Reads a question.
    public init(json: JSONValue) throws(JSONFieldError) {
      let fields = try JSONFields(json)
      order = try fields.string("orderId", bytesMax: 256)
      user = try fields.optionalString("userId", bytesMax: 255).map { UserIdentifier($0) }
    }

    /// The question as it is sent.
    public var json: JSONValue {
      .members([("orderId", .string(order)), ("userId", user.map { .string($0.text) })])
    }
  }

  /// What is known.
  public struct Response: Hashable, Sendable {
    /// `fulfilled`, `revoked`, `held`, `unpaid` as far as WeChat Pay says so far, or `pending` where it says nothing.
    public var verdict: Verdict
    /// Why, as a stable word.
    public var reason: String?
    /// The order as it stands.
    public var order: OrderBody

    /// An answer about an order: what its state and last verdict say.
    public init(_ order: OrderBody) {
      self.order = order
      let last = order.lastVerdict.flatMap { Verdict(rawValue: $0.verdict) }
      switch order.state {
      case .paid: verdict = last == .revoked ? .revoked : .fulfilled
      case .awaitingPayment, .closed:
        let isKnown = last == .held || last == .revoked || last == .pending
        verdict = isKnown ? last ?? .unpaid : .unpaid
      }
      reason = verdict == .held || verdict == .pending ? order.lastVerdict?.reason : nil
    }

    /// Reads an answer; a verdict that this version does not know is `pending`.
    public init(json: JSONValue) throws(JSONFieldError) {
      let fields = try JSONFields(json)
      order = try OrderBody(json: fields.value("order") ?? .null)
      verdict = Verdict(rawValue: try fields.string("verdict")) ?? .pending
      reason = try fields.optionalString("reason")
    }

    /// The answer as it is sent.
    public var json: JSONValue {
      .members([
        ("verdict", .string(verdict.rawValue)), ("reason", reason.map(JSONValue.string)), ("order", order.json),
      ])
    }
  }
}

/// What WeChat's OpenSDK is handed for a payment in an app: exactly the nine names that it takes.
public struct WeChatPayParameters: Hashable, Sendable {
  /// The app at WeChat.
  public var appId: String
  /// The merchant's number.
  public var partnerId: String
  /// WeChat Pay's name for the order.
  public var prepayId: String
  /// The constant `Sign=WXPay`.
  public var packageValue: String
  /// At most 32 characters.
  public var nonceStr: String
  /// Seconds since 1970, ten digits.
  public var timeStamp: Int64
  /// The signature, in Base64.
  public var sign: String
  /// How it was signed; absent where WeChat fixes it.
  public var signType: String?
  /// The order's id.
  public var extData: String?

  /// Parameters with what WeChat needs.
  public init(
    appId: String, partnerId: String, prepayId: String, packageValue: String, nonceStr: String,
    timeStamp: Int64, sign: String
  ) {
    self.appId = appId
    self.partnerId = partnerId
    self.prepayId = prepayId
    self.packageValue = packageValue
    self.nonceStr = nonceStr
    self.timeStamp = timeStamp
    self.sign = sign
  }

  /// Reads parameters.
  public init(_ fields: JSONFields) throws(JSONFieldError) {
    appId = try fields.string("appId", bytesMax: 64)
    partnerId = try fields.string("partnerId", bytesMax: 64)
    prepayId = try fields.string("prepayId", bytesMax: 128)
    packageValue = try fields.string("packageValue", bytesMax: 128)
    nonceStr = try fields.string("nonceStr", bytesMax: 32)
    timeStamp = try fields.integer("timeStamp", in: 0...Int64(UInt32.max))
    sign = try fields.string("sign", bytesMax: 2048)
    signType = try fields.optionalString("signType", bytesMax: 32)
    extData = try fields.optionalString("extData", bytesMax: 1024)
  }

  /// The parameters as they are answered.
  public var json: JSONValue {
    .members([
      ("appId", .string(appId)), ("partnerId", .string(partnerId)), ("prepayId", .string(prepayId)),
      ("packageValue", .string(packageValue)), ("nonceStr", .string(nonceStr)),
      ("timeStamp", .integer(timeStamp)), ("sign", .string(sign)),
      ("signType", signType.map(JSONValue.string)), ("extData", extData.map(JSONValue.string)),
    ])
  }
}
