import Counterfoil
import CounterfoilTesting
import CounterfoilWeChat
import Foundation
import PaymentPrimitives
import Synchronization
import TestDoubles

/// WeChat's OpenSDK as a script: over the scripted WeChat of a world, or alone.
final class ScriptedOpenSDK: WeChatOpenSDK {
  struct State: Sendable {
    var isInstalled = true
    var supportsApi = true
    var opens = true
    var acceptsRegistration = true
    var registered: [String] = []
    var sent: [WeChatPayReq] = []
    /// The links that the SDK received, and whether it was registered by then.
    var links: [(link: String, isRegistered: Bool)] = []
  }

  let responses = WeChatResponses()
  let state = Mutex(State())
  private let weChat: ScriptedWeChat?

  init(over weChat: ScriptedWeChat? = nil) { self.weChat = weChat }

  func registerApp(_ appid: String, universalLink: String) -> Bool {
    state.withLock { state in
      state.registered.append("\(appid) \(universalLink)")
      return state.acceptsRegistration
    }
  }

  func isWXAppInstalled() async -> Bool {
    guard let weChat else { return state.withLock { $0.isInstalled } }
    return await weChat.isInstalled()
  }

  func isWXAppSupportApi() async -> Bool { state.withLock { $0.supportsApi } }

  func sendReq(_ values: WeChatPayReq) async -> Bool {
    let opens = state.withLock { state in
      state.sent.append(values)
      return state.opens
    }
    guard opens, let weChat else { return opens }
    do throws(WeChatFailure) {
      try await weChat.open(
        WeChatPayRequest(
          appId: values.openID, partnerId: values.partnerId, prepayId: values.prepayId, packageValue: values.package,
          nonceStr: values.nonceStr, timeStamp: values.timeStamp, sign: values.sign, signType: values.signType,
          extData: values.extData))
      return true
    } catch { return false }
  }

  func handleOpenURL(_ url: URL) -> Bool { handle(url.absoluteString, isOurs: url.scheme == "wx0000000000000001") }
  func handleOpenUniversalLink(_ userActivity: String) -> Bool {
    handle(userActivity, isOurs: userActivity.hasPrefix("https://pay.example.com/app/wx0000000000000001/"))
  }

  /// As in the real SDK: a link of WeChat's that answers a payment calls the delegate, here with the number at its end.
  private func handle(_ link: String, isOurs: Bool) -> Bool {
    state.withLock { $0.links.append((link, !$0.registered.isEmpty)) }
    guard isOurs, let number = link.split(separator: "=").last.flatMap({ Int($0) }) else { return isOurs }
    responses.onResp(isPayResp: true, errCode: number)
    return true
  }

  /// Passes on the responses of the scripted WeChat while the process lives.
  func listen() async {
    guard let weChat else { return }
    for await response in await weChat.responses() {
      responses.onResp(
        isPayResp: response.isPayment, errCode: response.errCode, errStr: response.errStr,
        prepayId: response.prepayId, extData: response.extData)
    }
  }
}

extension ClientWorld {
  /// Starts the app with the shipped adapter between the client and the scripted WeChat.
  @MainActor func launchWithOpenSDK(as user: UserIdentifier? = "anna") {
    let jobs = SharedValue<[@Sendable () async -> Void]>([])
    let sdk = ScriptedOpenSDK(over: weChat)
    let adapter = WeChatPayApp(
      sdk, appId: weChat.appId, universalLink: "https://pay.example.com/app/",
      start: AdapterStart { jobs.value.append($0) })
    makeWeChat = { adapter }
    launch(as: user)
    for job in jobs.value { start(job) }
    start { await sdk.listen() }
  }
}
