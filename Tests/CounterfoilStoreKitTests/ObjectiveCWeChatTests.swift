import CounterfoilStoreKit
import CounterfoilURLSession
import CounterfoilWeChat
import Foundation
import PaymentPrimitives
import StoreKit
import Synchronization
import Testing

/// WeChat's OpenSDK in an app in Objective-C: `Examples/ObjectiveCShop/WeChatBridge.m`.
private final class BridgedWeChat: ObjectiveCWeChatSDK {
  private let state = Mutex<(registrations: Int, sent: [String], links: Int)>((0, [], 0))
  nonisolated var registrations: Int { state.withLock { $0.registrations } }
  nonisolated var sent: [String] { state.withLock { $0.sent } }
  nonisolated var links: Int { state.withLock { $0.links } }

  func registerApp(_ appId: String, universalLink: String) -> Bool {
    state.withLock { $0.registrations += 1 }
    return true
  }
  func isWXAppInstalled() -> Bool { true }
  func isWXAppSupportApi() -> Bool { true }
  func sendPayment(_ payment: ObjectiveCWeChatPayment, completion: @escaping @Sendable (Bool) -> Void) {
    state.withLock {
      $0.sent.append(
        [
          payment.openID, payment.partnerId, payment.prepayId, payment.package, payment.nonceStr,
          "\(payment.timeStamp)", payment.sign,
        ].joined(separator: " "))
    }
    completion(true)
  }
  func handleOpenURL(_ url: URL) -> Bool {
    state.withLock { $0.links += 1 }
    return url.scheme == "wx0000000000000001"
  }
  func handleOpenUniversalLink(_ userActivity: NSUserActivity) -> Bool {
    state.withLock { $0.links += 1 }
    return true
  }
}

/// Physical goods through WeChat Pay in an app in Objective-C. WeChat's adapter runs on the real main thread, so these
/// run in real time; the eight lost callbacks of that adapter are tested in `CounterfoilTests`.
@Suite struct `The face for Objective-C beside WeChat` {
  private func app(_ sdk: BridgedWeChat, in world: ClientFixture) async throws -> (ObjectiveCApp, ObjectiveCWeChat) {
    let weChat = await ObjectiveCWeChat(
      sdk: sdk, appId: "wx0000000000000001", universalLink: "https://pay.example.com/app/", hasConsent: false)
    let app = ObjectiveCApp(try world.phone(.storeKit2), in: world)
    (app.weChat, app.exchange) = (weChat, WeChatShop.exchange { !sdk.sent.isEmpty })
    try app.launch(as: "alice")
    return (app, weChat)
  }

  private func pause() async throws { try await Dependencies.ofThisDevice.sleep(.milliseconds(5)) }

  @Test(.timeLimit(.minutes(1)))
  func `touches WeChat only after the consent, and takes none of its links before (1A.6, 1A.13)`() async throws {
    let (world, sdk) = (try ClientFixture(), BridgedWeChat())
    let (app, weChat) = try await app(sdk, in: world)
    let early = app.tap("coins.100", store: "weChatPay")
    while early.value == nil { try await pause() }
    #expect(early.value?.state == .failed && early.value?.refusal?.code.hasPrefix("client_wechat_") == true)
    #expect(sdk.registrations == 0 && sdk.sent.isEmpty)
    for _ in 0..<2 { await weChat.customerHasConsented() }
    #expect(sdk.registrations == 1)
    #expect(await weChat.handleOpenURL(try #require(URL(string: "wx0000000000000001://pay"))))
    #expect(await !weChat.handleOpenURL(try #require(URL(string: "shop://home"))))
    #expect(await weChat.handleOpenUniversalLink(NSUserActivity()))
    #expect(sdk.links == 3)
    app.kill()
  }

  @Test(.timeLimit(.minutes(1)))
  func `hands over the signed values, ends the wait with the response, and believes the server alone (1A.3, 1A.12)`()
    async throws
  {
    let (world, sdk) = (try ClientFixture(), BridgedWeChat())
    let (app, weChat) = try await app(sdk, in: world)
    await weChat.customerHasConsented()
    let tap = app.tap("coins.100", store: "weChatPay")
    while sdk.sent.isEmpty { try await pause() }
    #expect(sdk.sent == ["wx0000000000000001 1900000001 wx000001 Sign=WXPay n 1795660777 c2ln"])
    await weChat.paymentEnded(code: -2, message: nil)
    while tap.value == nil { try await pause() }
    #expect(tap.value?.state == .fulfilled, "WeChat says cancelled, and the server says paid (X20)")
    #expect(app.posted.names.contains("openedWeChat") && app.posted.names.contains("orderGranted"))
    app.kill()
  }
}
