import HTTPMessages
import WeChatPayProtocol

/// Where a merchant's request goes.
struct MerchantRequestAddress {
  /// Scheme and host.
  let origin: String
  let host: String?
  /// Path with query, exactly as received: the merchant signed it.
  let target: String

  init(of request: HTTPRequest) {
    for scheme in ["https://", "http://"] where request.target.hasPrefix(scheme) {
      let rest = request.target.dropFirst(scheme.count)
      let host = rest.prefix { $0 != "/" && $0 != "?" }
      let target = rest.dropFirst(host.count)
      origin = scheme + host
      self.host = String(host)
      self.target = target.hasPrefix("/") ? String(target) : "/" + target
      return
    }
    host = request.fields["Host"]
    origin = host.map { "http://" + $0 } ?? WeChatPayHost.primary.origin
    target = request.target
  }
}
