/// The WeChat app on this device, through its OpenSDK, which the app brings along. The names are WeChat's.
///
/// What it reports is a hint, never proof: whether something was paid the server asks WeChat Pay itself.
public protocol WeChatApp: Sendable {
  /// The `appId` that the OpenSDK was registered with; an order for another one is not handed over (1A.7).
  var appId: String { get }

  /// Whether WeChat is installed and new enough to pay (`isWXAppInstalled`, `isWXAppSupportApi`).
  func isInstalled() async -> Bool

  /// Opens WeChat for a payment (`sendReq`). It may return at once, late or never: nobody waits for it.
  ///
  /// - Throws: `WeChatFailure` when WeChat was not opened, as far as the OpenSDK knows.
  func open(_ request: WeChatPayRequest) async throws(WeChatFailure)

  /// What WeChat tells the app (`onResp`), by whatever link it came, also one that began this process. One subscriber
  /// at a time. It may come twice, late, or never.
  func responses() async -> AsyncStream<WeChatResponse>
}

/// The nine values of a payment that WeChat is handed (1A.9). They are the server's word: none is made here.
public struct WeChatPayRequest: Hashable, Sendable {
  /// The app at WeChat; under iOS the registered one is used.
  public var appId: String
  /// The merchant's number.
  public var partnerId: String
  /// WeChat Pay's name for the order, good for two hours.
  public var prepayId: String
  /// The constant `Sign=WXPay` (`package` under iOS).
  public var packageValue: String
  /// At most 32 characters.
  public var nonceStr: String
  /// Seconds since 1970, ten digits (a text under Android).
  public var timeStamp: UInt32
  /// The signature, in Base64.
  public var sign: String
  /// How it was signed; absent where WeChat fixes it.
  public var signType: String?
  /// What WeChat may give back with the response; here the order's id. It is lost with the process.
  public var extData: String?

  /// The values of one hand-over.
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
  /// The prepay id alone: the rest is a licence to pay.
  public var description: String { "payment \(prepayId)" }
}

/// What WeChat told the app.
public struct WeChatResponse: Hashable, Sendable {
  /// Whether it answers a payment (`PayResp`); others, of sharing or signing in, are not ours (1A.10).
  public let isPayment: Bool
  /// WeChat's number: 0 done, -1 error, -2 the customer left; -3, -4, -5 of other calls.
  public let errCode: Int
  /// WeChat's own words.
  public let errStr: String?
  /// Under Android the prepay id that it answers; absent under iOS.
  public let prepayId: String?
  /// What the request carried, where it came back.
  public let extData: String?

  /// A response as WeChat made it.
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
  /// For a developer.
  public let explanation: String

  /// A failure.
  public init(errCode: Int? = nil, explanation: String) {
    self.errCode = errCode
    self.explanation = explanation
  }
}
