public import Counterfoil
public import Foundation

/// WeChat on this device, through the OpenSDK that the app includes.
///
///     // application(_:didFinishLaunchingWithOptions:)
///     let weChat = WeChatPayApp(OpenSDK(), appId: "wx…", universalLink: "https://pay.example.com/app/")
///     let purchasing = try Purchasing(…, weChat: weChat)
///
/// Make one, at the launch of the app: it registers at once, so that the link that began this process finds a
/// registered SDK. Then forward each link to `handleOpenURL(_:)` or `handleOpenUniversalLink(_:)`. Links come from the
/// app delegate, from the scene delegate (also from the options with which a scene connects) or from `onOpenURL`. A
/// link that is not forwarded is the most common reason for a lost callback. In either case the server decides what
/// was paid.
///
/// Before the customer has agreed to the privacy policy, make it with `registering: .afterConsent`, and call
/// `customerHasConsented()` then. Until that call nothing of the SDK is used, as app stores demand.
public actor WeChatPayApp<SDK: WeChatOpenSDK>: WeChatApp {
  /// The `appId` that the OpenSDK was registered with.
  public nonisolated let appId: String
  private let sdk: SDK
  private let registration: WeChatRegistration
  private let start: AdapterStart
  /// What the SDK answered to the registration; nil before it was asked.
  private var isRegistered: Bool?
  private var listener: AsyncStream<WeChatResponse>.Continuation?
  /// Responses that came without a listener.
  private var waiting: [WeChatResponse] = []
  private var hasEnded = false

  /// Registers the app with WeChat and listens from now on.
  ///
  /// - Parameters:
  ///   - sdk: the OpenSDK that the app includes.
  ///   - appId: the app at WeChat; orders for another one open nothing.
  ///   - universalLink: as registered at WeChat's open platform, with `/` at its end.
  ///   - moment: when the app is registered.
  ///   - start: starts the listener.
  @MainActor public init(
    _ sdk: SDK, appId: String, universalLink: String, registering moment: WeChatRegistrationMoment = .atOnce,
    start: AdapterStart = .asTask
  ) {
    self.sdk = sdk
    self.appId = appId
    self.start = start
    registration = WeChatRegistration { sdk.registerApp(appId, universalLink: universalLink) }
    isRegistered = moment == .atOnce ? registration.register() : nil
    let responses = sdk.responses
    start.start { for await response in responses.stream { await self.take(response) } }
  }

  /// Registers the app at WeChat, now that the customer has agreed to the privacy policy. A second call does nothing.
  @MainActor public func customerHasConsented() {
    let isRegistered = registration.register()
    start.start { await self.noteRegistration(isRegistered) }
  }

  private func noteRegistration(_ isRegistered: Bool) { self.isRegistered = isRegistered }

  // MARK: paying

  /// Whether WeChat is installed and new enough to pay. Before the customer's consent it is true: the SDK is not asked.
  public func isInstalled() async -> Bool {
    guard isRegistered != nil else { return true }
    guard await sdk.isWXAppInstalled() else { return false }
    return await sdk.isWXAppSupportApi()
  }

  /// Opens WeChat. It does not open for another app id (1A.7), or if WeChat is missing (1A.6).
  ///
  /// - Throws: `WeChatFailure`; it never says whether something was paid.
  public func open(_ request: WeChatPayRequest) async throws(WeChatFailure) {
    guard request.appId == appId else {
      throw WeChatFailure(explanation: "The order is for \(request.appId), this app is \(appId).")
    }
    guard let isRegistered else {
      throw WeChatFailure(explanation: "The customer has not consented: call customerHasConsented() first.")
    }
    guard isRegistered else {
      throw WeChatFailure(
        explanation: "registerApp returned false: look at LSApplicationQueriesSchemes, the URL scheme and the link.")
    }
    guard await isInstalled() else { throw WeChatFailure(explanation: "WeChat is not installed, or too old.") }
    guard await sdk.sendReq(WeChatPayReq(request)) else {
      throw WeChatFailure(explanation: "sendReq reported that WeChat was not opened.")
    }
  }

  // MARK: responses

  /// WeChat's responses from now on, and those that came without a listener. A new subscriber replaces the previous
  /// one and ends its stream: each response is delivered once (1A.8).
  public func responses() async -> AsyncStream<WeChatResponse> {
    let (stream, continuation) = AsyncStream.makeStream(of: WeChatResponse.self)
    listener?.finish()
    (listener, hasEnded) = (continuation, false)
    for response in waiting { continuation.yield(response) }
    waiting = []
    return stream
  }

  /// Stops listening; WeChat's responses are then dropped until a new subscription (1A.13). Call it after
  /// `Purchasing.stop()`: a running client subscribes again. Nothing is lost, because the server is asked at the next
  /// start.
  public func endListening() {
    listener?.finish()
    (listener, waiting, hasEnded) = (nil, [], true)
  }

  private func take(_ response: WeChatResponse) {
    guard !hasEnded else { return }
    if let listener, case .enqueued = listener.yield(response) { return }
    listener = nil
    waiting = waiting.suffix(WeChatResponses.untakenMax - 1) + [response]
  }

  // MARK: links

  /// Forwards a URL that opened the app.
  ///
  /// - Returns: whether it is WeChat's.
  @MainActor public func handleOpenURL(_ url: URL) -> Bool {
    registration.isDone && sdk.handleOpenURL(url)
  }

  /// Forwards a universal link that opened the app.
  ///
  /// - Returns: whether it is WeChat's.
  @MainActor public func handleOpenUniversalLink(_ userActivity: SDK.UserActivity) -> Bool {
    registration.isDone && sdk.handleOpenUniversalLink(userActivity)
  }
}

/// When an app registers at WeChat.
public enum WeChatRegistrationMoment: Hashable, Sendable {
  /// When the adapter is made.
  case atOnce
  /// When the app calls `customerHasConsented()`.
  case afterConsent
}

/// Registers once.
@MainActor private final class WeChatRegistration {
  private let work: @MainActor () -> Bool
  private var answer: Bool?

  var isDone: Bool { answer != nil }

  init(_ work: @escaping @MainActor () -> Bool) { self.work = work }

  func register() -> Bool {
    if let answer { return answer }
    let answer = work()
    self.answer = answer
    return answer
  }
}

extension WeChatPayReq {
  /// The server's nine values under the names of `PayReq`.
  init(_ request: WeChatPayRequest) {
    self.init(
      openID: request.appId, partnerId: request.partnerId, prepayId: request.prepayId,
      package: request.packageValue, nonceStr: request.nonceStr, timeStamp: request.timeStamp, sign: request.sign,
      signType: request.signType, extData: request.extData)
  }
}
