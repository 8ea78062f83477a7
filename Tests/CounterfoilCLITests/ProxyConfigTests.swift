import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Synchronization
import Testing

@Suite struct `What a configuration says about proxies` {
  private static func toml(_ head: String) -> String {
    """
    profile = "production"
    \(head)
    [[app]]
    id = "shop"
    deliver_from = 2026-01-01T00:00:00Z
    bundle_id = "com.example.shop"
    app_apple_id = 1234
    [[app.product]]
    id = "coins.100"
    kind = "consumable"
    app_store_product_ids = ["com.example.coins100"]
    units = { unit = "coin", amount = 100 }

    """
  }

  private func run(
    _ head: String, arguments: [String] = ["config", "check", "--config", "c.toml"], exchange: HTTPExchange? = nil
  ) async -> ConfigCommandRun.Answer {
    await ConfigCommandRun.run(
      Self.toml(head), files: [:], variables: [:], arguments: arguments, exchange: exchange)
  }

  @Test(arguments: [
    ("trusted_proxies = [\"10.0.0.1/8\"]", "zeros behind its prefix"),
    ("trusted_proxies = [\"proxy.local\"]", "proxy.local"),
    ("trusted_proxies = [\"0.0.0.0/0\"]", "every address"), ("trusted_proxies = [\"::/0\"]", "every address"),
    ("trusted_proxies = \"10.0.0.1\"", "a list"), ("proxy_protocol = true", "trusted_proxies"),
    ("forwarded_header = \"X-Real-IP\"", "X-Forwarded-For"), ("connection_share = 0", "1 to 100"),
    ("connection_share = 101", "1 to 100"), ("trusted_proxy = [\"10.0.0.1\"]", "trusted_proxies"),
  ])
  func `is refused if it makes no sense`(head: String, word: String) async {
    let answer = await run(head)
    #expect(answer.code == 2, "\(head)")
    #expect(answer.errors.contains(word), "\(answer.errors)")
  }

  @Test func `is shown as it is understood`() async {
    let answer = await run(
      """
      trusted_proxies = ["10.0.0.0/8", "::ffff:192.0.2.1", "2001:DB8::/32"]
      forwarded_header = "Forwarded"
      proxy_protocol = true
      connection_share = 50
      """)
    #expect(answer.code == 0, "\(answer.errors)")
    #expect(answer.shown.contains("10.0.0.0/8 192.0.2.1 2001:db8::/32"))
    #expect(answer.shown.contains("Forwarded and by the PROXY protocol"))
    #expect(await run("").shown.contains("proxies") == false)
  }

  /// What the doctor finds about proxies; `metrics` are those of a running server.
  private func examine(_ head: String, metrics: String? = nil) async throws -> (outcome: String, line: String) {
    let exchange = HTTPExchange { request, _ throws(HTTPExchangeError) in
      guard let metrics, request.target.hasSuffix("/metrics") else { throw .unreachable("nobody listens") }
      return HTTPResponse(status: 200, body: Array(metrics.utf8))
    }
    let answer = await run(head, arguments: ["doctor", "--config", "c.toml", "--json"], exchange: exchange)
    let lines = answer.shown.split(separator: "\n").map(String.init)
    let line = try #require(lines.first { $0.contains(#""check":"proxy""#) }, "\(answer.shown)\(answer.errors)")
    return (try JSONReader.read(line.utf8)["outcome"]?.string ?? "", line)
  }

  @Test func `is examined by the doctor, with the counters of the running server`() async throws {
    #expect(try await examine("").outcome == "warned")
    #expect(try await examine("").line.contains("127.0.0.1"))
    let good = "trusted_proxies = [\"127.0.0.1\"]"
    #expect(try await examine(good).outcome == "passed")
    #expect(try await examine(good, metrics: "other 1\n").outcome == "passed")
    let counted = try await examine(good, metrics: "counterfoil_forwarded_unheeded_total 17\n")
    #expect(counted.outcome == "warned")
    #expect(counted.line.contains("17 requests"))
  }
}
