import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Synchronization
import Testing

@Suite struct `The command for a server's health` {
  private static func shop(_ more: String) -> String {
    """
    profile = "simulated"
    \(more)
    [[app]]
    id = "game"
    bundle_id = "org.shop.game"
    [[app.product]]
    id = "coins"
    kind = "consumable"
    app_store_product_ids = ["org.shop.game.coins"]
    units = { unit = "coin", amount = 1 }
    """
  }

  /// Keeps where it was asked.
  private final class Asked: Sendable {
    let urls = Mutex<[String]>([])
  }

  private static func run(
    _ toml: String, _ arguments: [String] = [], status: Int? = 200, body: JSONValue = .members([("status", "ready")])
  ) async -> (answer: ConfigCommandRun.Answer, asked: [String]) {
    let asked = Asked()
    let exchange = HTTPExchange { request, _ throws(HTTPExchangeError) in
      asked.urls.withLock { $0.append(request.target) }
      guard let status else { throw HTTPExchangeError.unreachable("refused") }
      return HTTPResponse(status: status, json: body)
    }
    let answer = await ConfigCommandRun.run(
      toml, files: [:], variables: [:], arguments: ["health", "--config", "c.toml"] + arguments, exchange: exchange)
    return (answer, asked.urls.withLock { $0 })
  }

  @Test func `fails where nobody answers, and says where it asked`() async {
    let (answer, _) = await Self.run(Self.shop("port = 9000"), status: nil)
    #expect(answer.code == 1 && answer.errors.contains("http://127.0.0.1:9000 does not answer"), "\(answer.errors)")
  }

  @Test func `fails with the server's own words where it is not ready, also as JSON`() async {
    let body = JSONValue.members([("title", "The gap is open."), ("remedy", "Wait."), ("code", "backup_gap_open")])
    let (text, _) = await Self.run(Self.shop(""), status: 503, body: body)
    #expect(text.code == 1 && text.errors.contains("503: The gap is open. Wait. (backup_gap_open)"), "\(text.errors)")
    let (json, _) = await Self.run(Self.shop(""), ["--json"], status: 503, body: body)
    #expect(json.code == 1 && json.shown == body.text + "\n" && json.errors == "")
  }

  @Test(arguments: [
    ("", [], "http://127.0.0.1:8080/readyz"), ("", ["--live"], "http://127.0.0.1:8080/livez"),
    ("address = \"0.0.0.0\"\nport = 81", [], "http://127.0.0.1:81/readyz"),
    ("address = \"::\"", [], "http://[::1]:8080/readyz"), ("address = \"::1\"", [], "http://[::1]:8080/readyz"),
    ("", ["--port", "9000"], "http://127.0.0.1:9000/readyz"),
    ("", ["--url", "https://pay.example.com/"], "https://pay.example.com/readyz"),
  ])
  func `asks the server of the configuration, or the one that is named`(
    toml: String, arguments: [String], url: String
  ) async {
    let (answer, asked) = await Self.run(Self.shop(toml), arguments)
    #expect(answer.code == 0 && answer.errors == "" && answer.shown.contains("can take calls."), "\(answer)")
    #expect(asked == [url])
  }

  @Test func `and the version are printed as JSON, with null for what the build does not know`() async throws {
    let answer = await ConfigCommandRun.run("", files: [:], variables: [:], arguments: ["version", "--json"])
    let json = try JSONReader.read(answer.shown.utf8)
    #expect(answer.code == 0 && json.object?.map(\.name) == ["version", "commit", "builtAt", "swift", "allocator"])
    #expect(json["version"]?.string?.contains(/^\d+\.\d+\.\d+$/) == true)
  }
}
