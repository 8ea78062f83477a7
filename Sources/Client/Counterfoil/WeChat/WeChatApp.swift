/// The WeChat app on this device, through the OpenSDK that the app includes. The names are WeChat's.
///
/// Its reports are hints, never proof: the server asks WeChat Pay itself whether something was paid.
public protocol WeChatApp: Sendable {
  /// The `appId` that the OpenSDK was registered with; an order for another one is not passed to WeChat (1A.7).
  var appId: String { get }

  /// Whether WeChat is installed and new enough to pay (`isWXAppInstalled`, `isWXAppSupportApi`).
  func isInstalled() async -> Bool

  /// Opens WeChat for a payment (`sendReq`). It may return at once, late or never: nothing waits for it.
  ///
  /// - Throws: `WeChatFailure` if WeChat was not opened, as far as the OpenSDK knows.
  func open(_ request: WeChatPayRequest) async throws(WeChatFailure)

  /// The responses of WeChat (`onResp`), however they reach the app, including one that launched this process. One
  /// subscriber at a time. A response may come twice, late, or never.
  func responses() async -> AsyncStream<WeChatResponse>
}

/// The nine values of a payment that WeChat receives (1A.9). All come from the server: the client makes none.
public struct WeChatPayRequest: Hashable, Sendable {
  /// The app at WeChat; under iOS the registered one is used.
  public var appId: String
  /// The merchant's number.
  public var partnerId: String
  /// WeChat Pay's id for the order, valid for two hours.
  public var prepayId: String
  /// The constant `Sign=WXPay` (`package` under iOS).
  public var packageValue: String
  /// At most 32 characters.
  public var nonceStr: String
  /// Seconds since 1970, ten digits (a text under Android).
  public var timeStamp: UInt32
  /// The signature, in Base64.
  public var sign: String
  /// The signature type; absent where WeChat fixes it.
  public var signType: String?
  /// A value that WeChat may return with the response; here the order's id. It is lost with the process.
  public var extData: String?

  /// The values of one payment.
  public init(
    appId: String, partnerId: String, prepayId: String, packageValue: String, nonceStr: String,
    timeStamp: UInt32, sign: String, signType: String? = nil, extData: String? = nil
  ) {
    self.appId = appId
    self.partnerId = partnerId
    self.prepayId = prepayId
    self.packageValue = packageValue
    self.nonceStr = nonceStr
    self.timeStamp = timeStamp
    self.sign = sign
    self.signType = signType
    self.extData = extData
  }
}

extension WeChatPayRequest: CustomStringConvertible {
  /// Shows only the prepay id: the other values authorize a payment.
  public var description: String { "payment \(prepayId)" }
}

/// A response of WeChat to the app.
public struct WeChatResponse: Hashable, Sendable {
  /// Whether it answers a payment (`PayResp`); responses about sharing or signing in are ignored (1A.10).
  public let isPayment: Bool
  /// WeChat's number: 0 done, -1 error, -2 the customer left; -3, -4, -5 belong to other calls.
  public let errCode: Int
  /// WeChat's own text.
  public let errStr: String?
  /// The prepay id that it answers, under Android; absent under iOS.
  public let prepayId: String?
  /// The request's value, if it came back.
  public let extData: String?

  /// A response as WeChat sent it.
  public init(
    isPayment: Bool = true, errCode: Int, errStr: String? = nil, prepayId: String? = nil,
    extData: String? = nil
  ) {
    self.isPayment = isPayment
    self.errCode = errCode
    self.errStr = errStr
    self.prepayId = prepayId
    self.extData = extData
  }
}

/// Why WeChat was not opened.
public struct WeChatFailure: Error, Hashable, Sendable {
  /// WeChat's number, where it gave one.
  public let errCode: Int?
  /// The explanation, for a developer.
  public let explanation: String

  /// A failure to open WeChat.
  public init(errCode: Int? = nil, explanation: String) {
    self.errCode = errCode
    self.explanation = explanation
  }
}
