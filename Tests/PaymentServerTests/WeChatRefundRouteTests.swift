import CounterfoilAPI
import HTTPMessages
import PaymentPrimitives
import PaymentServer
import ShopFixtures
import SimulatorCore
import StrictJSON
import Testing
import WeChatPaySimulator

@Suite struct `A refund over HTTP` {
  /// The refund completes, and WeChat Pay sends its notification.
  private func settle(_ shop: WeChatPayServerFixture) async throws {
    try await shop.dependencies.sleep(.seconds(5))
    try await shop.dependencies.sleep(.seconds(5))
    await NotificationSender(shop.weChatPay).sendDue()
  }

  @Test func `is for backends and operators alone`() async throws {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      let front = shop.front
      let id = try await shop.bought()
      for credential in [front.token(), front.keys.publishable, front.keys.operator] {
        #expect(await shop.refund(id, key: "k", as: credential).code == "not_allowed")
      }
      for credential in [front.token(), front.keys.secret, front.keys.publishable] {
        let answer = await front.ask(
          "POST", "/v1/operator/orders/\(id)/refund", as: credential, fields: ["Idempotency-Key": "k"])
        #expect(answer.code == "not_allowed")
      }
      #expect(await shop.refund(id, key: "k", as: front.keys.otherSecret).code == "order_unknown")
      #expect(
        await front.ask("GET", "/v1/orders/\(id)/refunds", as: front.keys.otherSecret).code == "order_unknown")
      #expect(await front.ask("GET", "/v1/orders/\(id)/refunds", as: front.token()).code == "not_allowed")
      #expect(await shop.weChatPay.refunds().isEmpty)
    }
  }

  @Test func `is refused without its key, for an order not paid here, and for more than is left`() async throws {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      let id = try await shop.bought()
      #expect(await shop.refund(id, key: nil).code == "field_invalid")
      for key in ["", String(repeating: "k", count: 256)] {
        #expect(await shop.refund(id, key: key).code == "field_invalid")
      }
      let bodies: [[(String, JSONValue?)]] = [
        [("amount", .integer(0))], [("amount", .integer(-1))], [("amount", "600")],
        [("amount", .number("1.5"))], [("reason", .string(String(repeating: "退", count: 27)))],
      ]
      for body in bodies { #expect(await shop.refund(id, key: "k", body).code == "field_invalid", "\(body)") }
      let tooMuch = await shop.refund(id, key: "k", [("amount", .integer(601))])
      #expect(tooMuch.status == 422)
      #expect(tooMuch.code == "refund_too_large")
      #expect(await shop.refund("01890a5d-ac96-774b-bcce-b302099a8057", key: "k").code == "order_unknown")
      let unpaid = await shop.order()["id"]?.string ?? ""
      let early = await shop.refund(unpaid, key: "k")
      #expect(early.status == 409)
      #expect(early.code == "refund_not_possible")
      let apple = await shop.front.order()
      await shop.front.submit(
        TestAppStoreSigner(at: shop.front.now()).transaction("1001", token: apple), as: shop.front.token())
      #expect(await shop.refund(apple, key: "k").code == "refund_not_possible")
      #expect(await shop.weChatPay.refunds().isEmpty)
    }
  }

  @Test(arguments: FixtureDatabase.allCases)
  func `in parts takes back each part once, and is delivered to the backend`(_ kind: FixtureDatabase) async throws {
    try await kind.withWeChat { (shop) async throws in
      let id = try await shop.bought("coins.100", [("reference", nil)])
      let first = await shop.refund(id, key: "r-1", [("amount", .integer(300)), ("reason", "半价")])
      #expect(first.status == 200)
      #expect(first["state"]?.string == "underWay")
      #expect(first["amount"]?.integer == 300)
      #expect(first["total"]?.integer == 600)
      #expect(first["orderId"]?.string == id)
      #expect(await shop.front.coins() == 100)
      let again = await shop.refund(id, key: "r-1", [("amount", .integer(300)), ("reason", "半价")])
      #expect(again.json == first.json)
      let reused = await shop.refund(id, key: "r-1", [("amount", .integer(299))])
      #expect(reused.status == 409)
      #expect(reused.code == "idempotency_key_reused")
      try await settle(shop)
      #expect(await shop.front.coins() == 50)
      for _ in 0..<13 { try await shop.dependencies.sleep(.seconds(5)) }
      let rest = await shop.front.ask(
        "POST", "/v1/operator/orders/\(id)/refund", as: shop.front.keys.operator, fields: ["Idempotency-Key": "r-2"])
      #expect(rest["amount"]?.integer == 300)
      try await settle(shop)
      #expect(await shop.front.coins() == 0)
      let listed = await shop.front.ask("GET", "/v1/orders/\(id)/refunds", as: shop.front.keys.secret)
      #expect(listed["refunds"]?.array?.map { $0["state"]?.string } == ["done", "done"])
      #expect(listed["refunds"]?.array?.allSatisfy { $0["doneAt"] != nil && $0["storeRefundId"] != nil } == true)
      #expect(await shop.refund(id, key: "r-3").code == "refund_too_large")
      try await expectDeliveries(shop, id)
      #expect(try await shop.front.violations() == [])
    }
  }

  /// Expects the deliveries of a purchase and of two refunds of half of it.
  private func expectDeliveries(_ shop: WeChatPayServerFixture, _ id: String) async throws {
    let bodies = await shop.front.deliveries().compactMap { $0["delivery"] }.sorted {
      ($0["sequence"]?.integer ?? 0) < ($1["sequence"]?.integer ?? 0)
    }
    #expect(bodies.map { $0["type"]?.string } == ["grant.created", "grant.reversed", "grant.reversed"])
    #expect(bodies.map { $0["sequence"]?.integer } == [1, 2, 3])
    #expect(
      bodies.map { $0["units"]?.text } == [
        #"{"unit":"coin","amount":100}"#, #"{"unit":"coin","amount":50}"#, #"{"unit":"coin","amount":50}"#,
      ])
    let order = try #require(await shop.weChatPay.orders().first)
    for body in bodies {
      #expect(body["transactionId"]?.string == order.transactionId)
      #expect(body["orderId"]?.string == id)
      #expect(body["store"]?.string == "weChatPay")
      #expect(body["match"]?.array == ["exact"])
      #expect(body["userId"]?.string == "alice")
      #expect(body["productId"]?.string == "coins.100")
    }
    #expect(Set(bodies.compactMap { $0["id"]?.string }).count == 3)
  }

  @Test func `of a lasting entitlement ends it with the last fen`() async throws {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      let id = try await shop.bought("premium")
      _ = await shop.refund(id, key: "r-1", [("amount", .integer(9899))])
      try await settle(shop)
      func entitlements() async -> [String?] {
        let answer = await shop.front.ask("GET", "/v1/entitlements", as: shop.front.token())
        return answer["entitlements"]?.array?.map { $0["state"]?.string } ?? []
      }
      #expect(await entitlements() == ["active"])
      for _ in 0..<13 { try await shop.dependencies.sleep(.seconds(5)) }
      _ = await shop.refund(id, key: "r-2")
      try await settle(shop)
      #expect(await entitlements().contains("active") == false)
      #expect(try await shop.front.violations() == [])
    }
  }

  @Test func `that WeChat Pay refuses permanently reports this and keeps the grant`() async throws {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      let id = try await shop.bought()
      try await shop.weChatPay.control.plan(PlannedFault(.closedRefund, of: .refund))
      _ = await shop.refund(id, key: "r-1")
      try await settle(shop)
      let listed = await shop.front.ask("GET", "/v1/orders/\(id)/refunds", as: shop.front.keys.secret)
      #expect(listed["refunds"]?.array?.map { $0["failure"]?.string } == ["CLOSED"])
      #expect(await shop.front.coins() == 100)
    }
  }
}

@Suite struct `A comparison with the bill over HTTP` {
  private func compare(_ shop: WeChatPayServerFixture, _ day: String, as credential: String? = nil) async -> Answer {
    await shop.front.ask(
      "POST", "/v1/operator/reconciliations", as: credential ?? shop.front.keys.operator,
      json: .members([("store", "weChatPay"), ("day", .string(day))]))
  }

  @Test func `is for operators, for valid days, and for bills that are available`() async throws {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      for credential in [shop.front.token(), shop.front.keys.secret] {
        #expect(await compare(shop, "2026-03-01", as: credential).code == "not_allowed")
      }
      #expect(await compare(shop, "2026-02-30").code == "day_unknown")
      #expect(await compare(shop, "2026-03-01", as: shop.front.keys.otherOperator).code == "store_not_configured")
      let early = await compare(shop, "2026-03-01")
      #expect(early.status == 503)
      #expect(early.code == "bill_not_ready")
    }
  }

  @Test func `grants a payment that only the bill contains`() async throws {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      try await shop.weChatPay.setBehaviour(.billsAtOnce, to: 1)
      let order = await shop.order()
      try await shop.visit(order, .payAndLeave)
      let report = await compare(shop, "2026-03-01")
      #expect(report.status == 200)
      #expect(report["healed"]?.integer == 1)
      #expect(report["differences"]?.integer == 0)
      #expect(report["findings"]?.array?.first?["orderId"] == order["id"])
      #expect(await shop.front.coins() == 100)
    }
  }
}

@Suite struct `The same WeChat payment reported 200 times at once over HTTP` {
  @Test(arguments: FixtureDatabase.allCases)
  func `is one grant and one delivery, by notifications and questions`(_ kind: FixtureDatabase) async throws {
    try await kind.withWeChat { (shop) async throws in
      let order = await shop.order()
      let id = order["id"]?.string ?? ""
      try await shop.visit(order)
      let requests = try await withThrowingTaskGroup(of: HTTPRequest.self) { group in
        for _ in 0..<100 { group.addTask { try await shop.notification() } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      let (token, other) = (shop.front.token(), shop.front.token(of: "bob"))
      let answers = await withTaskGroup(of: Answer.self) { group in
        for (number, request) in requests.enumerated() {
          group.addTask { await shop.post(request) }
          group.addTask {
            switch number % 3 {
            case 0: return await shop.check(id, as: token)
            case 1: return await shop.check(id, as: other)
            default: return await shop.front.ask("GET", "/v1/orders/\(id)?wait=1", as: token)
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(answers.count == 200)
      #expect(answers.count { $0.status == 204 } == 100)
      #expect(answers.count { $0.code == "order_unknown" } == 33)
      #expect(answers.allSatisfy { [200, 204, 404].contains($0.status) })
      #expect(await shop.front.coins() == 100)
      #expect(await shop.front.coins(of: "bob") == 0)
      #expect(await shop.front.deliveries().count == 1)
      let read = await shop.front.ask("GET", "/v1/orders/\(id)", as: token)
      #expect(read["state"]?.string == "paid")
      #expect(try await shop.front.violations() == [])
    }
  }
}
