import Counterfoil
import CounterfoilWeChat
import Foundation
import Testing

// snippet: open-sdk
@MainActor final class OpenSDK: NSObject, WeChatOpenSDK, WXApiDelegate {
  nonisolated let responses = WeChatResponses()

  func registerApp(_ appid: String, universalLink: String) -> Bool {
    WXApi.registerApp(appid, universalLink: universalLink)
  }
  func isWXAppInstalled() -> Bool { WXApi.isWXAppInstalled() }
  func isWXAppSupportApi() -> Bool { WXApi.isWXAppSupport() }
  func sendReq(_ values: WeChatPayReq) async -> Bool {
    let req = PayReq()
    (req.openID, req.partnerId, req.prepayId) = (values.openID, values.partnerId, values.prepayId)
    (req.package, req.nonceStr) = (values.package, values.nonceStr)
    (req.timeStamp, req.sign) = (values.timeStamp, values.sign)
    return await WXApi.send(req)
  }
  func handleOpenURL(_ url: URL) -> Bool { WXApi.handleOpen(url, delegate: self) }
  func handleOpenUniversalLink(_ userActivity: NSUserActivity) -> Bool {
    WXApi.handleOpenUniversalLink(userActivity, delegate: self)
  }

  // The delegate of WeChat's header belongs to no actor.
  nonisolated func onResp(_ resp: BaseResp) {
    responses.onResp(isPayResp: resp is PayResp, errCode: Int(resp.errCode), errStr: resp.errStr)
  }
}
// snippet: end

@Suite struct `The snippet of WeChat's SDK` {
  @MainActor @Test func `passes a link to WeChat, and returns its response`() async throws {
    let sdk = OpenSDK()
    let weChat = WeChatPayApp(sdk, appId: "wx0000000000000001", universalLink: "https://pay.example.com/app/")
    #expect(weChat.handleOpenURL(try #require(URL(string: "wx0000000000000001://pay"))))
    var heard = await weChat.responses().makeAsyncIterator()
    #expect(await heard.next()?.errCode == -2)
  }
}
