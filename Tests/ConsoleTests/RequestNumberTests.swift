import Console
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PaymentServer
import ServerConfiguration
import ShopFixtures
import StrictJSON
import Testing

@Suite struct `The id of a request in the search` {
  /// The console and the API of one server.
  private struct Both {
    let fixture: ConsoleFixture
    let server: PaymentServer

    init() throws {
      let shop = try ConsoleFixture().shop
      server = PaymentServer(
        engine: shop.engine,
        settings: ServerSettings(userTokenKeys: try TokenMaker.keys, isSimulated: true, version: "1.0-test"),
        dependencies: shop.dependencies, log: { _ in })
      fixture = ConsoleFixture(over: shop, requests: server.requests)
    }

    /// Calls the API as a phone does.
    ///
    /// - Returns: the id of the request, and the answer.
    func call(
      _ method: String, _ target: String, by user: UserIdentifier = "alice", _ json: JSONValue? = nil
    ) async throws -> (id: String, answer: JSONValue) {
      var request = HTTPRequest(method, target, body: json?.bytes ?? [])
      if json != nil { request.fields.set("Content-Type", "application/json") }
      request.fields.set("Authorization", "Bearer " + TokenMaker(at: fixture.shop.now()).token(user: user))
      let response = await server.respond(to: request, from: "192.0.2.1")
      return (try #require(response.fields["X-Request-Id"]), (try? JSONReader.read(response.body)) ?? .null)
    }

    func order() async throws -> (id: String, order: String) {
      let made = try await call(
        "POST", "/v1/orders", .members([("productId", "coins.100"), ("store", "appStore")]))
      return (made.id, try #require(made.answer["id"]?.string))
    }
  }

  private static func search(_ term: String) -> String { "/console/app/shop/search?q=" + term }

  @Test func `leads nowhere if it concerned nothing, is unknown, or was another app's`() async throws {
    let both = try Both()
    let made = try await both.order()
    let listed = try await both.call("GET", "/v1/products")
    let browser = try await both.fixture.browser(as: .viewer)
    for id in [listed.id, "0123456789abcdef"] {
      let answer = await browser.get(Self.search(id))
      #expect(answer.status == 200 && answer.page.contains("Nothing was found"), "\(id)")
    }
    let stranger = try await both.fixture.browser(as: .admin, in: "other")
    let answer = await stranger.get("/console/app/other/search?q=" + made.id)
    #expect(answer.status == 200 && answer.page.contains("Nothing was found"))
  }

  @Test func `leads to the order that it made, or that was refused to its caller`() async throws {
    let both = try Both()
    let made = try await both.order()
    let refused = try await both.call("GET", "/v1/orders/" + made.order, by: "bob")
    #expect(refused.answer["code"]?.string == "order_unknown")
    let browser = try await both.fixture.browser(as: .viewer)
    for id in [made.id, made.id.uppercased(), refused.id] {
      let answer = await browser.get(Self.search(id))
      #expect(answer.location.hasPrefix("/console/app/shop/orders/\(made.order)?"), "\(id)")
    }
  }

  @Test func `leads to the payment that was handed in, and to its order`() async throws {
    let both = try Both()
    let made = try await both.order()
    let order = try #require(OrderIdentifier(made.order))
    let evidence = both.fixture.shop.transaction("1001", token: order)
    let paid = try await both.call("POST", "/v1/payments/app-store", .members([("evidence", .string(evidence))]))
    let page = try await both.fixture.browser(as: .viewer).get(Self.search(paid.id)).page
    #expect(page.contains("/console/app/shop/orders/\(made.order)?"))
    #expect(page.contains("/console/app/shop/payments/appStore/simulated/1001"))
  }
}
