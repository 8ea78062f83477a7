package import HTTPMessages
import PaymentDatabase
import PaymentPrimitives
package import ServerConfiguration

/// Checks the path of requests to the server: whether the proxies in front of it are configured.
package enum ProxyDoctor {
  /// A counter of a running server: requests that named their client in a header, which the server ignored as
  /// untrusted.
  private static let counter = "counterfoil_forwarded_unheeded_total"

  /// The finding for the configuration, and for the server that runs on this machine, if any.
  package static func finding(
    _ configuration: ServerConfiguration, _ exchange: @Sendable () throws -> HTTPExchange
  ) async -> DoctorFinding {
    let listen = configuration.listen
    guard configuration.profile == .production else {
      return .notApplicable("proxy", BilingualText("The profile is simulated.", "当前为模拟环境。"))
    }
    if let exchange = try? exchange(), let count = await unheeded(listen, exchange), count > 0 {
      return .warned(
        "proxy",
        BilingualText(
          "\(count) requests since the server's start named their client and were not trusted.",
          "自服务器启动以来，有 \(count) 个请求声明了客户端地址但未被采信。"),
        remedy: BilingualText(
          "The log names the sender (forwarded.untrusted, forwarded.otherField): list your proxy in trusted_proxies, "
            + "and set forwarded_header to the field that it writes.",
          "日志事件 forwarded.untrusted 与 forwarded.otherField 会指明来源：请将代理加入 trusted_proxies，"
            + "并用 forwarded_header 指定其写入的请求头。"))
    }
    let proxies = listen.trustedProxies
    let isInside = NetworkAddress(listen.address)?.isLoopback == true && listen.certificate == nil
    guard !proxies.blocks.isEmpty || !isInside else {
      return .warned(
        "proxy",
        BilingualText(
          "The server listens on this machine alone, so a proxy stands in front, and none is trusted: all its callers "
            + "count as one, and WeChat Pay refuses H5 orders without the payer's address.",
          "服务器仅监听本机，前面应有代理，但未信任任何代理：经代理的所有调用方会被视为同一个，微信支付也会因缺少付款人地址而拒绝 H5 订单。"),
        remedy: BilingualText(
          "Set trusted_proxies = [\"127.0.0.1\", \"::1\"].", "请设置 trusted_proxies = [\"127.0.0.1\", \"::1\"]。"))
    }
    guard !proxies.blocks.isEmpty else {
      return .passed(
        "proxy",
        BilingualText("No proxy is trusted: the connecting address is the caller.", "未信任任何代理：直接连接的地址即为调用方。"))
    }
    let blocks = proxies.blocks.map(\.description).joined(separator: " ")
    let header = proxies.header.rawValue
    return .passed(
      "proxy",
      BilingualText("\(blocks) name their clients in \(header).", "代理 \(blocks) 通过 \(header) 指明客户端。"))
  }

  private static func unheeded(_ listen: ListenSettings, _ exchange: HTTPExchange) async -> Int64? {
    guard listen.certificate == nil else { return nil }
    let host = listen.address == "0.0.0.0" || listen.address == "::" ? "127.0.0.1" : listen.address
    let origin = "http://\(host.utf8.contains(0x3A) ? "[\(host)]" : host):\(listen.port)"
    guard let response = try? await exchange.send(HTTPRequest("GET", origin + "/metrics"), .seconds(5)),
      response.status == 200
    else { return nil }
    let lines = String(decoding: response.body, as: UTF8.self).split(separator: "\n")
    return lines.first { $0.hasPrefix(counter + " ") }
      .flatMap { Int64($0.dropFirst(counter.count + 1)) } ?? 0
  }
}
