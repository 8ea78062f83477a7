import CounterfoilAPI
import HTTPMessages
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

@Suite struct `Making an order` {
  private func request(_ more: (String, JSONValue?)...) -> JSONValue {
    var members: [(String, JSONValue?)] = [("productId", "coins.100"), ("store", "appStore")]
    for (name, value) in more {
      members.removeAll { $0.0 == name }
      members.append((name, value))
    }
    return .members(members)
  }

  @Test(arguments: [
    ("productId", JSONValue.null, 400, "field_invalid"), ("productId", "", 400, "field_invalid"),
    ("productId", .integer(1), 400, "field_invalid"), ("productId", "diamonds", 404, "product_unknown"),
    ("productId", "android.only", 422, "product_not_sold_at_store"), ("store", "paypal", 400, "field_invalid"),
    ("store", "weChatPay", 422, "store_not_configured"), ("quantity", .integer(-1), 400, "field_invalid"),
    ("quantity", .integer(0), 400, "field_invalid"), ("quantity", .integer(11), 400, "field_invalid"),
    ("quantity", .number("1.0"), 400, "field_invalid"), ("quantity", .number("1e1"), 400, "field_invalid"),
    ("quantity", "1", 400, "field_invalid"), ("quantity", .number("99999999999999999999"), 400, "field_invalid"),
    ("userId", "bob", 400, "user_not_allowed"), ("reference", "N-1", 403, "reference_not_allowed"),
    ("metadata", .object([]), 403, "reference_not_allowed"), ("metadata", .array([]), 400, "field_invalid"),
    ("metadata", .object([JSONMember("a", .string(String(repeating: "x", count: 2048)))]), 400, "field_invalid"),
    ("reference", .string(String(repeating: "9", count: 65)), 400, "field_invalid"),
    // It must fit into a path wherever an order id does.
    ("reference", "2026/1", 400, "field_invalid"), ("reference", "..", 400, "field_invalid"),
    ("reference", "a\u{0}b", 400, "field_invalid"), ("reference", "", 400, "field_invalid"),
  ])
  func `is refused with a code of its own for each bad field`(
    name: String, value: JSONValue, status: Int, code: String
  ) async throws {
    let front = try await ServerFixture.open()
    let answer = await front.ask("POST", CreateOrder.path, as: front.token(), json: request((name, value)))
    #expect(answer.status == status)
    #expect(answer.code == code)
    #expect(await front.ask("GET", "/v1/orders", as: front.token())["orders"]?.array == [])
  }

  @Test(arguments: [
    ("platform", JSONValue.string("a\u{0}b")), ("scene", "\u{0}"), ("metadata", .object([JSONMember("a", "b\u{0}")])),
    ("metadata", .object([JSONMember("a\u{0}", .array([]))])), ("nobody\u{0}", "a"),
  ])
  func `is refused with the character U+0000, which no database keeps`(name: String, value: JSONValue) async throws {
    let front = try await ServerFixture.open()
    let answer = await front.ask("POST", CreateOrder.path, as: front.token(), json: request((name, value)))
    #expect(answer.status == 400)
    #expect(answer.code == "field_invalid")
    #expect(answer["detail"]?.string?.contains("U+0000") == true)
    let listed = await front.ask("GET", "/v1/orders?userId=a%00b", as: front.keys.secret)
    #expect(listed.status == 400 && listed.code == "field_invalid")
  }

  @Test func `is refused for more than one piece of a non-consumable`() async throws {
    let front = try await ServerFixture.open()
    let answer = await front.ask(
      "POST", CreateOrder.path, as: front.token(),
      json: request(("productId", "premium"), ("quantity", .integer(2))))
    #expect(answer.code == "quantity_not_allowed")
  }

  @Test func `needs a user (user_missing)`() async throws {
    let front = try await ServerFixture.open()
    let answer = await front.ask("POST", CreateOrder.path, as: front.keys.secret, json: request())
    #expect(answer.code == "user_missing")
    let twice = await front.ask(
      "POST", CreateOrder.path + "?userId=alice", as: front.keys.secret, json: request(("userId", "bob")))
    #expect(twice.code == "field_invalid")
  }

  @Test func `returns its number before any payment, and takes platform, scene and product (1B.1)`() async throws {
    let front = try await ServerFixture.open()
    let answer = await front.ask(
      "POST", CreateOrder.path, as: front.token(),
      json: request(("platform", "ios"), ("scene", "shop window"), ("quantity", .integer(3))))
    #expect(answer.status == 201)
    let order = try OrderBody(json: answer.json)
    #expect(order.state == .awaitingPayment)
    #expect(order.quantity == 3)
    #expect(order.user == "alice")
    #expect(order.appStore?.product == "com.example.coins100")
    #expect(order.appStore?.appAccountToken == order.id.appAccountToken)
    #expect(answer.fields["Location"] == "/v1/orders/" + order.id.appAccountToken)
    let read = await front.ask("GET", "/v1/orders/" + order.id.appAccountToken, as: front.token())
    #expect(read.json == answer.json)
  }

  @Test func `again with one Idempotency-Key answers the same order; another request is a conflict`() async throws {
    let front = try await ServerFixture.open()
    func make(_ json: JSONValue, _ key: String = "k-1", as credential: String? = nil) async -> Answer {
      await front.ask(
        "POST", CreateOrder.path, as: credential ?? front.token(), json: json, fields: ["Idempotency-Key": key])
    }
    let first = await make(request(("quantity", .integer(2)), ("platform", "ios")))
    #expect(first.status == 201)
    let again = await make(request(("platform", "ios"), ("quantity", .integer(2))))
    #expect(again.status == 200)
    #expect(again.json == first.json)
    let other = await make(request(("quantity", .integer(3)), ("platform", "ios")))
    #expect(other.status == 409)
    #expect(other.code == "idempotency_key_reused")
    // Another caller's key of the same text is another key.
    let bobs = await make(request(("quantity", .integer(3))), as: front.token(of: "bob"))
    #expect(bobs.status == 201)
    let orders = await front.ask("GET", "/v1/orders", as: front.token())["orders"]?.array
    #expect(orders?.count == 1)
    // The order in its present state, not as first answered.
    let id = try #require(first["id"]?.string)
    await front.ask("POST", "/v1/orders/\(id)/close", as: front.token())
    #expect(await make(request(("platform", "ios"), ("quantity", .integer(2))))["state"]?.string == "closed")
  }

  @Test func `by a backend is one order, wherever it names the user`() async throws {
    let front = try await ServerFixture.open()
    let inBody = await front.ask(
      "POST", CreateOrder.path, as: front.keys.secret, json: request(("userId", "alice")),
      fields: ["Idempotency-Key": "k"])
    let inQuery = await front.ask(
      "POST", CreateOrder.path + "?userId=alice", as: front.keys.secret, json: request(),
      fields: ["Idempotency-Key": "k"])
    #expect(inBody.status == 201)
    #expect(inQuery.status == 200)
    #expect(inQuery["id"] == inBody["id"])
  }

  @Test(arguments: ["", String(repeating: "k", count: 256)])
  func `refuses an invalid Idempotency-Key`(key: String) async throws {
    let front = try await ServerFixture.open()
    let answer = await front.ask(
      "POST", CreateOrder.path, as: front.token(), json: request(), fields: ["Idempotency-Key": key])
    #expect(answer.code == "field_invalid")
  }

  @Test func `refuses a reference that another order has`() async throws {
    let front = try await ServerFixture.open()
    func make(_ user: JSONValue) async -> Answer {
      await front.ask(
        "POST", CreateOrder.path, as: front.keys.secret, json: request(("userId", user), ("reference", "N-1")))
    }
    #expect(await make("alice").status == 201)
    let second = await make("bob")
    #expect(second.status == 409)
    #expect(second.code == "reference_already_used")
  }

  @Test func `a sixth time closes the oldest order, which can still be paid`() async throws {
    let front = try await ServerFixture.open()
    var ids: [String] = []
    for _ in 0..<6 {
      ids.append(await front.order())
      front.clock.advance(by: .seconds(1))
    }
    let oldest = await front.ask("GET", "/v1/orders/" + ids[0], as: front.token())
    #expect(oldest["state"]?.string == "closed")
    #expect(oldest["closeReason"]?.string == "replaced")
    let answer = await front.submit(
      TestAppStoreSigner(at: front.now()).transaction("1", token: ids[0]), as: front.token())
    #expect(answer.payment["orderId"]?.string == ids[0])
    #expect(answer.payment["verdict"]?.string == "fulfilled")
  }
}
