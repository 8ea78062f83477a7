public import Foundation

/// The used part of WeChat's OpenSDK, under WeChat's own names. The app brings the SDK and declares the conformance in
/// a few lines: see the page "Paying through WeChat".
///
/// Its `Info.plist` names `weixin` and `weixinULAPI` in `LSApplicationQueriesSchemes` (without them WeChat never seems
/// to be installed) and the app id as a URL scheme.
public protocol WeChatOpenSDK: Sendable {
  /// The type that carries a universal link: `NSUserActivity`.
  associatedtype UserActivity

  /// Receives WeChat's responses from the SDK's delegate.
  var responses: WeChatResponses { get }

  /// Registers the app; it must come before any other use of the SDK, links included. False if `Info.plist` lacks an
  /// entry or the universal link is invalid.
  @MainActor func registerApp(_ appid: String, universalLink: String) -> Bool

  /// Whether WeChat is on this device.
  func isWXAppInstalled() async -> Bool

  /// Whether that WeChat is new enough for this SDK.
  func isWXAppSupportApi() async -> Bool

  /// Opens WeChat. True only means that it was opened (1A.12).
  func sendReq(_ values: WeChatPayReq) async -> Bool

  /// Handles a URL that opened the app; false if it is not WeChat's.
  @MainActor func handleOpenURL(_ url: URL) -> Bool

  /// Handles a universal link that opened the app; false if it is not WeChat's.
  @MainActor func handleOpenUniversalLink(_ userActivity: UserActivity) -> Bool
}

/// The fields of WeChat's `PayReq`, by its names. They come from the server, and authorize a payment.
public struct WeChatPayReq: Hashable, Sendable {
  /// The `appId` of the order.
  public let openID: String
  /// The merchant's number.
  public let partnerId: String
  /// WeChat Pay's id for the order.
  public let prepayId: String
  /// The constant `Sign=WXPay`; under Android `packageValue`.
  public let package: String
  /// At most 32 characters.
  public let nonceStr: String
  /// Seconds since 1970, ten digits.
  public let timeStamp: UInt32
  /// The signature, in Base64.
  public let sign: String
  /// The signature type, for Android; iOS has no such field.
  public let signType: String?
  /// The order's id, for Android, which gives it back with the response; iOS has no such field.
  public let extData: String?
}

extension WeChatPayReq: CustomStringConvertible {
  /// Shows only the prepay id: the other values authorize a payment.
  public var description: String { "payment \(prepayId)" }
}
