import AppStoreProtocol
import PaymentPrimitives

extension SendAttemptResult {
  /// The result of Apple's attempt to reach this server, and what to do about it.
  var doctorWords: (cause: BilingualText, remedy: BilingualText) {
    switch self {
    case .success:
      (BilingualText("It arrived.", "已送达。"), BilingualText("No action is needed.", "无需处理。"))
    case .timedOut:
      (
        BilingualText("Apple waited for our answer and got none.", "Apple 等待应答超时。"),
        BilingualText(
          "Allow Apple's addresses (17.0.0.0/8) in the firewall, and check that nothing in between delays the request.",
          "请在防火墙放行 Apple 的地址段（17.0.0.0/8），并确认中间没有设备拖延请求。")
      )
    case .tlsIssue:
      (
        BilingualText("Apple cannot establish TLS with our address.", "Apple 无法与我们的地址建立 TLS。"),
        BilingualText(
          "Use TLS 1.2 or later and a certificate from a public authority, with its whole chain and for that name.",
          "请使用 TLS 1.2 或更高版本，以及由公共机构签发、证书链完整且域名相符的证书。")
      )
    case .circularRedirect:
      (
        BilingualText("The address redirects Apple in a loop.", "该地址循环重定向。"),
        BilingualText("Enter the address that answers without a redirect.", "请填写无需重定向的最终地址。")
      )
    case .noResponse, .socketIssue, .prematureClose:
      (
        BilingualText("The connection to our address failed or gave no answer.", "与我们的地址连接失败或无应答。"),
        BilingualText(
          "Check that the server runs, that its name resolves to it from outside, and that port 443 is open.",
          "请确认服务器正在运行、域名从公网可解析到它，且 443 端口已开放。")
      )
    case .unsupportedCharset, .invalidResponse:
      (
        BilingualText("Apple got an answer, but not from this server.", "应答 Apple 的不是本服务器。"),
        BilingualText(
          "Compare the address in App Store Connect with the server's, and check the proxy in front of it.",
          "请核对 App Store Connect 中的地址，并检查前置代理。")
      )
    case .unsuccessfulHTTPResponseCode:
      (
        BilingualText("The address answers, but does not accept the notification.", "该地址有应答，但未接受通知。"),
        BilingualText(
          "The path must be /notifications/app-store. If it is, the server's log gives the reason.",
          "路径应为 /notifications/app-store；若无误，请查看服务器日志中的拒绝原因。")
      )
    case .other:
      (
        BilingualText("Apple could not deliver it.", "Apple 无法送达。"),
        BilingualText(
          "Compare the address in App Store Connect with the server's, and call it from outside.",
          "请核对 App Store Connect 中的地址，并从公网访问测试。")
      )
    }
  }
}
