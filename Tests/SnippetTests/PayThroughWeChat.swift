import Counterfoil
import CounterfoilTesting
import CounterfoilURLSession
import CounterfoilWeChat
import Foundation
import Testing

@MainActor func makePurchasing<OpenSDK: WeChatOpenSDK>(
  _ configuration: PurchasingConfiguration, _ openSDK: OpenSDK, vault: FileVault
) throws -> (Purchasing, WeChatPayApp<OpenSDK>) {
  // snippet: wechat
  let weChat = WeChatPayApp(openSDK, appId: "wx0000000000000001", universalLink: "https://pay.example.com/app/")
  let purchasing = try Purchasing(
    configuration, queue: AbsentStoreQueue(), vault: vault,
    exchange: .urlSession(), dependencies: .ofThisDevice, weChat: weChat)
  // snippet: end
  return (purchasing, weChat)
}

@MainActor func open<OpenSDK: WeChatOpenSDK>(
  _ url: URL, _ weChat: WeChatPayApp<OpenSDK>, purchasing: Purchasing
) async -> Bool {
  // snippet: wechat-links
  let isWeChats = weChat.handleOpenURL(url)
  await purchasing.recover(.link)  // for any link: the customer is back
  // snippet: end
  return isWeChats
}

func pay(_ purchasing: Purchasing) async throws -> PurchaseOutcome {
  // snippet: wechat-purchase
  let outcome = try await purchasing.purchase("coins60", store: .weChatPay)
  // snippet: end
  return outcome
}

@Suite struct `The snippets of WeChat` {
  @Test func `complete a payment in WeChat even if no response arrives`() throws {
    let bench = TestBench()
    bench.weChat.next(.init(pays: .seconds(3), responds: nil))
    try bench.launch(as: "alice")
    let outcome = try bench.run { try await pay($0) }
    #expect(outcome == .fulfilled(bench.server.orders[0].id, recovered: false))
  }
}
