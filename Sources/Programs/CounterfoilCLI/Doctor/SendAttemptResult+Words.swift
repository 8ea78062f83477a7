import AppStoreProtocol
import PaymentPrimitives

extension SendAttemptResult {
  /// The result of Apple's attempt to reach this server, and what to do about it.
  var doctorWords: (cause: BilingualText, remedy: BilingualText) {
    switch self {
    case .success:
      (BilingualText("It arrived.", "已送达。"), BilingualText("Nothing to be done.", "无需处理。"))
    case .timedOut:
      (
        BilingualText("Apple waited in vain for an answer of ours.", "Apple 等待应答超时。"),
        BilingualText(
          "Let a firewall admit Apple's addresses (17.0.0.0/8), and see that nothing between holds the request back.",
          "请在防火墙放行 Apple 的地址段（17.0.0.0/8），并确认中间没有设备拖延请求。")
      )
    case .tlsIssue:
      (
        BilingualText("Apple does not take the TLS of our address.", "Apple 无法与我们的地址建立 TLS。"),
        BilingualText(
          "Serve TLS 1.2 or later with a certificate of a public authority, with its whole chain and for that name.",
          "请使用 TLS 1.2 或更高版本，以及由公共机构签发、证书链完整且域名相符的证书。")
      )
    case .circularRedirect:
      (
        BilingualText("The address sends Apple in circles.", "该地址循环重定向。"),
        BilingualText("Enter the address that answers itself, without a redirect.", "请填写无需重定向的最终地址。")
      )
    case .noResponse, .socketIssue, .prematureClose:
      (
        BilingualText("The connection to our address failed or gave no answer.", "与我们的地址连接失败或无应答。"),
        BilingualText(
          "See that the server runs, that the name leads to it from outside, and that port 443 is open.",
          "请确认服务器正在运行、域名从公网可解析到它，且 443 端口已开放。")
      )
    case .unsupportedCharset, .invalidResponse:
      (
        BilingualText("What answered Apple was not this server.", "应答 Apple 的不是本服务器。"),
        BilingualText(
          "Compare the address at App Store Connect with the server's, and look at the proxy before it.",
          "请核对 App Store Connect 中的地址，并检查前置代理。")
      )
    case .unsuccessfulHTTPResponseCode:
      (
        BilingualText("The address answers, but does not take the notification.", "该地址有应答，但未接受通知。"),
        BilingualText(
          "The path must be /notifications/app-store; if it is, the server's log tells why it refused.",
          "路径应为 /notifications/app-store；若无误，请查看服务器日志中的拒绝原因。")
      )
    case .other:
      (
        BilingualText("Apple could not deliver it.", "Apple 无法送达。"),
        BilingualText(
          "Compare the address at App Store Connect with the server's, and call it from outside.",
          "请核对 App Store Connect 中的地址，并从公网访问测试。")
      )
    }
  }
}
