import HTTPMessages
import PaymentServer
import ShopFixtures
import Testing

@Suite struct `A web page` {
  private static let shop = "https://shop.example.com"

  private func open() async throws -> ServerFixture {
    try await ServerFixture.open { changes in
      changes.settings = { $0.webOrigins = Set([Self.shop, "http://localhost:3000"].compactMap { WebOrigin($0) }) }
    }
  }

  private func fields(_ fields: KeyValuePairs<String, String>) -> HTTPFields {
    var all = HTTPFields()
    for (name, value) in fields { all.add(name, value) }
    return all
  }

  private func fieldsOfCORS(_ answer: Answer) -> [String] {
    [
      "Access-Control-Allow-Origin", "Access-Control-Allow-Methods", "Access-Control-Allow-Headers",
      "Access-Control-Expose-Headers", "Access-Control-Max-Age", "Access-Control-Allow-Credentials",
    ].filter { answer.fields[$0] != nil }
  }

  @Test(arguments: [
    "https://shop.example.com.evil.example", "https://SHOP.example.com", "http://shop.example.com", "null", "*",
    "https://shop.example.com:8443", "https://shop.example.com/", "",
  ])
  func `of another origin is answered without the fields that let a browser read it`(origin: String) async throws {
    let front = try await open()
    let preflight = await front.ask(
      "OPTIONS", "/v1/orders", fields: fields(["Origin": origin, "Access-Control-Request-Method": "POST"]))
    #expect(preflight.status == 204 && fieldsOfCORS(preflight).isEmpty)
    let answer = await front.ask("GET", "/v1/products", as: front.token(), fields: fields(["Origin": origin]))
    #expect(answer.status == 200 && fieldsOfCORS(answer).isEmpty)
    #expect(answer.fields["Vary"] == "Origin")
  }

  @Test func `with two origins gets no permission`() async throws {
    let front = try await open()
    let both = fields(["Origin": Self.shop, "Origin": Self.shop])
    #expect(fieldsOfCORS(await front.ask("GET", "/v1/products", as: front.token(), fields: both)).isEmpty)
  }

  @Test(arguments: [
    ("/v1/users/alice/orders", "GET"), ("/v1/deliveries/claim", "POST"), ("/v1/operator/search", "GET"),
    ("/metrics", "GET"), ("/notifications/app-store", "POST"), ("/v1/orders", "DELETE"), ("/nowhere", "GET"),
  ])
  func `may call no route that is not for users`(path: String, method: String) async throws {
    let front = try await open()
    let asked = fields(["Origin": Self.shop, "Access-Control-Request-Method": method])
    #expect(fieldsOfCORS(await front.ask("OPTIONS", path, fields: asked)).isEmpty)
    let answer = await front.ask(method, path, as: front.keys.secret, fields: fields(["Origin": Self.shop]))
    #expect(fieldsOfCORS(answer).isEmpty)
  }

  @Test func `of no origin at all gets no field where none is configured`() async throws {
    let front = try await ServerFixture.open()
    let asked = fields(["Origin": Self.shop, "Access-Control-Request-Method": "POST"])
    let preflight = await front.ask("OPTIONS", "/v1/orders", fields: asked)
    #expect(fieldsOfCORS(preflight).isEmpty && preflight.fields["Vary"] == nil)
  }

  @Test func `of a configured origin may make an order with its key, and read the answer`() async throws {
    let front = try await open()
    let preflight = await front.ask(
      "OPTIONS", "/v1/orders",
      fields: fields([
        "Origin": Self.shop, "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type,idempotency-key",
      ]))
    #expect(preflight.status == 204)
    #expect(preflight.fields["Access-Control-Allow-Origin"] == Self.shop)
    #expect(preflight.fields["Access-Control-Allow-Methods"] == "POST")
    #expect(
      preflight.fields["Access-Control-Allow-Headers"]
        == "Authorization, Content-Type, Accept-Language, Idempotency-Key")
    #expect(preflight.fields["Access-Control-Max-Age"] == "600")
    let answer = await front.ask("GET", "/v1/orders", as: front.token(), fields: fields(["Origin": Self.shop]))
    #expect(answer.status == 200)
    #expect(answer.fields["Access-Control-Allow-Origin"] == Self.shop)
    #expect(answer.fields["Access-Control-Expose-Headers"]?.contains("Retry-After") == true)
    #expect(answer.fields["Access-Control-Allow-Credentials"] == nil, "a token is sent, never a cookie")
  }

  @Test func `of a configured origin reads why it is refused`() async throws {
    let front = try await open()
    let refused = await front.ask("GET", "/v1/orders", fields: fields(["Origin": "http://localhost:3000"]))
    #expect(refused.status == 401)
    #expect(refused.fields["Access-Control-Allow-Origin"] == "http://localhost:3000")
  }

  @Test(arguments: [
    "*", "null", "shop.example.com", "ftp://shop.example.com", "https://", "https://shop.example.com/",
    "https://shop.example.com/pay", "https://Shop.example.com", "https://shop.example.com:443",
    "http://localhost:80", "https://shop.example.com:0", "https://shop.example.com:65536", "https://a b.example",
    "https://*.example.com", "https://user@shop.example.com", "https://shop..example.com", "https://-shop.example.com",
    "https://shop.example.com:", "https://[::1", "https://shop.example.com?a", "https://商店.example",
  ])
  func `has no origin that a browser would not send`(text: String) {
    #expect(WebOrigin(text) == nil)
  }

  @Test(arguments: [
    ("https://shop.example.com", false), ("https://xn--fiq.example:8443", false), ("http://localhost:3000", false),
    ("http://127.0.0.1:5173", false), ("http://[::1]:5173", false), ("http://shop.example.com", true),
    ("https://[2001:db8::1]:8443", false),
  ])
  func `is exposed if it comes without encryption from another machine`(text: String, isExposed: Bool) {
    #expect(WebOrigin(text)?.isExposed == isExposed)
    #expect(WebOrigin(text)?.text == text)
  }
}
