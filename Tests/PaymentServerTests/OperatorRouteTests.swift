import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

@Suite struct `What is sold and what a user has` {
  @Test func `is listed with the stores' product ids (1B.4, 1A.21)`() async throws {
    let front = try await ServerFixture.open()
    let products = await front.ask("GET", "/v1/products", as: front.token())["products"]?.array ?? []
    #expect(products.count == TestCatalog.server.count)
    let coins = products.first { $0["productId"]?.string == "coins.100" }
    #expect(coins?["appStoreProductIds"]?.array == ["com.example.coins100"])
    #expect(coins?["grant"]?.text == #"{"unit":"coin","amount":100}"#)
    #expect(await front.ask("GET", "/v1/products", as: front.keys.secret)["products"]?.array == products)
  }

  @Test func `is shown only to the user's own token, or to a backend that names the user`() async throws {
    let front = try await ServerFixture.open()
    for (id, product, storeProduct) in [("1", "premium", "com.example.premium"), ("2", "season", "com.example.season")]
    {
      let order = await front.order(product)
      let type = product == "premium" ? "Non-Consumable" : "Non-Renewing Subscription"
      let evidence = TestAppStoreSigner().transaction(id, of: storeProduct, token: order, type: type)
      let answer = await front.submit(evidence, as: front.token())
      #expect(answer.payment["verdict"]?.string == "fulfilled")
    }
    let mine = await front.ask("GET", "/v1/entitlements", as: front.token())
    let entitlements = mine["entitlements"]?.array ?? []
    #expect(entitlements.map { $0["entitlement"]?.string } == ["premium", "season"])
    #expect(entitlements.allSatisfy { $0["state"]?.string == "active" })
    for target in ["/v1/users/alice/entitlements", "/v1/entitlements?userId=alice"] {
      #expect(await front.ask("GET", target, as: front.keys.secret).json == mine.json)
    }
    #expect(await front.ask("GET", "/v1/entitlements", as: front.token(of: "bob"))["entitlements"]?.array == [])
    #expect(await front.ask("GET", "/v1/entitlements", as: front.keys.secret).code == "user_missing")
    front.clock.advance(by: .days(91))
    let later = await front.ask("GET", "/v1/entitlements", as: front.token())["entitlements"]?.array ?? []
    #expect(later.map { $0["state"]?.string } == ["active", "expired"])
  }

  @Test func `is read only in environments that the app has`() async throws {
    let front = try await ServerFixture.open()
    let there = await front.ask("GET", "/v1/users/alice/balances?environment=xcode", as: front.keys.secret)
    #expect(there.status == 200)
    for world in ["production", "sandbox", "moon", ""] {
      let answer = await front.ask("GET", "/v1/users/alice/balances?environment=" + world, as: front.keys.secret)
      #expect(answer.code == "field_invalid", "\(world)")
    }
    #expect(await front.ask("GET", "/v1/balances?environment=xcode", as: front.token()).code == "field_invalid")
    let nobody = String(repeating: "a", count: 256)
    let long = await front.ask("GET", "/v1/users/\(nobody)/balances", as: front.keys.secret)
    #expect(long.code == "field_invalid")
  }
}

@Suite struct `An operator` {
  private func claim(
    _ front: ServerFixture, _ id: String, user: String, more: [(String, JSONValue?)] = []
  ) async -> Answer {
    await front.ask(
      "POST", "/v1/operator/payments/\(id)/claim", as: front.keys.operator,
      json: .members([("userId", .string(user)), ("reason", "he showed the receipt")] + more))
  }

  @Test func `cannot claim a payment that is unknown or has an owner, or claim without a reason`() async throws {
    let front = try await ServerFixture.open()
    #expect(await claim(front, "9", user: "alice").code == "payment_unknown")
    let order = await front.order()
    await front.submit(TestAppStoreSigner().transaction("1001", token: order), as: front.token())
    let owned = await claim(front, "1001", user: "bob")
    #expect(owned.status == 409)
    #expect(owned.code == "payment_not_claimable")
    #expect(await claim(front, "1001", user: "alice", more: [("environment", "production")]).code == "field_invalid")
    for body in ["{}", #"{"userId":"bob"}"#, #"{"userId":"bob","reason":""}"#, #"{"userId":7,"reason":"x"}"#] {
      let answer = await front.ask(
        "POST", "/v1/operator/payments/1001/claim", as: front.keys.operator, body: Array(body.utf8))
      #expect(answer.code == "field_invalid")
    }
  }

  @Test func `sees what waits, assigns it to its owner once, and can repeat this safely`() async throws {
    let front = try await ServerFixture.open()
    await front.submit(TestAppStoreSigner().transaction("1001"), as: front.keys.publishable)
    func waiting() async -> [String?] {
      (await front.ask("GET", "/v1/operator/queue", as: front.keys.operator)["payments"]?.array ?? [])
        .map { $0["transactionId"]?.string }
    }
    #expect(await waiting() == ["1001"])
    let given = await claim(front, "1001", user: "alice")
    #expect(given["ownerId"]?.string == "alice")
    #expect(given["state"]?.string == "fulfilled")
    #expect(await claim(front, "1001", user: "alice").status == 200)
    #expect(await claim(front, "1001", user: "bob").code == "payment_not_claimable")
    #expect(await waiting() == [])
    #expect(await front.coins() == 100)
    #expect(try await front.violations() == [])
  }

  @Test func `sets a payment aside with a reason, releases it and retries it`() async throws {
    let front = try await ServerFixture.open()
    await front.submit(TestAppStoreSigner().transaction("1001"), as: front.keys.publishable)
    func act(_ word: String, _ json: JSONValue? = .members([("reason", "a doubt")])) async -> Answer {
      await front.ask("POST", "/v1/operator/payments/1001/" + word, as: front.keys.operator, json: json)
    }
    #expect(await act("set-aside", .members([])).code == "field_invalid")
    let aside = await act("set-aside")
    #expect(aside["state"]?.string == "setAside" && aside["reason"]?.string == "setAside")
    #expect(aside["setAside"]?["reason"]?.string == "a doubt")
    #expect(aside["acts"]?.array == ["release", "refund"])
    let answer = await front.submit(TestAppStoreSigner().transaction("1001"), as: front.token())
    #expect(answer.payment["verdict"]?.string == "held" && answer.payment["reason"]?.string == "setAside")
    #expect(await claim(front, "1001", user: "alice").code == "payment_not_claimable")
    let queue = await front.ask("GET", "/v1/operator/queue", as: front.keys.operator)
    #expect(queue["stopped"]?.array?.first?["presenterIds"]?.array == ["alice"])
    let report = await front.ask("GET", "/v1/operator/audit", as: front.keys.operator)
    #expect(report["setAside"]?.integer == 1 && report["stopped"]?.integer == 1)
    #expect(await act("release")["state"]?.string == "fulfilled")
    #expect(await front.coins() == 100)
    #expect(await act("release").code == "act_not_possible")
    #expect(await act("retry", nil)["state"]?.string == "fulfilled")
    #expect(
      await front.ask("POST", "/v1/operator/queue/retry", as: front.keys.operator).text == #"{"tried":0,"done":0}"#)
    #expect(
      await front.ask("POST", "/v1/operator/payments/9/retry", as: front.keys.operator).code == "payment_unknown")
    #expect(
      await front.ask(
        "POST", "/v1/operator/payments/9/refund", as: front.keys.operator, fields: ["Idempotency-Key": "a"]
      ).code == "payment_unknown")
  }

  @Test(arguments: [true, false])
  func `sees a refund on which the ids of a purchase disagree, and decides it`(stands: Bool) async throws {
    let front = try await ServerFixture.open()
    let order = await front.order("premium")
    let bought = front.now()
    func tell(_ id: String, isRefunded: Bool = false) async {
      let evidence = TestAppStoreSigner(at: front.now()).transaction(
        id, of: "com.example.premium", token: order, type: "Non-Consumable"
      ) {
        $0["originalTransactionId"] = "1001"
        $0["purchaseDate"] = .integer(bought.milliseconds)
        if isRefunded { $0["revocationDate"] = .integer(front.now().milliseconds) }
      }
      await front.submit(evidence, as: front.token())
      front.clock.advance(by: .hours(1))
    }
    func disputed() async -> [String?]? {
      await front.ask("GET", "/v1/operator/queue", as: front.keys.operator)["disputedRefunds"]?.array?
        .map { $0["transactionId"]?.string }
    }
    func decide(_ json: [(String, JSONValue?)]) async -> Answer {
      await front.ask(
        "POST", "/v1/operator/payments/1001/decide-refund", as: front.keys.operator, json: .members(json))
    }
    await tell("1001")
    #expect(await disputed() == [])
    #expect(await decide([("reason", "x"), ("stands", .bool(stands))]).code == "payment_not_claimable")
    await tell("1001", isRefunded: true)
    await tell("1002")
    #expect(await disputed() == ["1001"])
    #expect(await decide([("stands", .bool(stands))]).code == "field_invalid")
    #expect(await decide([("reason", "x")]).code == "field_invalid")
    let decided = await decide([("reason", "seen in App Store Connect"), ("stands", .bool(stands))])
    #expect(decided["state"]?.string == (stands ? "reversed" : "reinstated"))
    #expect(await disputed() == [])
    let entitlements = await front.ask("GET", "/v1/entitlements", as: front.token())["entitlements"]?.array ?? []
    #expect(entitlements.contains { $0["state"]?.string == "active" } == !stands)
    #expect(await decide([("reason", "x"), ("stands", .bool(!stands))]).code == "payment_not_claimable")
    #expect(try await front.violations() == [])
  }

  @Test func `audits their own app alone and finds nothing wrong`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order()
    await front.submit(TestAppStoreSigner().transaction("1001", token: order), as: front.token())
    let report = await front.ask("GET", "/v1/operator/audit", as: front.keys.operator)
    #expect(report["payments"]?.integer == 1)
    #expect(report["violationCount"]?.integer == 0)
    let others = await front.ask("GET", "/v1/operator/audit", as: front.keys.otherOperator)
    #expect(others["payments"]?.integer == 0)
    #expect(others["orders"]?.integer == 0)
  }

  @Test func `makes a key, sees its text once, and revokes it; it is refused from then on`() async throws {
    let front = try await ServerFixture.open()
    func post(_ path: String, _ json: JSONValue?) async -> Answer {
      await front.ask("POST", "/v1/operator/keys" + path, as: front.keys.operator, json: json)
    }
    for (kind, label) in [("admin", "x"), ("secret", ""), ("secret", String(repeating: "l", count: 129))] {
      let answer = await post("", .members([("kind", .string(kind)), ("label", .string(label))]))
      #expect(answer.code == "field_invalid")
    }
    let made = await post("", .members([("kind", "secret"), ("label", "new backend")]))
    #expect(made.status == 201)
    let text = try #require(made["key"]?.string)
    let id = try #require(made["id"]?.string)
    #expect(text.hasPrefix("cfs_"))
    // The old key and the new one are both valid while the team changes to the new one.
    for key in [text, front.keys.secret] { #expect(await front.ask("GET", "/v1/orders", as: key).status == 200) }
    let listed = await front.ask("GET", "/v1/operator/keys", as: front.keys.operator)
    #expect(!listed.text.contains(text))
    #expect(listed["keys"]?.array?.contains { $0["id"]?.string == id } == true)
    let ended = await post("/\(id)/revoke", nil)
    #expect(ended["revokedAt"] != nil)
    #expect(await front.ask("GET", "/v1/orders", as: text).code == "credential_invalid")
    #expect(await post("/\(id)/revoke", nil).json == ended.json)
    #expect(await post("/cfs_nobody/revoke", nil).code == "key_unknown")
  }

  @Test func `revokes a key within five seconds on another node, too`() async throws {
    let front = try await ServerFixture.open()
    #expect(await front.ask("GET", "/v1/orders", as: front.keys.secret).status == 200)
    _ = try await front.engine.revokeKey(CredentialIdentifier(String(front.keys.secret.prefix(16))), of: "shop")
    front.clock.advance(by: .seconds(5))
    #expect(await front.ask("GET", "/v1/orders", as: front.keys.secret).code == "credential_invalid")
  }
}
