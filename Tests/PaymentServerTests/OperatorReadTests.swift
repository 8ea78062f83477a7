import CounterfoilAPI
import HTTPMessages
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

@Suite struct `An operator who looks` {
  private func read(_ front: ServerFixture, _ path: String, as key: String? = nil) async -> Answer {
    await front.ask("GET", "/v1/operator" + path, as: key ?? front.keys.operator)
  }

  private func bought(_ front: ServerFixture, _ id: String = "1001") async -> String {
    let order = await front.order()
    await front.submit(TestAppStoreSigner().transaction(id, token: order), as: front.token())
    return order
  }

  @Test func `is refused with a user's token, a publishable and a secret key`() async throws {
    let front = try await ServerFixture.open()
    for path in [
      "/orders/1", "/payments/appStore/simulated/1", "/users/alice", "/deliveries", "/deliveries/1", "/notifications/1",
    ] {
      for credential in [front.token(), front.keys.publishable, front.keys.secret] {
        #expect(await read(front, path, as: credential).code == "not_allowed", "\(path)")
      }
    }
  }

  @Test func `finds nothing of another app`() async throws {
    let front = try await ServerFixture.open()
    let order = await bought(front)
    let evidence = TestAppStoreSigner().transaction("1001", token: order)
    await front.ask("POST", "/notifications/app-store", json: TestAppStoreSigner().notification("n1", about: evidence))
    let delivery = try #require(await front.deliveries().first?["id"]?.string)
    for (path, code) in [
      ("/orders/" + order, "order_unknown"), ("/payments/appStore/simulated/1001", "payment_unknown"),
      ("/deliveries/" + delivery, "delivery_unknown"), ("/notifications/n1", "notification_unknown"),
    ] {
      let answer = await read(front, path, as: front.keys.otherOperator)
      #expect(answer.code == code && answer.status == 404, "\(path)")
      #expect(await read(front, path).status == 200, "\(path)")
    }
    let user = await read(front, "/users/alice", as: front.keys.otherOperator)
    #expect(user["orders"]?.array == [] && user["payments"]?.array == [] && user["balances"]?.array == [])
    #expect(await read(front, "/deliveries?state=all", as: front.keys.otherOperator)["deliveries"]?.array == [])
  }

  @Test func `is refused with unknown words`() async throws {
    let front = try await ServerFixture.open()
    for path in [
      "/orders/1?environment=moon", "/users/alice?environment=", "/users/alice?limit=0", "/users/alice?before=x",
      "/users/alice?before=01890a5d-ac96-774b-bcce-b302099a8057", "/deliveries?state=late",
      "/deliveries?environment=moon", "/notifications/n1?environment=moon",
    ] {
      #expect(await read(front, path).code == "field_invalid", "\(path)")
    }
    for path in ["/payments/paypal/simulated/1", "/payments/appStore/moon/1", "/payments/appStore/simulated/1"] {
      #expect(await read(front, path).code == "payment_unknown", "\(path)")
    }
  }

  @Test func `sees an order with its payment, grant, deliveries and journal`() async throws {
    let front = try await ServerFixture.open()
    let id = await bought(front)
    let story = await read(front, "/orders/" + id)
    #expect(story["order"]?["state"]?.string == "paid" && story["order"]?["userId"]?.string == "alice")
    #expect(story["payments"]?.array?.map { $0["transactionId"]?.string } == ["1001"])
    #expect(story["grant"]?["amount"]?.integer == 100 && story["grant"]?["userId"]?.string == "alice")
    #expect(story["deliveries"]?.array?.map { $0["attempts"]?.integer } == [0])
    let journal = story["journal"]?.array ?? []
    #expect(journal.contains { $0["what"]?.string == "payment.fulfilled" })
    #expect(journal.compactMap { $0["at"]?.string } == journal.compactMap { $0["at"]?.string }.sorted())
    #expect(story["journalOmitted"]?.integer == 0 && story["alsoIn"]?.array == [])
    #expect(await read(front, "/orders/\(id)?environment=sandbox").code == "order_unknown")
  }

  @Test func `sees a payment that waits without an order: why, with what, and what to do`() async throws {
    let front = try await ServerFixture.open()
    let evidence = TestAppStoreSigner().transaction("1001", of: "com.example.gone") {
      $0["webOrderLineItemId"] = "7001"
    }
    await front.submit(evidence, as: front.token())
    let answer = await read(front, "/payments/appStore/simulated/1001")
    #expect(answer["payment"]?["state"]?.string == "held" && answer["payment"]?["reason"]?.string == "productUnknown")
    #expect(answer["payment"]?["acts"]?.array == ["retry", "setAside"])
    #expect(answer["advice"]?.string?.contains("configuration") == true)
    #expect(answer["signed"]?["webOrderLineItemId"]?.string == "7001")
    #expect(answer["evidence"]?.array?.map { $0["origin"]?.string } == ["client"])
    #expect(answer["evidence"]?.array?.first?["bytes"]?.integer == Int64(evidence.utf8.count))
    #expect(answer["keptClaims"]?.array?.map { $0["userId"]?.string } == ["alice"])
    #expect(answer["journal"]?.array?.isEmpty == false)
    #expect(answer["grant"] == nil && answer["match"] == nil)
    for part in evidence.split(separator: ".") {
      #expect(!answer.text.contains(part), "a signed text can be used again")
    }
  }

  @Test func `sees a repeated id as the payment that it repeats`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order("premium")
    for id in ["1001", "1002"] {
      let evidence = TestAppStoreSigner().transaction(
        id, of: "com.example.premium", token: order, type: "Non-Consumable"
      ) { $0["originalTransactionId"] = "1001" }
      await front.submit(evidence, as: front.token())
    }
    let story = await read(front, "/payments/appStore/simulated/1002")
    #expect(story["duplicateOf"]?.string == "1001" && story["payment"]?["transactionId"]?.string == "1001")
    #expect(story["match"]?["rule"]?.string == "exact" && story["grant"]?["entitlement"]?.string == "premium")
    #expect(story["evidence"]?.array?.count == 2)
  }

  @Test func `sees a change that was stopped after its payment was set aside`() async throws {
    let front = try await ServerFixture.open()
    await front.submit(TestAppStoreSigner().transaction("1001"), as: front.keys.publishable)
    await front.ask(
      "POST", "/v1/operator/payments/1001/set-aside", as: front.keys.operator, json: .members([("reason", "a doubt")]))
    await front.submit(TestAppStoreSigner().transaction("1001"), as: front.token())
    let story = await read(front, "/payments/appStore/simulated/1001")
    #expect(story["stopped"]?.array?.map { $0["kind"]?.string } == ["setAside"])
    #expect(story["payment"]?["acts"]?.array == ["release", "refund"])
  }

  @Test func `sees a user's orders page by page, with payments, balances and refunds`() async throws {
    let front = try await ServerFixture.open()
    var orders: [String] = []
    for id in ["1001", "1002", "1003"] {
      orders.insert(await bought(front, id), at: 0)
      front.clock.advance(by: .minutes(1))
    }
    let first = await read(front, "/users/alice?limit=2")
    #expect(first["orders"]?.array?.map { $0["id"]?.string } == Array(orders.prefix(2)))
    let next = try #require(first["next"]?.string)
    let rest = await read(front, "/users/alice?limit=2&before=" + next)
    #expect(rest["orders"]?.array?.map { $0["id"]?.string } == Array(orders.suffix(1)))
    #expect(rest["next"] == nil)
    #expect(first["payments"]?.array?.map { $0["transactionId"]?.string } == ["1003", "1002", "1001"])
    #expect(first["morePayments"]?.bool == false)
    #expect(first["balances"]?.array?.map { $0["amount"]?.integer } == [300])
    #expect(first["refundRatio"]?["granted"]?.integer == 3)
    #expect(first["entitlements"]?.array == [])
    #expect(await read(front, "/users/bob?before=" + next).code == "field_invalid")
  }

  @Test func `sees deliveries that are parked or pending, and each with its body`() async throws {
    let front = try await ServerFixture.open()
    _ = await bought(front)
    #expect(await read(front, "/deliveries")["deliveries"]?.array == [])
    let pending = await read(front, "/deliveries?state=pending")["deliveries"]?.array ?? []
    let id = try #require(pending.first?["id"]?.string)
    let delivery = await read(front, "/deliveries/" + id)
    for member in pending.first?.object ?? [] { #expect(delivery[member.name] == member.value, "\(member.name)") }
    #expect(delivery["delivery"]?["userId"]?.string == "alice")
    #expect(delivery["failedAttempts"]?.array == [])
    #expect(await read(front, "/deliveries?state=all&environment=sandbox")["deliveries"]?.array == [])
  }

  @Test func `sees a notification without its signed text`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order()
    let body = TestAppStoreSigner().notification(
      "n1", about: TestAppStoreSigner().transaction("1001", token: order))
    await front.ask("POST", "/notifications/app-store", json: body)
    let seen = await read(front, "/notifications/n1")
    #expect(seen["type"]?.string == "ONE_TIME_CHARGE" && seen["effect"]?.string == "applied")
    #expect(seen["transactionId"]?.string == "1001" && seen["environment"]?.string == "simulated")
    let payload = try #require(body["signedPayload"]?.string)
    for part in payload.split(separator: ".") { #expect(!seen.text.contains(part)) }
  }
}
