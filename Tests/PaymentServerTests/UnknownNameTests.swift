import CounterfoilAPI
import HTTPMessages
import PaymentPrimitives
import ShopFixtures
import StrictJSON
import Testing

@Suite struct `A name that a call does not know` {
  @Test func `in the query is refused, because the call would otherwise list the whole app`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order()
    let answer = await front.ask("GET", "/v1/orders?transactionId=1001", as: front.keys.secret)
    #expect(answer.status == 400 && answer.code == "field_unknown")
    #expect(!answer.text.contains(order))
  }

  @Test(arguments: [
    ("/v1/orders?user_id=alice", "userId"), ("/v1/orders?userid=alice", "userId"), ("/v1/orders?limits=5", "limit"),
    ("/v1/orders?Open=true", "open"), ("/v1/deliveries?satte=all", "state"),
    ("/v1/users/alice/balances?enviroment=sandbox", "environment"),
  ])
  func `in the query is refused with the nearest known name`(target: String, nearest: String) async throws {
    let front = try await ServerFixture.open()
    let answer = await front.ask("GET", target, as: front.keys.secret)
    #expect(answer.code == "field_unknown")
    #expect(answer["detail"]?.string?.hasSuffix("Is \"\(nearest)\" meant?") == true, "\(answer.text)")
  }

  @Test(arguments: [
    ("POST", "/v1/orders", "userID", "userId"), ("POST", "/v1/orders", "refrence", "reference"),
    ("POST", "/v1/users/alice/balances/coin/debits", "reson", "reason"),
    ("PUT", "/v1/users/alice/consumption-consent", "consent", "consented"),
    ("POST", "/v1/deliveries/claim", "limits", "limit"),
    ("POST", "/v1/deliveries/claim", "zone", ""),
  ])
  func `in the body is refused with the nearest known name`(
    method: String, path: String, name: String, nearest: String
  ) async throws {
    let front = try await ServerFixture.open()
    let good: [(String, JSONValue?)] =
      switch path {
      case "/v1/orders": [("productId", "coins.100"), ("store", "appStore"), ("userId", "alice")]
      case "/v1/deliveries/claim": []
      default: path.hasSuffix("consent") ? [("consented", .bool(true))] : [("amount", .integer(1)), ("id", "d-1")]
      }
    let answer = await front.ask(method, path, as: front.keys.secret, json: .members(good + [(name, "x")]))
    #expect(answer.status == 400 && answer.code == "field_unknown")
    let detail = answer["detail"]?.string ?? ""
    #expect(detail.contains("\"\(name)\""))
    #expect(nearest.isEmpty ? !detail.contains("meant") : detail.hasSuffix("Is \"\(nearest)\" meant?"), "\(detail)")
    #expect(await front.ask("GET", "/v1/orders", as: front.keys.secret)["orders"]?.array == [])
  }

  @Test func `in a body that a call does not read is refused, too`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order()
    await front.submit(TestAppStoreSigner().transaction("1001", token: order), as: front.token())
    let delivery = try #require(await front.deliveries().first?["id"]?.string)
    let path = "/v1/deliveries/\(delivery)/ack"
    let answer = await front.ask("POST", path, as: front.keys.secret, json: .members([("state", "parked")]))
    #expect(answer.code == "field_unknown")
    #expect(await front.deliveries().first?["state"]?.string == "pending")
    #expect(await front.ask("POST", path, as: front.keys.secret, json: .object([])).status == 200)
  }

  @Test func `is shown only in part, and not to a caller without access`() async throws {
    let front = try await ServerFixture.open()
    let long = String(repeating: "n", count: 1000)
    let answer = await front.ask("GET", "/v1/orders?\(long)=1", as: front.token())
    #expect(answer.code == "field_unknown" && answer.text.utf8.count < 600)
    #expect(await front.ask("GET", "/v1/orders?x=1").code == "credential_missing")
  }

  @Test func `is ignored in what a phone submits, and in the body and query of a store's notification`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order()
    let evidence = TestAppStoreSigner().transaction("1001", token: order)
    let submitted = await front.submit(evidence, as: front.token(), [("fromANewerPhone", "x")])
    #expect(submitted.payment["verdict"]?.string == "fulfilled")
    let finished = await front.ask(
      "POST", "/v1/payments/app-store/finished", as: front.token(),
      json: .members([("transactionIds", .array(["1001"])), ("more", .integer(1))]))
    #expect(finished.status == 200)
    let posted = JSONValue.members([
      ("signedPayload", TestAppStoreSigner().notification("n-1", about: evidence)["signedPayload"]),
      ("added", "by Apple"),
    ])
    #expect(await front.ask("POST", "/notifications/app-store?source=x", json: posted).status == 200)
    // The query of a phone's submission is ours to write.
    let named = await front.ask(
      "POST", "/v1/payments/app-store?user=alice", as: front.keys.secret,
      json: .members([("evidence", .string(evidence))]))
    #expect(named.code == "field_unknown")
  }

  @Test func `is ignored by livez and readyz`() async throws {
    let front = try await ServerFixture.open()
    #expect(await front.ask("GET", "/livez?verbose=1").status == 200)
    #expect(await front.ask("GET", "/readyz?verbose=1").status == 200)
  }

  @Test func `is not the user id that a gateway adds to every call of an app`() async throws {
    let front = try await ServerFixture.open()
    #expect(await front.ask("GET", "/v1/products?userId=alice", as: front.keys.secret).status == 200)
    #expect(await front.ask("GET", "/v1/products?userId=bob", as: front.token()).code == "user_not_allowed")
  }
}
