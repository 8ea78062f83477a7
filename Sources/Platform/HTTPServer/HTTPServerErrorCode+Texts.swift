package import PaymentPrimitives

extension HTTPServerErrorCode {
  package var meaning: BilingualText {
    switch self {
    case .malformed: .init("The request is not well-formed HTTP/1.1.", "请求不是格式正确的 HTTP/1.1。")
    case .hostNotOne:
      .init("The request does not have exactly one valid Host field.", "请求没有恰好一个有效的 Host 头。")
    case .framingAmbiguous:
      .init("The length of the body is stated in an ambiguous way.", "请求体的长度声明有歧义。")
    case .targetNotAccepted:
      .init("The request target is not a path with an optional query.", "请求目标不是“路径加可选查询”的形式。")
    case .chunkMalformed: .init("A chunk of the body is malformed.", "请求体的分块格式错误。")
    case .incomplete:
      .init("The connection ended in the middle of the request.", "请求尚未发完，连接就已结束。")
    case .tooSlow: .init("The request did not arrive in time.", "请求未在时限内到达。")
    case .bodyTooLarge: .init("The body is larger than this route accepts.", "请求体超过该路由允许的大小。")
    case .targetTooLong: .init("The request target is too long.", "请求目标过长。")
    case .expectationUnknown:
      .init("The expectation of the request cannot be met.", "无法满足请求的 Expect。")
    case .headTooLarge: .init("The request head is too large.", "请求头过大。")
    case .methodUnknown: .init("This server does not support that method.", "本服务器不支持该请求方法。")
    case .transferCodingUnknown:
      .init("This server supports only the transfer coding chunked.", "本服务器只支持 chunked 传输编码。")
    case .versionUnsupported:
      .init("This server supports only HTTP/1.1 and HTTP/1.0.", "本服务器只支持 HTTP/1.1 与 HTTP/1.0。")
    case .busy: .init("The server has no capacity for this request now.", "服务器当前没有余力处理该请求。")
    case .tooManyConnections:
      .init("Your address has the maximum number of connections.", "来自该地址的连接数已达上限。")
    case .answerInvalid: .init("The server's answer could not be sent.", "服务器的应答无法发送。")
    case .addressUnavailable:
      .init("The server cannot listen on this address.", "服务器无法监听该地址。")
    case .certificateUnusable:
      .init("The TLS certificate or its key cannot be used.", "TLS 证书或其私钥无法使用。")
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .malformed, .chunkMalformed:
      .init(
        "Send it with an HTTP library. If there is a proxy, check it first.",
        "请使用 HTTP 库发送；若中间有代理，请先检查代理。")
    case .hostNotOne:
      .init("Send one Host field that names this server.", "请发送一个指明本服务器的 Host 头。")
    case .framingAmbiguous:
      .init(
        "Send either one Content-Length or Transfer-Encoding: chunked, never both or twice.",
        "请只发送一个 Content-Length，或只发送 Transfer-Encoding: chunked，不可同时或重复。")
    case .targetNotAccepted:
      .init("Request a path such as /v1/orders.", "请请求形如 /v1/orders 的路径。")
    case .incomplete, .tooSlow:
      .init(
        "Send the request again; every request of this API may be repeated.",
        "请重新发送请求；本 API 的所有请求都可以重复。")
    case .bodyTooLarge:
      .init("Send less: the API's description states the limit of each route.", "请减小请求体；各路由的上限见 API 说明。")
    case .targetTooLong:
      .init("Shorten the query, or page through the results.", "请缩短查询参数，或分页读取。")
    case .expectationUnknown:
      .init("Omit Expect, or send 100-continue.", "请去掉 Expect 头，或发送 100-continue。")
    case .headTooLarge:
      .init("Send fewer and shorter fields, cookies above all.", "请减少并缩短请求头，尤其是 Cookie。")
    case .methodUnknown: .init("Use the method in the API's description.", "请使用 API 说明中的方法。")
    case .transferCodingUnknown:
      .init("Send the body with Content-Length or plain chunked.", "请用 Content-Length 或 chunked 发送请求体。")
    case .versionUnsupported:
      .init("Use HTTP/1.1, or put a proxy in front for HTTP/2.", "请使用 HTTP/1.1；如需 HTTP/2，请在前面放置代理。")
    case .busy:
      .init("Retry after a moment. If it continues, raise the server's limits.", "请稍后重试；若持续出现，请提高服务器的上限。")
    case .tooManyConnections:
      .init(
        "Close connections, or reuse them. A proxy must be listed in `trusted_proxies`.",
        "请关闭部分连接，或复用连接。若为代理，请将其加入 `trusted_proxies`。")
    case .answerInvalid:
      .init("Report this as a bug, with the requestId.", "请附上 requestId 报告此缺陷。")
    case .addressUnavailable:
      .init(
        "Choose a free port and an address of this machine, and check what listens there now.",
        "请选择空闲端口和本机地址，并检查当前占用者。")
    case .certificateUnusable:
      .init(
        "Name a PEM file with the chain, leaf first, and one with its key, readable and without a password.",
        "请指定 PEM 证书链文件（叶证书在前）及其私钥文件，二者须可读且私钥无密码。")
    }
  }
}
