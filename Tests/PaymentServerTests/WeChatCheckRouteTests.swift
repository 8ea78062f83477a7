import CounterfoilAPI
import HTTPMessages
import PaymentPrimitives
import PaymentServer
import ShopFixtures
import SimulationKit
import SimulatorCore
import StrictJSON
import Testing
import WeChatPaySimulator

@Suite struct `A client that is back from WeChat` {
  @Test func `learns nothing of another's order, and must name one`() async throws {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      let front = shop.front
      let id = try await shop.bought()
      for (credential, more) in [
        (front.token(of: "bob"), []), (front.keys.otherSecret, []), (front.keys.secret, [("userId", "bob")]),
      ] as [(String, [(String, JSONValue?)])] {
        let answer = await shop.check(id, as: credential, more)
        #expect(answer.code == "order_unknown")
        #expect(!answer.text.contains("alice"))
      }
      #expect(await shop.check(id, as: front.keys.publishable).code == "not_allowed")
      #expect(await shop.check(id, as: front.token(), [("userId", "bob")]).code == "user_not_allowed")
      let apple = await front.order()
      #expect(await shop.check(apple).code == "order_unknown")
      for body in [JSONValue.object([]), .members([("orderId", .integer(1))]), .members([("orderId", "")])] {
        let answer = await front.ask("POST", CheckWeChatPay.path, as: front.token(), json: body)
        #expect(answer.code == "field_invalid")
      }
    }
  }

  @Test(arguments: FixtureDatabase.allCases)
  func `receives unpaid until WeChat Pay reports paid, then fulfilled, whatever it claims`(_ kind: FixtureDatabase)
    async throws
  {
    try await kind.withWeChat { (shop) async throws in
      let answer = await shop.order()
      let id = answer["id"]?.string ?? ""
      try await shop.visit(answer, .cancel)
      let claims: [(String, JSONValue?)] = [("errCode", .integer(0)), ("verdict", "fulfilled"), ("paid", .bool(true))]
      let unpaid = await shop.check(id, claims)
      #expect(unpaid.status == 200)
      #expect(unpaid["verdict"]?.string == "unpaid")
      #expect(unpaid["order"]?["state"]?.string == "awaitingPayment")
      #expect(unpaid["reason"] == nil)
      #expect(await shop.front.coins() == 0)
      try await shop.visit(answer, .payAndLeave)
      let paid = await shop.check(id)
      #expect(paid["verdict"]?.string == "fulfilled")
      #expect(paid["order"]?["state"]?.string == "paid")
      #expect(await shop.check(id).json == paid.json)
      #expect(await shop.front.coins() == 100)
    }
  }

  @Test func `receives held with the reason if WeChat Pay reports another amount`() async throws {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      try await shop.weChatPay.control.plan(PlannedFault(.alteredAmount, of: .query, count: nil))
      let answer = await shop.order()
      try await shop.visit(answer)
      let held = await shop.check(answer["id"]?.string ?? "")
      #expect(held["verdict"]?.string == "held")
      #expect(held["reason"]?.string == "amountDiffers")
      #expect(held["order"]?["state"]?.string == "awaitingPayment")
      #expect(await shop.front.coins() == 0)
      try await shop.dependencies.sleep(.seconds(1))
      let queue = await shop.front.ask("GET", "/v1/operator/queue", as: shop.front.keys.operator)
      #expect(queue["payments"]?.array?.map { $0["reason"]?.string } == ["amountDiffers"])
    }
  }

  @Test func `receives unpaid for a closed order and revoked for a refunded one`() async throws {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      let open = await shop.order()["id"]?.string ?? ""
      await shop.front.ask("POST", "/v1/orders/\(open)/close", as: shop.front.token())
      let closed = await shop.check(open)
      #expect(closed["verdict"]?.string == "unpaid")
      #expect(closed["order"]?["state"]?.string == "closed")
      let bought = try await shop.bought()
      _ = await shop.refund(bought, key: "all")
      try await shop.dependencies.sleep(.seconds(5))
      try await shop.dependencies.sleep(.seconds(5))
      await NotificationSender(shop.weChatPay).sendDue()
      #expect(await shop.check(bought)["verdict"]?.string == "revoked")
      #expect(await shop.front.coins() == 0)
    }
  }

  @Test func `may name the app's own number, and a gateway the user`() async throws {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      let secret = shop.front.keys.secret
      let answer = await shop.order(as: secret, [("userId", "alice"), ("reference", "N 1-中")])
      try await shop.visit(answer)
      let checked = await shop.check("N 1-中", as: secret, [("userId", "alice")])
      #expect(checked["verdict"]?.string == "fulfilled")
      #expect(checked["order"]?["reference"]?.string == "N 1-中")
    }
  }

  /// A shop in a world where time passes.
  private func shop(in fixture: AppStoreServerFixture) throws -> WeChatPayServerFixture {
    try fixture.perform { dependencies in try await WeChatPayServerFixture.open(in: dependencies) }
  }

  @Test func `is answered at once if WeChat Pay reports paid, else after a second query (1B.3)`() throws {
    let fixture = AppStoreServerFixture()
    let shop = try shop(in: fixture)
    let spans = try fixture.perform { dependencies in
      var spans: [Int64] = []
      for action in [CashierAction.pay, .leave, .payLater(.seconds(3), winsOverClose: false)] {
        let user = UserIdentifier("user\(spans.count / 2)")
        let answer = await shop.order(of: user)
        try await shop.visit(answer, action)
        let started = dependencies.now()
        let checked = await shop.check(answer["id"]?.string ?? "", as: shop.front.token(of: user))
        spans += [(dependencies.now() - started).milliseconds, checked["verdict"]?.string == "fulfilled" ? 1 : 0]
      }
      return spans
    }
    #expect(spans == [0, 1, 5000, 0, 5000, 1])
  }

  @Test func `with more than eight waiting calls is answered from what is known`() throws {
    let fixture = AppStoreServerFixture()
    let shop = try shop(in: fixture)
    let spans = try fixture.perform { dependencies in
      let id = await shop.order()["id"]?.string ?? ""
      return await withTaskGroup(of: Int64.self) { group in
        for _ in 0..<10 {
          group.addTask {
            let started = dependencies.now()
            let answer = await shop.check(id)
            #expect(answer["verdict"]?.string == "unpaid")
            return (dependencies.now() - started).milliseconds
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
    }
    #expect(spans.count { $0 == 0 } == 2)
    #expect(spans.count { $0 >= 5000 } == 8)
  }

  @Test func `that reads with wait receives the payment within a second of its notification`() throws {
    let fixture = AppStoreServerFixture()
    let shop = try shop(in: fixture)
    fixture.process.spawn { await NotificationSender(shop.weChatPay).run() }
    let (span, answer) = try fixture.perform { dependencies in
      let order = await shop.order()
      let id = order["id"]?.string ?? ""
      try await shop.visit(order, .payLater(.milliseconds(7300), winsOverClose: false))
      let started = dependencies.now()
      let answer = await shop.front.ask("GET", "/v1/orders/\(id)?wait=25", as: shop.front.token())
      return (dependencies.now() - started, answer)
    }
    #expect(answer["state"]?.string == "paid")
    #expect(span >= .milliseconds(7300) && span < .milliseconds(8300), "\(span)")
  }

  @Test
  func `that waits without a notification has WeChat Pay queried at once and after five seconds (1B.3)`() throws {
    let fixture = AppStoreServerFixture()
    let shop = try shop(in: fixture)
    let (span, answer) = try fixture.perform { dependencies in
      let order = await shop.order()
      try await shop.visit(order, .payLater(.seconds(2), winsOverClose: false))
      let started = dependencies.now()
      let answer = await shop.front.ask(
        "GET", "/v1/orders/\(order["id"]?.string ?? "")?wait=25", as: shop.front.token())
      return (dependencies.now() - started, answer)
    }
    #expect(answer["state"]?.string == "paid")
    #expect(span == .seconds(5))
  }
}
