import Cryptography
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Synchronization
import Testing

@Suite struct `The command alerts test` {
  private static let toml = """
    profile = "simulated"
    [[alerts]]
    name = "on-call"
    kind = "feishu"
    url = { file = "feishu.url" }
    secret = { file = "feishu.secret" }
    language = "zh-CN"
    [[alerts]]
    name = "office"
    kind = "wecom"
    url = { file = "wecom.url" }
    [[app]]
    id = "game"
    bundle_id = "org.shop.game"
    [[app.product]]
    id = "coins"
    kind = "consumable"
    app_store_product_ids = ["org.shop.game.coins"]
    units = { unit = "coin", amount = 1 }

    """
  private static let files = [
    "feishu.url": Array("https://open.feishu.cn/open-apis/bot/v2/hook/0f0f0f0f0f0f0f0f".utf8),
    "feishu.secret": Array("feishu-secret".utf8),
    "wecom.url": Array("https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=1e1e1e1e1e1e1e1e".utf8),
  ]

  /// Keeps what was sent.
  private final class Sent: Sendable {
    let requests = Mutex<[HTTPRequest]>([])
  }

  private func run(
    _ words: [String], answering body: JSONValue, toml: String = Self.toml
  ) async -> (answer: ConfigCommandRun.Answer, sent: [HTTPRequest]) {
    let sent = Sent()
    let exchange = HTTPExchange { request, _ throws(HTTPExchangeError) in
      sent.requests.withLock { $0.append(request) }
      return HTTPResponse(status: 200, json: body)
    }
    let answer = await ConfigCommandRun.run(
      toml, files: Self.files, variables: [:], arguments: ["alerts", "test", "--config", "c.toml"] + words,
      exchange: exchange)
    return (answer, sent.requests.withLock { $0 })
  }

  private let fine = JSONValue.members([
    ("code", .integer(0)), ("errcode", .integer(0)), ("errmsg", "ok"), ("msg", "fine"),
  ])

  @Test func `sends each channel a message in its language and prints what it answered`() async throws {
    let (answer, sent) = await run([], answering: fine)
    #expect(answer.code == 0, "\(answer.errors)")
    #expect(answer.shown == "on-call (feishu): taken. fine\noffice (wecom): taken. ok\n")
    #expect(sent.count == 2)
    #expect(String(decoding: sent[0].body, as: UTF8.self).contains("Counterfoil（模拟）：测试"))
    #expect(String(decoding: sent[1].body, as: UTF8.self).contains("Counterfoil (simulated): a test"))
  }

  @Test func `sends one channel alone, and knows no other name`() async throws {
    let (one, sent) = await run(["--channel", "office"], answering: fine)
    #expect(one.code == 0 && sent.map(\.target) == [String(decoding: Self.files["wecom.url"] ?? [], as: UTF8.self)])
    let (none, nothing) = await run(["--channel", "offic"], answering: fine)
    #expect(
      none.code == 2 && nothing.isEmpty && none.errors.contains("no channel offic in [[alerts]]"), "\(none.errors)")
  }

  @Test func `fails with the vendor's code, which comes with status 200, and shows no key`() async throws {
    let refusal = JSONValue.members([
      ("code", .integer(19021)), ("errcode", .integer(93000)), ("msg", "sign match fail 0f0f0f0f0f0f0f0f"),
      ("errmsg", "invalid webhook url 1e1e1e1e1e1e1e1e"),
    ])
    let (answer, _) = await run([], answering: refusal)
    #expect(answer.code == 1)
    #expect(answer.shown.contains("on-call (feishu): REFUSED, 19021. sign match fail …"), "\(answer.shown)")
    #expect(answer.shown.contains("office (wecom): REFUSED, 93000. invalid webhook url …"), "\(answer.shown)")
    let (json, _) = await run(["--json"], answering: refusal)
    let lines = try json.shown.split(separator: "\n").map { try JSONReader.read($0.utf8) }
    #expect(lines.map { $0["code"]?.string } == ["19021", "93000"])
    #expect(!json.shown.contains("0f0f0f0f0f0f0f0f") && !json.shown.contains("1e1e1e1e1e1e1e1e"))
  }

  @Test func `says that a configuration without channels sends no alerts`() async throws {
    let head = Self.toml.firstRange(of: "[[alerts]]")
    let tail = try #require(Self.toml.firstRange(of: "[[app]]"))
    let toml = Self.toml[..<(try #require(head)).lowerBound] + Self.toml[tail.lowerBound...]
    let (answer, sent) = await run([], answering: fine, toml: String(toml))
    #expect(answer.code == 2 && sent.isEmpty && answer.errors.contains("no [[alerts]]"), "\(answer.errors)")
  }
}
