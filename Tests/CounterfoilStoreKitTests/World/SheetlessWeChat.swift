import CounterfoilWeChat
import Foundation
import Synchronization

/// WeChat's OpenSDK on a phone with fluwx: links and callbacks are fluwx's, and this counts that they stay so.
final class SheetlessWeChat: WeChatOpenSDK {
  typealias UserActivity = NSObject

  let responses = WeChatResponses()
  private let state = Mutex<(registrations: Int, sent: [WeChatPayReq], links: Int)>((0, [], 0))

  var registrations: Int { state.withLock { $0.registrations } }
  var sent: [WeChatPayReq] { state.withLock { $0.sent } }
  /// Links that the plug-in took: fluwx would not hear of them.
  var links: Int { state.withLock { $0.links } }

  @MainActor func registerApp(_ appid: String, universalLink: String) -> Bool {
    state.withLock { $0.registrations += 1 }
    return true
  }

  func isWXAppInstalled() async -> Bool { true }
  func isWXAppSupportApi() async -> Bool { true }

  func sendReq(_ values: WeChatPayReq) async -> Bool {
    state.withLock { $0.sent.append(values) }
    return true
  }

  @MainActor func handleOpenURL(_ url: URL) -> Bool {
    state.withLock { $0.links += 1 }
    return true
  }

  @MainActor func handleOpenUniversalLink(_ userActivity: NSObject) -> Bool {
    state.withLock { $0.links += 1 }
    return true
  }
}
