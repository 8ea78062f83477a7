#if canImport(StoreKit)
  package import Counterfoil
  import CounterfoilWeChat
  public import Foundation
  #if !canImport(ObjectiveC)
    public import StoreKit  // The stand-in of it has `NSUserActivity`; that of UIKit would bring another main actor.
  #endif

  /// The used part of WeChat's OpenSDK, for Objective-C. The app implements it in a few lines over `WXApi`.
  #if canImport(ObjectiveC)
    @objc(CFLWeChatSDK)
  #endif
  @MainActor public protocol ObjectiveCWeChatSDK: Sendable {
    /// `[WXApi registerApp:universalLink:]`.
    func registerApp(_ appId: String, universalLink: String) -> Bool
    /// `[WXApi isWXAppInstalled]`.
    func isWXAppInstalled() -> Bool
    /// `[WXApi isWXAppSupportApi]`.
    func isWXAppSupportApi() -> Bool
    /// `[WXApi sendReq:completion:]` with a `PayReq` of these values.
    func sendPayment(_ payment: ObjectiveCWeChatPayment, completion: @escaping @Sendable (Bool) -> Void)
    /// `[WXApi handleOpenURL:delegate:]`.
    func handleOpenURL(_ url: URL) -> Bool
    /// `[WXApi handleOpenUniversalLink:delegate:]`.
    func handleOpenUniversalLink(_ userActivity: NSUserActivity) -> Bool
  }

  /// The values of a `PayReq`, which authorize a payment.
  #if canImport(ObjectiveC)
    @objc(CFLWeChatPayment) @objcMembers
  #endif
  public final class ObjectiveCWeChatPayment: NSObject, Sendable {
    /// The `appId` of the order.
    public let openID: String
    /// The merchant's number.
    public let partnerId: String
    /// WeChat Pay's id for the order.
    public let prepayId: String
    /// The constant `Sign=WXPay`.
    public let package: String
    /// At most 32 characters.
    public let nonceStr: String
    /// Seconds since 1970.
    public let timeStamp: UInt32
    /// The signature, in Base64.
    public let sign: String

    init(_ values: WeChatPayReq) {
      openID = values.openID
      partnerId = values.partnerId
      prepayId = values.prepayId
      package = values.package
      nonceStr = values.nonceStr
      timeStamp = values.timeStamp
      sign = values.sign
    }
  }

  /// WeChat on this device, for Objective-C. Make one at launch, forward each link to it, and give it to the client.
  #if canImport(ObjectiveC)
    @objc(CFLWeChat) @objcMembers
  #endif
  @MainActor public final class ObjectiveCWeChat: NSObject {
    let app: WeChatPayApp<ObjectiveCBridge>
    private let responses = WeChatResponses()

    /// - Parameters:
    ///   - sdk: the app's implementation over the OpenSDK.
    ///   - appId: the app at WeChat.
    ///   - universalLink: as registered at WeChat's open platform, with `/` at its end.
    ///   - hasConsent: whether the customer has agreed to the privacy policy; otherwise call `customerHasConsented`
    ///     later. The OpenSDK is not touched before.
    public convenience init(sdk: any ObjectiveCWeChatSDK, appId: String, universalLink: String, hasConsent: Bool) {
      self.init(sdk: sdk, appId: appId, universalLink: universalLink, hasConsent: hasConsent, start: .asTask)
    }

    package init(
      sdk: any ObjectiveCWeChatSDK, appId: String, universalLink: String, hasConsent: Bool, start: AdapterStart
    ) {
      app = WeChatPayApp(
        ObjectiveCBridge(sdk: sdk, responses: responses), appId: appId, universalLink: universalLink,
        registering: hasConsent ? .atOnce : .afterConsent, start: start)
    }

    /// Registers the app at WeChat, once the customer has agreed to the privacy policy. A second call does nothing.
    public func customerHasConsented() { app.customerHasConsented() }

    /// Forwards a URL that opened the app. Returns whether it is WeChat's.
    public func handleOpenURL(_ url: URL) -> Bool { app.handleOpenURL(url) }

    /// Forwards a universal link that opened the app. Returns whether it is WeChat's.
    public func handleOpenUniversalLink(_ userActivity: NSUserActivity) -> Bool {
      app.handleOpenUniversalLink(userActivity)
    }

    /// Takes a response from the delegate of the OpenSDK (`onResp:`). Call it for `PayResp` alone.
    public func paymentEnded(code: Int, message: String?) {
      responses.onResp(isPayResp: true, errCode: code, errStr: message)
    }
  }

  struct ObjectiveCBridge: WeChatOpenSDK {
    let sdk: any ObjectiveCWeChatSDK
    let responses: WeChatResponses

    @MainActor func registerApp(_ appid: String, universalLink: String) -> Bool {
      sdk.registerApp(appid, universalLink: universalLink)
    }
    @MainActor func isWXAppInstalled() -> Bool { sdk.isWXAppInstalled() }
    @MainActor func isWXAppSupportApi() -> Bool { sdk.isWXAppSupportApi() }
    @MainActor func sendReq(_ values: WeChatPayReq) async -> Bool {
      await withCheckedContinuation { continuation in
        sdk.sendPayment(ObjectiveCWeChatPayment(values)) { continuation.resume(returning: $0) }
      }
    }
    @MainActor func handleOpenURL(_ url: URL) -> Bool { sdk.handleOpenURL(url) }
    @MainActor func handleOpenUniversalLink(_ userActivity: NSUserActivity) -> Bool {
      sdk.handleOpenUniversalLink(userActivity)
    }
  }
#endif
