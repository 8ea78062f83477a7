public import PaymentPrimitives
public import StrictJSON

/// `POST /v1/orders/{orderId}/wechat-pay`: new WeChat parameters for the same order. The answer is the order with
/// `weChatPay`. Without that field the order cannot be paid now: it is paid, closed, or not prepared yet.
public enum PrepareWeChatPay {
  /// The path of the call for an order.
  public static func path(of order: OrderIdentifier) -> String {
    CreateOrder.path + "/" + order.appAccountToken + "/wechat-pay"
  }
}

/// `POST /v1/payments/wechat-pay`: the client has returned from WeChat. The server asks WeChat Pay at once and, if it
/// is unpaid, again after five seconds. The client's own result in WeChat decides nothing.
public enum CheckWeChatPay {
  /// The path of the call.
  public static let path = "/v1/payments/wechat-pay"

  /// The request.
  public struct Request: Hashable, Sendable {
    /// The order's id or the app's own number.
    public var order: String
    /// The user of the order; only with a secret key.
    public var user: UserIdentifier?

    /// A question about an order.
    public init(order: String) { self.order = order }

    /// Reads a question.
    public init(json: JSONValue) throws(JSONFieldError) {
      let fields = try JSONFields(json)
      order = try fields.string("orderId", bytesMax: 256)
      user = try fields.optionalString("userId", bytesMax: 255).map { UserIdentifier($0) }
    }

    /// The question as sent.
    public var json: JSONValue {
      .members([("orderId", .string(order)), ("userId", user.map { .string($0.text) })])
    }
  }

  /// The answer.
  public struct Response: Hashable, Sendable {
    /// `fulfilled`, `revoked`, `held`, `unpaid` as WeChat Pay says so far, or `pending` if it says nothing.
    public var verdict: Verdict
    /// The reason, as a stable word.
    public var reason: String?
    /// The order in its current state.
    public var order: OrderBody

    /// An answer about an order, from its state and last verdict.
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

    /// Reads an answer; a verdict that this version does not know becomes `pending`.
    public init(json: JSONValue) throws(JSONFieldError) {
      let fields = try JSONFields(json)
      order = try OrderBody(json: fields.value("order") ?? .null)
      verdict = Verdict(rawValue: try fields.string("verdict")) ?? .pending
      reason = try fields.optionalString("reason")
    }

    /// The answer as sent.
    public var json: JSONValue {
      .members([
        ("verdict", .string(verdict.rawValue)), ("reason", reason.map(JSONValue.string)), ("order", order.json),
      ])
    }
  }
}

/// The parameters for WeChat's OpenSDK for a payment in an app: exactly the nine names that it accepts.
public struct WeChatPayParameters: Hashable, Sendable {
  /// The app's id at WeChat.
  public var appId: String
  /// The merchant's number.
  public var partnerId: String
  /// WeChat Pay's id of the prepared order.
  public var prepayId: String
  /// The constant `Sign=WXPay`.
  public var packageValue: String
  /// The nonce, at most 32 characters.
  public var nonceStr: String
  /// The time in seconds since 1970, ten digits.
  public var timeStamp: Int64
  /// The signature, in Base64.
  public var sign: String
  /// The signature type; absent if WeChat prescribes it.
  public var signType: String?
  /// The order's id.
  public var extData: String?

  /// Parameters with the required fields.
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

  /// The parameters as in an answer.
  public var json: JSONValue {
    .members([
      ("appId", .string(appId)), ("partnerId", .string(partnerId)), ("prepayId", .string(prepayId)),
      ("packageValue", .string(packageValue)), ("nonceStr", .string(nonceStr)),
      ("timeStamp", .integer(timeStamp)), ("sign", .string(sign)),
      ("signType", signType.map(JSONValue.string)), ("extData", extData.map(JSONValue.string)),
    ])
  }
}
