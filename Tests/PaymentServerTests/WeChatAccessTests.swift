import CounterfoilAPI
import HTTPMessages
import PaymentPrimitives
import PaymentServer
import SimulationKit
import StrictJSON
import Testing
import WeChatPaySimulator

/// Every call of the document for a shop that sells through WeChat Pay. The calls come from the document, so a new
/// route is covered automatically.
@Suite struct `Every call about an order at WeChat Pay (A14, A18)` {
  private func body(_ operation: Document.Operation, _ order: String, document: Document) -> JSONValue? {
    guard operation.body != nil else { return nil }
    let fields = document.fields(of: operation)
    let all: [(String, JSONValue?)] = [
      ("productId", "coins.100"), ("store", "weChatPay"), ("platform", "android"), ("orderId", .string(order)),
      ("amount", operation.path.hasSuffix("refund") ? .integer(1) : nil), ("reason", "tests"), ("kind", "secret"),
      ("label", "tests"), ("transactionIds", .array(["1"])), ("signedPayload", "a.b.c"), ("day", "2026-03-01"),
    ]
    return .members(all.filter { fields.contains($0.0) })
  }

  private func names(_ order: String, _ transaction: String) -> [String: String] {
    ["orderId": order, "transactionId": transaction, "userId": "alice", "app": "shop"]
  }

  /// Everything that the shop and WeChat Pay can see of it.
  private func snapshot(_ shop: WeChatPayServerFixture, _ order: String) async -> [String] {
    var seen: [String] = []
    for path in [
      "/v1/orders?userId=alice", "/v1/orders/\(order)", "/v1/orders/\(order)/refunds", "/v1/deliveries",
      "/v1/users/alice/balances",
    ] {
      seen.append(await shop.front.ask("GET", path, as: shop.front.keys.secret).text)
    }
    seen.append("\(await shop.weChatPay.refunds())")
    return seen
  }

  @Test func `shows and changes nothing of it for another user or another app`() async throws {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      let order = try await shop.bought()
      let transaction = try #require(await shop.weChatPay.orders().first?.transactionId)
      let before = await snapshot(shop, order)
      let maker = TokenMaker(at: shop.front.now())
      let strangers = [
        shop.front.token(of: "bob"), shop.front.keys.otherSecret, shop.front.keys.otherOperator,
        maker.token(maker.claims(app: "other"), kid: "other-hs", by: .hs256(TokenMaker.otherSecret)),
      ]
      let document = try await Document.served(by: shop.front.server)
      for operation in document.operations where !operation.credentials.isEmpty {
        for stranger in strangers {
          let answer = await shop.front.ask(
            operation.method, operation.path(with: names(order, transaction)), as: stranger,
            json: body(operation, order, document: document), fields: ["Idempotency-Key": "k-\(operation.path)"])
          let place = "\(operation.method) \(operation.path): \(answer.text)"
          #expect(!answer.text.contains(transaction) || operation.path == "/metrics", "\(place)")
          #expect(!answer.text.contains("prepayId") || operation.path == CreateOrder.path, "\(place)")
          if operation.path.contains("{orderId}"), answer.code != "not_allowed" {
            #expect(answer.code == "order_unknown", "\(place)")
            #expect(!answer.text.contains("alice"), "\(place)")
          }
        }
      }
      #expect(await snapshot(shop, order) == before)
      #expect(try await shop.front.violations() == [])
    }
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `spoiled gets a documented refusal or answer, never a failure; nothing unpaid is granted`(seed: UInt64)
    async throws
  {
    let (dependencies, clock) = WeChatPayServerFixture.impatient()
    let shop = try await WeChatPayServerFixture.open(in: dependencies) {
      $0.settings = {
        $0.rates.failedCheckCost = 0
        $0.rates.user = .init(perSecond: 1_000_000, burst: 1_000_000)
      }
    }
    let good = try await good(shop)
    for request in good {
      let answer = await shop.front.ask(request.method, request.target, body: request.body, fields: request.fields)
      #expect(answer.status < 300, "\(request.method) \(request.target): \(answer.text)")
    }
    var spoiler = Spoiler(seed: seed)
    for round in 0..<10 {
      for request in good {
        let spoiled = spoiler.spoil(request)
        let answer = await shop.front.ask(spoiled.method, spoiled.target, body: spoiled.body, fields: spoiled.fields)
        let isFail = answer["code"]?.string == "FAIL" || answer.code == "notification_not_ours"
        #expect(answer.status < 500 || isFail, "\(round): \(spoiled.target) \(answer.text)")
      }
      clock.advance(by: .seconds(1))
    }
    // A request that happens to ask for a refund got no more than the store gave back.
    let refunded = await shop.weChatPay.refunds().reduce(0) { $0 + $1.refund }
    #expect(refunded <= 600)
    let coins = await shop.front.coins() ?? -1
    #expect((100 - refunded * 100 / 600...100).contains(coins))
    #expect(!shop.front.recorder.events.contains { $0.name == "http.failed" || $0.name == "invariant.broken" })
    #expect(try await shop.front.violations() == [])
  }

  /// Good requests of all callers; their answers prove that they are good.
  private func good(_ shop: WeChatPayServerFixture) async throws -> [HTTPRequest] {
    let order = try await shop.bought()
    let notification = try await shop.notification()
    let open = await shop.order("mug")["id"]?.string ?? ""
    func post(_ target: String, _ credential: String, json: JSONValue?, key: String? = nil) -> HTTPRequest {
      var request = json.map { HTTPRequest("POST", target, json: $0) } ?? HTTPRequest("POST", target)
      request.fields.set("Authorization", "Bearer " + credential)
      if let key { request.fields.set("Idempotency-Key", key) }
      return request
    }
    let (token, secret) = (shop.front.token(), shop.front.keys.secret)
    func create(_ type: JSONValue?, _ more: [(String, JSONValue?)] = []) -> JSONValue {
      .members(
        [
          ("productId", "mug"), ("store", "weChatPay"), ("platform", "android"), ("quantity", .integer(1)),
          ("tradeType", type),
        ] + more)
    }
    var posted = HTTPRequest(
      "POST", WeChatPayServerFixture.notifyPath, fields: notification.fields, body: notification.body)
    posted.fields.set("Content-Type", "application/json")
    return [
      post("/v1/orders", token, json: create("JSAPI", [("openId", "o-alice")]), key: "m-1"),
      post("/v1/orders", token, json: create("H5"), key: "m-2"),
      post("/v1/orders", token, json: create("NATIVE"), key: "m-3"),
      post(
        "/v1/orders", secret, json: create("H5", [("payerAddress", "203.0.113.9"), ("userId", "bob")]), key: "m-4"),
      post("/v1/orders/\(open)/wechat-pay", token, json: nil),
      post("/v1/orders/\(open)/wechat-pay", secret, json: .members([("userId", "alice")])),
      post("/v1/payments/wechat-pay", token, json: .members([("orderId", .string(order))])),
      post("/v1/payments/wechat-pay", secret, json: .members([("orderId", .string(order)), ("userId", "alice")])),
      post(
        "/v1/orders/\(order)/refund", secret, json: .members([("amount", .integer(7)), ("reason", "r")]), key: "r-1"),
      HTTPRequest("GET", "/v1/orders/\(order)/refunds", fields: ["Authorization": "Bearer " + secret]),
      posted,
    ]
  }
}
