import Foundation

// WeChat's OpenSDK 2.0.4 as Swift sees its headers: they do not state on which actor they are called.

class BaseReq: NSObject {
  var openID = ""
}

class BaseResp: NSObject {
  var errCode: Int32 = 0
  var errStr = ""
}

final class PayReq: BaseReq {
  var partnerId = ""
  var prepayId = ""
  var nonceStr = ""
  var timeStamp: UInt32 = 0
  var package = ""
  var sign = ""
}

final class PayResp: BaseResp {}

protocol WXApiDelegate: NSObjectProtocol {
  func onResp(_ resp: BaseResp)
}

final class NSUserActivity: NSObject {}

/// Answers each link at once, as WeChat does when the customer comes back.
final class WXApi: NSObject {
  static func registerApp(_ appid: String, universalLink: String) -> Bool { !appid.isEmpty && !universalLink.isEmpty }
  static func isWXAppInstalled() -> Bool { true }
  static func isWXAppSupport() -> Bool { true }
  static func send(_ req: BaseReq) async -> Bool { req is PayReq }
  static func handleOpen(_ url: URL, delegate: (any WXApiDelegate)?) -> Bool {
    let response = PayResp()
    response.errCode = -2
    delegate?.onResp(response)
    return delegate != nil
  }
  static func handleOpenUniversalLink(_ userActivity: NSUserActivity, delegate: (any WXApiDelegate)?) -> Bool {
    delegate != nil
  }
}
