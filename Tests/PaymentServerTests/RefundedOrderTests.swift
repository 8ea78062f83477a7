import CounterfoilAPI
import HTTPMessages
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import SimulatorCore
import StrictJSON
import Testing
import WeChatPaySimulator

@Suite struct `An order that was refunded` {
  /// A purchase of 100 coins for 6.00 CNY, granted and acknowledged.
  private func bought(_ front: ServerFixture) async throws -> (order: String, deliveredAt: JSONValue?) {
    let order = await front.order()
    await front.submit(evidence(order), as: front.token())
    let delivery = try #require(await front.deliveries().first?["id"]?.string)
    front.clock.advance(by: .minutes(1))
    let acknowledged = await front.ask("POST", "/v1/deliveries/\(delivery)/ack", as: front.keys.secret)
    return (order, acknowledged["acknowledgedAt"])
  }

  private func evidence(_ order: String, signed: Timestamp = EngineFixture.noon, percentage: Int64? = nil) -> String {
    TestAppStoreSigner().transaction("1001", token: order) {
      $0["price"] = .integer(6000)
      $0["currency"] = "CNY"
      $0["signedDate"] = .integer(signed.milliseconds)
      guard let percentage else { return }
      $0["revocationDate"] = .integer(signed.milliseconds)
      $0["revocationReason"] = .integer(0)
      if percentage < 100_000 {
        $0["revocationType"] = "REFUND_PRORATED"
        $0["revocationPercentage"] = .integer(percentage)
      }
    }
  }

  private func notify(_ front: ServerFixture, _ uuid: String, type: String, evidence: String) async {
    let answer = await front.ask(
      "POST", "/notifications/app-store",
      json: TestAppStoreSigner(at: front.now()).notification(uuid, type, about: evidence))
    #expect(answer.status == 200)
  }

  private func read(_ front: ServerFixture, _ order: String) async -> Answer {
    await front.ask("GET", "/v1/orders/" + order, as: front.token())
  }

  @Test func `by Apple in part, then in full, shows this, and keeps its delivery time`() async throws {
    let front = try await ServerFixture.open()
    let (order, deliveredAt) = try await bought(front)
    let before = await read(front, order)
    #expect(before["refunds"] == nil && before["refundState"] == nil && before["refundedAmount"] == nil)
    #expect(before["deliveredAt"] == deliveredAt && deliveredAt != nil)
    front.clock.advance(by: .days(1))
    await notify(front, "n-1", type: "REFUND", evidence: evidence(order, signed: front.now(), percentage: 25_000))
    let partly = await read(front, order)
    #expect(partly["state"]?.string == "paid" && partly["refundState"]?.string == "partial")
    #expect(partly["refundedAmount"] == .members([("amount", .integer(150)), ("currency", "CNY")]))
    #expect(partly["refunds"]?.array?.first?["percentage"]?.integer == 25_000)
    #expect(partly["refunds"]?.array?.first?["doneAt"]?.string == front.now().iso8601)
    // The refund is not yet delivered to the backend; the grant was.
    #expect(partly["delivery"]?.string == "pending" && partly["deliveredAt"] == deliveredAt)
    front.clock.advance(by: .days(1))
    await notify(front, "n-2", type: "REFUND", evidence: evidence(order, signed: front.now(), percentage: 100_000))
    let wholly = await read(front, order)
    #expect(wholly["refundState"]?.string == "full" && wholly["lastVerdict"]?["verdict"]?.string == "revoked")
    #expect(wholly["refundedAmount"]?["amount"]?.integer == 600 && wholly["deliveredAt"] == deliveredAt)
    let listed = await front.ask("GET", "/v1/orders", as: front.keys.secret)["orders"]?.array?.first
    #expect(listed?["refundState"]?.string == "full")
  }

  @Test func `and got its refund reversed by Apple shows no refund`() async throws {
    let front = try await ServerFixture.open()
    let (order, deliveredAt) = try await bought(front)
    front.clock.advance(by: .days(1))
    await notify(front, "n-1", type: "REFUND", evidence: evidence(order, signed: front.now(), percentage: 100_000))
    front.clock.advance(by: .days(1))
    await notify(front, "n-2", type: "REFUND_REVERSED", evidence: evidence(order, signed: front.now()))
    let back = await read(front, order)
    #expect(back["refunds"] == nil && back["refundState"] == nil)
    #expect(back["deliveredAt"] == deliveredAt)
  }

  @Test func `at WeChat Pay shows pending and completed refunds`() async throws {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      let id = try await shop.bought()
      _ = await shop.refund(id, key: "r-1", [("amount", .integer(200))])
      let asked = await shop.front.ask("GET", "/v1/orders/" + id, as: shop.front.token())
      #expect(asked["refunds"]?.array?.map { $0["state"]?.string } == ["underWay"])
      #expect(asked["refunds"]?.array?.first?["amount"]?.integer == 200)
      #expect(asked["refundState"] == nil && asked["refundedAmount"] == nil)
      try await shop.dependencies.sleep(.seconds(5))
      try await shop.dependencies.sleep(.seconds(5))
      await NotificationSender(shop.weChatPay).sendDue()
      let partly = await shop.front.ask("GET", "/v1/orders/" + id, as: shop.front.token())
      #expect(partly["refundState"]?.string == "partial")
      #expect(partly["refundedAmount"] == .members([("amount", .integer(200)), ("currency", "CNY")]))
      for _ in 0..<13 { try await shop.dependencies.sleep(.seconds(5)) }
      _ = await shop.refund(id, key: "r-2")
      try await shop.dependencies.sleep(.seconds(5))
      try await shop.dependencies.sleep(.seconds(5))
      await NotificationSender(shop.weChatPay).sendDue()
      let wholly = await shop.front.ask("GET", "/v1/orders/" + id, as: shop.front.token())
      #expect(wholly["refundState"]?.string == "full" && wholly["refundedAmount"]?["amount"]?.integer == 600)
      #expect(wholly["refunds"]?.array?.count == 2)
    }
  }
}

@Suite struct `The price of an App Store order` {
  @Test func `is what Apple signed, once it is paid`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order()
    let evidence = TestAppStoreSigner().transaction("1001", token: order) {
      $0["price"] = .integer(1990)
      $0["currency"] = "USD"
    }
    #expect(await front.ask("GET", "/v1/orders/" + order, as: front.token())["signedPrice"] == nil)
    await front.submit(evidence, as: front.token())
    let paid = await front.ask("GET", "/v1/orders/" + order, as: front.token())
    #expect(paid["signedPrice"] == .members([("milliunits", .integer(1990)), ("currency", "USD")]))
    // What the client library reads is what was sent.
    let body = try OrderBody(json: paid.json)
    #expect(body.signedPrice == StatedPrice(milliunits: 1990, currency: "USD") && body.json == paid.json)
  }

  @Test func `in minor units has as many digits as its currency`() {
    func share(_ milliunits: Int64, _ currency: String, share: Int64 = 100_000) -> Int64? {
      StatedPrice(milliunits: milliunits, currency: currency).money(thousandthsOfPercent: share)?.minorUnits
    }
    #expect(share(1990, "USD") == 199)
    #expect(share(120_000, "JPY") == 120)
    #expect(share(1500, "KWD") == 1500)
    #expect(share(6000, "CNY", share: 33_333) == 199)
    #expect(share(6000, "CNY", share: 0) == 0)
    #expect(share(6000, "cny") == nil && share(-1, "CNY") == nil && share(.max, "CNY") == nil)
    #expect(share(6000, "CNY", share: 100_001) == nil)
  }
}
