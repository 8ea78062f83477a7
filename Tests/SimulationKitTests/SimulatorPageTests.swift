import AppStoreSimulator
import CounterfoilLab
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Synchronization
import Testing
import WeChatPaySimulator

@Suite struct `The page of the simulator` {
  private static let path = "/simulator/page"

  /// What the page asked a server and a simulator, which answer every question alike.
  private final class Asked: Sendable {
    private let calls = Mutex<[String]>([])
    var all: [String] { calls.withLock { $0 } }
    /// Those that change something.
    var changes: [String] { all.filter { !$0.hasPrefix("GET") } }

    func answer(_ request: HTTPRequest) -> HTTPResponse {
      calls.withLock { $0.append(request.method + " " + request.target) }
      let order = JSONValue.members([
        ("mchid", "1900000001"), ("out_trade_no", "<b>1</b>"), ("state", "SUCCESS"), ("total", .integer(600)),
      ])
      return HTTPResponse(
        status: 200,
        json: .members([
          ("orders", .array([order])), ("complaint_id", "2002"), ("now", "2026-03-01T12:00:00.000Z"),
          ("faults", .array(["unreachable", "ofTomorrow"])),
        ]))
    }
  }

  private let asked = Asked()

  private func send(
    _ method: String = "POST", _ path: String = path, host: String? = "localhost:8081",
    origin: String? = "http://localhost:8081", form: String = "do=clock&seconds=3600"
  ) async -> (status: Int, text: String, fields: HTTPFields) {
    let page = SimulatorPage(
      server: { [asked] in asked.answer($0) }, control: { [asked] in asked.answer($0) }, secretKey: "sk_test",
      dependencies: .refusing)
    var request = HTTPRequest(method, path)
    request.fields.set("Host", host)
    if method == "POST" {
      request.body = Array(form.utf8)
      request.fields.set("Content-Type", "application/x-www-form-urlencoded")
      request.fields.set("Origin", origin)
    }
    let response = await page.respond(to: request)
    return (response.status, String(decoding: response.body, as: UTF8.self), response.fields)
  }

  @Test func `does nothing for a form of another page, or under another name than this machine's`() async {
    for origin in [nil, "null", "http://evil.test", "http://localhost:9", "https://localhost:8081"] {
      #expect(await send(origin: origin).status == 403, "\(origin ?? "none")")
    }
    for host in [nil, "evil.test:8081", "localhost.evil.test:8081", "192.0.2.1:8081"] {
      #expect(await send(host: host, origin: host.map { "http://" + $0 }).status == 421, "\(host ?? "none")")
    }
    #expect(await send("PUT").status == 405)
    #expect(await send("GET", Self.path + "/other").status == 404)
    #expect(asked.all.isEmpty)
  }

  @Test func `says so if a form makes no sense, and changes nothing`() async {
    for form in ["", "do=nothing", "do=clock&seconds=1", "do=happen&what=x&user=alice", "do=refund&order=x"] {
      let answer = await send(form: form)
      #expect(answer.status == 200 && answer.text.contains("panel notice bad"), "\(form)")
    }
    #expect(asked.changes.isEmpty)
  }

  @Test func `moves both clocks, complains, and shows what simulators say as text`() async {
    #expect(await send().text.contains("WeChat Pay  2026-03-01T12:00:00.000Z"))
    #expect(asked.changes == ["POST /simulator/clock", "POST /simulator/wechat-pay/clock"])
    let answer = await send(form: "do=complain&mchid=1900000001&order=1&text=x&refund=600")
    #expect(answer.text.contains("complaint  2002") && answer.text.contains("&lt;b&gt;1&lt;/b&gt;"))
    #expect(asked.changes.last == "POST /simulator/wechat-pay/complaints")
    let policy = answer.fields["Content-Security-Policy"] ?? ""
    #expect(policy.contains("default-src 'none'") && !answer.text.contains("<script"))
  }

  @Test func `names faults in its language, keeps their names for the control API, and keeps an unknown one`() async {
    let (english, chinese) = (await send("GET").text, await send("GET", Self.path + "?language=zh-Hans").text)
    for (page, words) in [(english, "unreachable"), (chinese, "无法连接")] {
      #expect(page.contains("<option value=\"unreachable\">\(words)</option>"))
      #expect(page.contains("<option value=\"ofTomorrow\">ofTomorrow</option>"))
      #expect(page.contains("SUCCESS"))
    }
  }

  @Test func `has a Chinese word of its own for each fault`() {
    let ofStores = [
      WeChatPayFault.allCases.map { ($0.rawValue, SimulatorFaultWords.words(for: $0)) },
      AppStoreAPIFault.allCases.map { ($0.rawValue, SimulatorFaultWords.words(for: $0)) },
    ]
    for faults in ofStores {
      for (name, words) in faults {
        #expect(words.english == name && words.chinese.unicodeScalars.allSatisfy { $0.value >= 0x3000 }, "\(name)")
      }
      #expect(Set(faults.map { $0.1.chinese }).count == faults.count)
    }
  }

  @Test func `plays a scenario, and tells its verdict in both languages`() async {
    #expect(await send(form: "do=scenario&scenario=nothing").text.contains("panel notice bad"))
    let form = "do=scenario&scenario=kill-after-password"
    #expect(await send(form: form).text.contains("Kept: whatever was paid"))
    #expect(await send("POST", Self.path + "?language=zh-Hans", form: form).text.contains("守住：已付款的"))
  }
}
