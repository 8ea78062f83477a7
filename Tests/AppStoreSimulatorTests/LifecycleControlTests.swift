import AppStoreSimulator
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import TestDoubles
import Testing

@Suite struct `The control API, after a purchase,` {
  private let bundle = SimulatedShop.app.bundleId

  /// Buys over HTTP, and returns the path of the transaction.
  private func buy(_ product: SimulatedProduct, _ shop: ControlledShop) async throws -> (id: String, path: String) {
    let bought = try await shop.buy([("productId", .string(product.id.text))])
    let id = try #require(bought.json["transaction"]?["transactionId"]?.string)
    return (id, "/simulator/transactions/\(id)")
  }

  @Test(arguments: [
    ("/simulator/transactions/1/refund-request", "simulator_transaction_unknown", 404),
    ("/simulator/transactions/1/refund-decline", "simulator_transaction_unknown", 404),
    ("/simulator/transactions/1/refund-reversal", "simulator_transaction_unknown", 404),
    ("/simulator/transactions/1/notifications", "simulator_field_invalid", 400),
    ("/simulator/subscriptions/1/price-increase", "simulator_field_invalid", 400),
    ("/simulator/subscriptions/1/price-consent", "simulator_subscription_unknown", 404),
    ("/simulator/subscriptions/1/extend", "simulator_field_invalid", 400),
    ("/simulator/subscriptions/1/end", "simulator_subscription_unknown", 404),
    ("/simulator/consent-withdrawals", "simulator_field_invalid", 400),
    ("/simulator/external-purchases", "simulator_field_invalid", 400),
  ])
  func `refuses what is not there or lacks a field`(target: String, code: String, status: Int) async throws {
    let answer = try await ControlledShop().send("POST", target)
    #expect(answer.status == status && answer.json["code"]?.string == code)
  }

  @Test func `asks for refunds, declines and reverses them`() async throws {
    let shop = try await ControlledShop()
    let (id, path) = try await buy(SimulatedShop.coins, shop)
    #expect(try await shop.send("POST", path + "/refund-request", body: .members([("reason", "LEGAL")])).status == 202)
    let requests = try await shop.send("GET", "/simulator/refund-requests").json["requests"]?.array
    #expect(requests?.compactMap { $0["transactionId"]?.string } == [id])
    #expect(requests?.first?["reason"]?.string == "LEGAL")
    #expect(try await shop.send("POST", path + "/refund-decline").status == 204)
    #expect(try await shop.send("POST", path + "/refund").status == 200)
    #expect(try await shop.send("POST", path + "/refund-reversal").status == 204)
    #expect(await shop.shop.store.charges().map(\.refundedPercentage) == [0])
  }

  @Test func `shares a purchase, and ends the sharing`() async throws {
    let shop = try await ControlledShop()
    let (_, path) = try await buy(SimulatedShop.theme, shop)
    let member: JSONValue = .members([("account", .string(SimulatedShop.bob.account.text))])
    let shared = try await shop.send("POST", path + "/share", body: member)
    #expect(shared.status == 201 && shared.json["isFamilyShared"]?.bool == true)
    let id = try #require(shared.json["transactionId"]?.string)
    #expect(try await shop.send("DELETE", "/simulator/transactions/\(id)/share").status == 204)
  }

  @Test func `changes a running subscription`() async throws {
    let shop = try await ControlledShop()
    let (id, _) = try await buy(SimulatedShop.month, shop)
    let path = "/simulator/subscriptions/\(id)"
    let raise: JSONValue = .members([("price", .integer(30_000)), ("needsConsent", .bool(true))])
    #expect(try await shop.send("POST", path + "/price-increase", body: raise).status == 204)
    #expect(try await shop.send("POST", path + "/price-consent").status == 204)
    let extended = try await shop.send("POST", path + "/extend", body: .members([("days", .integer(3))]))
    #expect(extended.json["expiresDate"]?.integer != nil)
    let all = try await shop.send(
      "POST", "/simulator/apps/\(bundle)/products/\(SimulatedShop.month.id)/extend",
      body: .members([("days", .integer(1)), ("requestIdentifier", "outage")]))
    #expect(all.json["succeededCount"]?.integer == 1 && all.json["failedCount"]?.integer == 0)
    #expect(try await shop.send("POST", path + "/end").status == 409)
    shop.shop.time.advance(by: .days(40))
    #expect(try await shop.send("POST", path + "/end").status == 204)
  }

  @Test func `sets offers, grace and a card that cannot be charged, and uses an offer (AS-OFF-1, AS-BILL-1)`()
    async throws
  {
    let shop = try await ControlledShop()
    let offers = #"[{"offerType":3,"offerIdentifier":"half","offerDiscountType":"PAY_UP_FRONT","offerPeriod":"P1M"}]"#
    let body =
      #"{"type":"Auto-Renewable Subscription","price":25000,"currency":"CNY","subscriptionGroupIdentifier":"21752814","#
      + #""period":"P1M","offers":"# + offers + "}"
    let target = "/simulator/apps/\(bundle)/products/\(SimulatedShop.month.id)"
    let set = await shop.control.respond(to: HTTPRequest("PUT", target, body: Array(body.utf8)))
    #expect(set.status == 200)
    let wrong: [(String, JSONValue?)] = [("productId", .string(SimulatedShop.month.id.text))]
    #expect(try await shop.buy(wrong + [("offerIdentifier", "none")]).status == 422)
    #expect(try await shop.buy(wrong + [("offerIdentifier", "half")]).status == 201)
    #expect(
      try await shop.send(
        "PUT", "/simulator/apps/\(bundle)",
        body: .members([("appAppleId", .integer(5)), ("gracePeriodDays", .integer(16))])
      ).json["gracePeriodDays"]?.integer == 16)
    let account = "/simulator/accounts/\(SimulatedShop.alice.account)"
    #expect(try await shop.send("PUT", account, body: .members([("canPay", .bool(false))])).status == 200)
    #expect(try await shop.buy().status == 503)
  }

  @Test func `sends notifications about events that it does not simulate`() async throws {
    let shop = try await ControlledShop()
    let (_, path) = try await buy(SimulatedShop.coins, shop)
    let told = try await shop.send("POST", path + "/notifications", body: .members([("notificationType", "MIGRATION")]))
    #expect(told.status == 202)
    let owner: JSONValue = .members([
      ("account", .string(SimulatedShop.alice.account.text)), ("bundleId", .string(bundle)),
    ])
    #expect(try await shop.send("POST", "/simulator/consent-withdrawals", body: owner).status == 202)
    let token = try await shop.send(
      "POST", "/simulator/external-purchases", body: .members([("bundleId", .string(bundle)), ("subtype", "CREATED")]))
    #expect(token.json["externalPurchaseId"]?.string?.count == 36)
    #expect(try await shop.shop.titles().count == 4)
  }
}
