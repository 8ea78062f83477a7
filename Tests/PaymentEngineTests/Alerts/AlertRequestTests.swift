import Cryptography
import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import TestDoubles
import Testing

/// What each vendor is sent. The signatures were computed with Python's `hmac`, and that of Feishu with `openssl dgst`
/// too.
@Suite struct `A message of an alert` {
  private static let runbooks = "https://wiki.example/alerts"

  private func sent(
    _ kind: AlertChannel.Kind, url: String, secret: String?, _ language: Language = .english, at turn: Int64 = 1
  ) async throws -> HTTPRequest {
    let channel = AlertFixture.channel("on-call", kind, url: url, secret: secret) {
      $0.language = language
      $0.runbooks = Self.runbooks
    }
    let fixture = try AlertFixture([channel])
    fixture.shop.clock.advance(by: .seconds(15 * (turn - 2)))
    fixture.undelivered(700)
    await fixture.run(for: .seconds(15))
    #expect(fixture.sent.value.count == 1)
    return try #require(fixture.sent.value.first)
  }

  @Test func `of a webhook is signed as deliveries are`() async throws {
    let request = try await sent(.webhook, url: AlertFixture.webhookURL, secret: "a secret made for tests, 32 bytes")
    let (id, time) = (request.fields["webhook-id"] ?? "", request.fields["webhook-timestamp"] ?? "")
    #expect(id.hasPrefix("alr_") && time == "1772366400")
    let key = Secret(Array("a secret made for tests, 32 bytes".utf8))
    let code = HMACSHA256.code(for: Array("\(id).\(time).".utf8) + request.body, key: key)
    #expect(request.fields["webhook-signature"] == "v1," + Base64.encode(code))
    let json = try JSONReader.read(request.body)
    #expect(json["type"] == "alerts" && json["id"]?.string == id && json["title"] == "Counterfoil: one alert")
    let alert = try #require(json["alerts"]?.array?.first)
    #expect(
      alert.text == #"{"rule":"CounterfoilUndelivered","change":"started","severity":"page","#
        + #""subject":"shop/simulated","value":700.0,"since":"2026-03-01T11:48:20.000Z","#
        + #""headline":"[page] Started: Deliveries are not acknowledged (shop/simulated)","#
        + #""text":"Users have paid and your backend does not know it. Measured: the oldest is 11 min old. "#
        + #"Since 2026-03-01T11:48:20.000Z.","runbook":"https://wiki.example/alerts#counterfoilundelivered"}"#)
  }

  @Test func `of Feishu is a rich text with time and signature`() async throws {
    let request = try await sent(
      .feishu, url: "https://open.feishu.cn/open-apis/bot/v2/hook/0f0f0f0f", secret: "feishu-secret", .chinese)
    #expect(request.target == "https://open.feishu.cn/open-apis/bot/v2/hook/0f0f0f0f")
    #expect(
      String(decoding: request.body, as: UTF8.self)
        == #"{"timestamp":"1772366400","sign":"2MxgKJxwRuzpNlaWjWYcbS4vjhsqWI8WJz2jChWboT4=","msg_type":"post","#
        + #""content":{"post":{"zh_cn":{"title":"Counterfoil：1 条告警","content":["#
        + #"[{"tag":"text","text":"【紧急】开始：发货通知未得到确认 (shop/simulated)"}],"#
        + #"[{"tag":"text","text":"用户已付款，而你的后端尚不知情。测得：最早的已有 11 分钟。始于 2026-03-01T11:48:20.000Z。"}],"#
        + #"[{"tag":"a","text":"处理办法","href":"https://wiki.example/alerts#counterfoilundelivered"}]]}}}}"#)
  }

  @Test func `of Feishu without signing has neither`() async throws {
    let request = try await sent(.feishu, url: "https://open.feishu.cn/hook", secret: nil)
    let json = try JSONReader.read(request.body)
    #expect(json["timestamp"] == nil && json["sign"] == nil)
    #expect(json["content"]?["post"]?["en_us"]?["title"] == "Counterfoil: one alert")
  }

  @Test func `of DingTalk has time and signature in its address, escaped`() async throws {
    let url = "https://oapi.dingtalk.com/robot/send?access_token=0f0f0f0f"
    let request = try await sent(.dingtalk, url: url, secret: "SECdingtalk", at: 5)
    #expect(
      request.target
        == url + "&timestamp=1772366460000&sign=q2Hm%2FGvw3Rdx5f%2B3J1605psmXDMWN7EC%2BHKtYrF6uhM%3D")
    let json = try JSONReader.read(request.body)
    #expect(json["msgtype"] == "markdown" && json["markdown"]?["title"] == "Counterfoil: one alert")
    #expect(
      json["markdown"]?["text"]?.string
        == "### Counterfoil: one alert\n\n**[page] Started: Deliveries are not acknowledged (shop/simulated)**\n\n"
        + "Users have paid and your backend does not know it. Measured: the oldest is 11 min old. "
        + "Since 2026-03-01T11:49:20.000Z.\n\n[What to do](https://wiki.example/alerts#counterfoilundelivered)")
    let unsigned = try await sent(.dingtalk, url: url, secret: nil)
    #expect(unsigned.target == url)
  }

  @Test func `of WeCom is Markdown`() async throws {
    let request = try await sent(
      .wecom, url: "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=0f0f", secret: nil, .chinese)
    #expect(request.target == "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=0f0f")
    let json = try JSONReader.read(request.body)
    #expect(json["msgtype"] == "markdown")
    #expect(
      json["markdown"]?["content"]?.string
        == "### Counterfoil：1 条告警\n\n**【紧急】开始：发货通知未得到确认 (shop/simulated)**\n\n"
        + "用户已付款，而你的后端尚不知情。测得：最早的已有 11 分钟。始于 2026-03-01T11:48:20.000Z。\n\n"
        + "[处理办法](https://wiki.example/alerts#counterfoilundelivered)")
  }

  @Test func `for WeCom never has more than 4,096 bytes; the rest follows`() async throws {
    let channel = AlertFixture.channel("on-call", .wecom, secret: nil) {
      $0.language = .chinese
      $0.after = .seconds(1)
      $0.runbooks = "https://wiki.example/" + String(repeating: "x", count: 300)
    }
    let fixture = try AlertFixture([channel])
    let metrics = fixture.shop.engine.metrics
    for store in 0..<40 {
      metrics.count(.reconciliationsTotal, [("store", "store\(store)"), ("outcome", "matched")])
    }
    await fixture.run(for: .minutes(2))
    for store in 0..<40 {
      metrics.count(.reconciliationsTotal, [("store", "store\(store)"), ("outcome", "differences")])
    }
    await fixture.run(for: .minutes(5))
    let texts = try fixture.sent.value.map {
      try JSONReader.read($0.body)["markdown"]?["content"]?.string ?? ""
    }
    #expect(texts.count > 3 && texts.allSatisfy { $0.utf8.count <= 4096 })
    #expect(texts.joined().matches(of: /store\d+\)/).count == 40)
  }

  @Test(arguments: [AlertChannel.Kind.webhook, .feishu, .dingtalk, .wecom])
  func `names its page where no address was configured, and says when no real money is concerned`(
    kind: AlertChannel.Kind
  ) async throws {
    let channel = AlertFixture.channel("on-call", kind)
    let fixture = try AlertFixture([channel])
    let watch = AlertWatch([channel], of: fixture.shop.engine, node: "one", isSimulated: true)
    fixture.undelivered(700)
    await watch.turn()
    let body = String(decoding: try #require(fixture.sent.value.first).body, as: UTF8.self)
    #expect(body.contains("docs/alerts.md#counterfoilundelivered") && body.contains("Counterfoil (simulated): "))
  }

  @Test func `has a title and a meaning in both languages for each rule`() {
    for rule in AlertRule.allCases {
      for text in [rule.title, rule.meaning, rule.measured(1), rule.measured(-1e300), rule.measured(.nan)] {
        #expect(!text.english.isEmpty && !text.chinese.isEmpty && text.english != text.chinese, "\(rule)")
      }
    }
  }
}
