import Cryptography
import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// The request with which a channel is told a message.
enum AlertRequest {
  static func make(_ message: AlertMessage, to channel: AlertChannel, at now: Timestamp) -> HTTPRequest {
    let url = channel.url.withBytes { String(decoding: $0, as: UTF8.self) }
    switch channel.kind {
    case .webhook: return webhook(message, to: channel, at: now)
    case .feishu: return HTTPRequest("POST", url, fields: fields, json: feishu(message, channel, at: now))
    case .dingtalk:
      return HTTPRequest(
        "POST", url + signature(forDingTalk: channel, url, at: now), fields: fields,
        json: .members([
          ("msgtype", "markdown"),
          ("markdown", .members([("title", .string(message.title)), ("text", .string(markdown(message, channel)))])),
        ]))
    case .wecom:
      return HTTPRequest(
        "POST", url, fields: fields,
        json: .members([
          ("msgtype", "markdown"), ("markdown", .members([("content", .string(markdown(message, channel)))])),
        ]))
    }
  }

  private static let fields: HTTPFields = ["Content-Type": "application/json", "User-Agent": "Counterfoil"]

  // MARK: The signed webhook

  private static func webhook(_ message: AlertMessage, to channel: AlertChannel, at now: Timestamp) -> HTTPRequest {
    let url = channel.url.withBytes { String(decoding: $0, as: UTF8.self) }
    let body = JSONValue.members([
      ("type", .string(message.news.isEmpty ? "alerts.test" : "alerts")), ("id", .string(message.id)),
      ("at", .string(now.iso8601)), ("title", .string(message.title)),
      ("alerts", .array(zip(message.news, message.blocks).map { json($0, $1) })),
    ]).text
    return WebhookSigning.request(
      body: body, id: message.id, to: url, secrets: channel.secret.map { [$0] } ?? [], at: now)
  }

  private static func json(_ news: AlertNews, _ block: AlertMessage.Block) -> JSONValue {
    .members([
      ("rule", .string(news.key.rule.rawValue)), ("change", .string(news.change.rawValue)),
      ("severity", .string(news.key.rule.severity.rawValue)),
      ("subject", news.key.subject.isEmpty ? nil : .string(news.key.subject)),
      ("value", .number("\(Double(Int64(max(-9e12, min(9e12, news.value)) * 1000)) / 1000)")),
      ("since", .string(news.since.iso8601)), ("endedAt", news.endedAt.map { .string($0.iso8601) }),
      ("headline", .string(block.headline)), ("text", .string(block.text)), ("runbook", .string(block.runbook)),
    ])
  }

  // MARK: Feishu

  /// A rich text: one line for the headline, one for the text, one for the page.
  private static func feishu(_ message: AlertMessage, _ channel: AlertChannel, at now: Timestamp) -> JSONValue {
    let lines = message.blocks.flatMap { block -> [JSONValue] in
      [
        .array([.members([("tag", "text"), ("text", .string(block.headline))])]),
        .array([.members([("tag", "text"), ("text", .string(block.text))])]),
        .array([link(block.runbook, channel)]),
      ]
    }
    let post = JSONValue.members([("title", .string(message.title)), ("content", .array(lines))])
    let name = channel.language == .chinese ? "zh_cn" : "en_us"
    let time = String(now.seconds)
    return .members([
      ("timestamp", channel.secret.map { _ in .string(time) }),
      ("sign", channel.secret.map { .string(sign(forFeishu: $0, time)) }), ("msg_type", "post"),
      ("content", .members([("post", .members([(name, post)]))])),
    ])
  }

  private static func link(_ runbook: String, _ channel: AlertChannel) -> JSONValue {
    guard isAddress(runbook) else {
      return .members([("tag", "text"), ("text", .string(pageWord(channel) + runbook))])
    }
    return .members([
      ("tag", "a"), ("text", .string(pageTitle(channel))), ("href", .string(runbook)),
    ])
  }

  /// Feishu takes time and secret as the key, and signs nothing with it.
  ///
  /// Source: Feishu open platform, "Custom bot usage guide", signature verification.
  private static func sign(forFeishu secret: Secret, _ time: String) -> String {
    let key = Secret(Array((time + "\n").utf8) + secret.withBytes { Array($0) })
    return Base64.encode(HMACSHA256.code(for: [UInt8](), key: key))
  }

  // MARK: DingTalk

  /// DingTalk signs time and secret with the secret. Time and signature stand in the address.
  ///
  /// Source: DingTalk open platform, "Custom robot security settings", signing.
  private static func signature(forDingTalk channel: AlertChannel, _ url: String, at now: Timestamp) -> String {
    guard let secret = channel.secret else { return "" }
    let time = String(now.milliseconds)
    let signed = Array((time + "\n").utf8) + secret.withBytes { Array($0) }
    let code = Base64.encode(HMACSHA256.code(for: signed, key: secret))
    // Of the alphabet of base64 only these three have a meaning in an address.
    let escaped = code.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
    return (url.contains("?") ? "&" : "?") + "timestamp=\(time)&sign=\(escaped)"
  }

  // MARK: Markdown, as DingTalk and WeCom take it

  private static func markdown(_ message: AlertMessage, _ channel: AlertChannel) -> String {
    let blocks = message.blocks.map { block in
      let page =
        isAddress(block.runbook)
        ? "[\(pageTitle(channel))](\(block.runbook))" : pageWord(channel) + block.runbook
      return "**\(block.headline)**\n\n\(block.text)\n\n\(page)"
    }
    return (["### " + message.title] + blocks).joined(separator: "\n\n")
  }

  private static func isAddress(_ text: String) -> Bool { text.hasPrefix("https://") || text.hasPrefix("http://") }

  private static func pageTitle(_ channel: AlertChannel) -> String {
    BilingualText("What to do", "处理办法")[channel.language]
  }

  private static func pageWord(_ channel: AlertChannel) -> String {
    BilingualText("What to do: ", "处理办法：")[channel.language]
  }
}
