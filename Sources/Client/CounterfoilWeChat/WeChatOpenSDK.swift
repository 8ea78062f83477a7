public import Foundation

/// What is used of WeChat's OpenSDK, under WeChat's own names. The app brings the SDK and says in a few lines that it
/// is one: they stand on the page "Paying through WeChat".
///
/// Its `Info.plist` names `weixin` and `weixinULAPI` in `LSApplicationQueriesSchemes` (without them WeChat never seems
/// to be installed) and the app id as a URL scheme.
public protocol WeChatOpenSDK: Sendable {
  /// What carries a universal link: `NSUserActivity`.
  associatedtype UserActivity

  /// Where its delegate puts what WeChat says.
  var responses: WeChatResponses { get }

  /// Registers the app: before anything else is asked of the SDK, links included. False when `Info.plist` lacks
  /// something or the universal link is not one.
  @MainActor func registerApp(_ appid: String, universalLink: String) -> Bool

  /// Whether WeChat is on this device.
  func isWXAppInstalled() async -> Bool

  /// Whether that WeChat is new enough for this SDK.
  func isWXAppSupportApi() async -> Bool

  /// Opens WeChat. True means that it was opened, and nothing more (1A.12).
  func sendReq(_ values: WeChatPayReq) async -> Bool

  /// Takes a URL that the app was opened with; false when it is not WeChat's.
  @MainActor func handleOpenURL(_ url: URL) -> Bool

  /// Takes a universal link that the app was opened with; false when it is not WeChat's.
  @MainActor func handleOpenUniversalLink(_ userActivity: UserActivity) -> Bool
}

/// The fields of WeChat's `PayReq`, by its names. They are the server's word, and a licence to pay.
public struct WeChatPayReq: Hashable, Sendable {
  /// The `appId` of the order.
  public let openID: String
  /// The merchant's number.
  public let partnerId: String
  /// WeChat Pay's name for the order.
  public let prepayId: String
  /// The constant `Sign=WXPay`; under Android `packageValue`.
  public let package: String
  /// At most 32 characters.
  public let nonceStr: String
  /// Seconds since 1970, ten digits.
  public let timeStamp: UInt32
  /// The signature, in Base64.
  public let sign: String
  /// How it was signed, for Android; iOS has no such field.
  public let signType: String?
  /// The order's id, for Android, which gives it back with the response; iOS has no such field.
  public let extData: String?
}

extension WeChatPayReq: CustomStringConvertible {
  /// The prepay id alone: the rest is a licence to pay.
  public var description: String { "payment \(prepayId)" }
}
