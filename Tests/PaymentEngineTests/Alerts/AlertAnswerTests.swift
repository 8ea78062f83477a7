import Cryptography
import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import StrictJSON
import TestDoubles
import Testing

@Suite struct `The answer to an alert` {
  private static let token = "7d6e5f4a7d6e5f4a7d6e5f4a7d6e5f4a"

  private func told(
    _ kind: AlertChannel.Kind, _ answer: Result<HTTPResponse, HTTPExchangeError>
  ) async throws -> AlertFixture {
    let channel = AlertFixture.channel(
      "on-call", kind, url: "https://robot.example/send?access_token=\(Self.token)", secret: "SEC0123456789abcdef")
    let fixture = try AlertFixture([channel])
    fixture.answer.value = answer
    fixture.undelivered(700)
    await fixture.run(for: .seconds(15))
    return fixture
  }

  @Test(
    arguments: [
      (
        AlertChannel.Kind.feishu, #"{"code":19021,"msg":"sign match fail or timestamp is not within one hour"}"#,
        "19021"
      ),
      (.feishu, #"{"StatusCode":19024,"StatusMessage":"Key Words Not Found"}"#, "19024"),
      (.dingtalk, #"{"errcode":310000,"errmsg":"sign not match"}"#, "310000"),
      (.wecom, #"{"errcode":93000,"errmsg":"invalid webhook url"}"#, "93000"),
      (.wecom, #"{"errcode":-1,"errmsg":"system busy"}"#, "-1"),
    ])
  func `with status 200 and a code is a refusal, told with its code`(
    kind: AlertChannel.Kind, body: String, code: String
  ) async throws {
    let fixture = try await told(kind, .success(HTTPResponse(status: 200, body: Array(body.utf8))))
    #expect(fixture.count("on-call", "refused") == 1 && fixture.count("on-call", "taken") == 0)
    #expect(fixture.log.fields(of: "alert.notSent").first?["code"] == code)
    // It is told again.
    fixture.answer.value = .success(AlertFixture.taken)
    await fixture.run(for: .minutes(1))
    #expect(fixture.count("on-call", "taken") == 1)
  }

  @Test(arguments: [
    (AlertChannel.Kind.feishu, #"{"code":0,"msg":"success","data":{}}"#),
    (.feishu, #"{"Extra":null,"StatusCode":0,"StatusMessage":"success"}"#),
    (.dingtalk, #"{"errcode":0,"errmsg":"ok"}"#), (.wecom, #"{"errcode":0,"errmsg":"ok"}"#), (.webhook, ""),
    (.webhook, "<html>"),
  ])
  func `that takes the message ends it`(kind: AlertChannel.Kind, body: String) async throws {
    let fixture = try await told(kind, .success(HTTPResponse(status: 200, body: Array(body.utf8))))
    #expect(fixture.count("on-call", "taken") == 1)
  }

  @Test(arguments: [
    "", "ok", "[]", "{}", #"{"errcode":"0","code":"0"}"#, #"{"errcode":0.0,"code":null}"#, "{\"errcode\":0",
    #"{"errcode":1,"errcode":0,"code":1,"code":0}"#,
  ])
  func `of a vendor that cannot be read takes nothing`(body: String) async throws {
    for kind in [AlertChannel.Kind.feishu, .dingtalk, .wecom] {
      let fixture = try await told(kind, .success(HTTPResponse(status: 200, body: Array(body.utf8))))
      #expect(fixture.count("on-call", "unanswered") == 1, "\(kind) \(body)")
    }
  }

  @Test func `that is huge is not read, and none is shown whole`() async throws {
    let filler = String(repeating: "a", count: 100_000)
    let huge = Array(#"{"errcode":0,"errmsg":"\#(filler)"}"#.utf8)
    let fixture = try await told(.dingtalk, .success(HTTPResponse(status: 200, body: huge)))
    #expect(fixture.count("on-call", "unanswered") == 1)
    let refused = try await told(.webhook, .success(HTTPResponse(status: 500, body: huge)))
    let shown = try #require(refused.log.fields(of: "alert.notSent").first)
    #expect(shown["code"] == "HTTP 500" && (shown["answer"] ?? "").count <= 200)
  }

  @Test(arguments: [302, 404, 429, 500])
  func `with another status is a refusal`(status: Int) async throws {
    let fixture = try await told(.wecom, .success(HTTPResponse(status: status, body: Array(#"{"errcode":0}"#.utf8))))
    #expect(fixture.log.fields(of: "alert.notSent").first?["code"] == "HTTP \(status)")
  }

  @Test func `that never comes is a failure, and the channel's keys are in no log`() async throws {
    let url = "https://robot.example/send?access_token=\(Self.token)"
    for error: HTTPExchangeError in [
      .unreachable("no route to \(url)"), .outcomeUnknown("timed out: \(Self.token)"), .unreadableAnswer("too large"),
      .refusedTarget("SEC0123456789abcdef\n\u{1B}[2J"),
    ] {
      let fixture = try await told(.dingtalk, .failure(error))
      #expect(fixture.count("on-call", "unanswered") == 1)
      let lines = fixture.log.lines.joined()
      #expect(!lines.contains(Self.token) && !lines.contains("SEC0123456789abcdef") && !lines.contains("\u{1B}"))
    }
    let echo = HTTPResponse(
      status: 200, json: .members([("errcode", .integer(300_001)), ("errmsg", .string("bad token \(Self.token)"))]))
    let fixture = try await told(.dingtalk, .success(echo))
    #expect(!fixture.log.lines.joined().contains(Self.token))
  }

  @Test func `of one channel delays no other`() async throws {
    let channels = [
      AlertFixture.channel("down", url: "https://down.example/"),
      AlertFixture.channel("up", url: "https://up.example/"),
    ]
    let fixture = try AlertFixture(channels)
    let sent = fixture.sent
    fixture.answer.value = .failure(.outcomeUnknown("slow"))
    fixture.undelivered(700)
    await fixture.run(for: .seconds(15))
    #expect(Set(sent.value.map(\.target)) == ["https://down.example/", "https://up.example/"])
  }
}
