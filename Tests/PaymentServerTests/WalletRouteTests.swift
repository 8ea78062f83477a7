import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import StrictJSON
import Testing

extension ServerFixture {
  /// Books what a user spent, under a key.
  func debit(
    _ amount: Int64, _ key: String?, of user: String = "alice", unit: String = "coin",
    more: [(String, JSONValue?)] = [], query: String = ""
  ) async -> Answer {
    await ask(
      "POST", "/v1/users/\(user)/balances/\(unit)/debits" + query, as: keys.secret,
      json: .members([("amount", .integer(amount))] + more), fields: key.map { ["Idempotency-Key": $0] } ?? [:])
  }

  /// Buys a hundred coins for alice.
  func buyCoins(_ id: String = "1001") async -> String {
    let order = await order()
    await submit(TestAppStoreSigner().transaction(id, token: order), as: token())
    return order
  }

  /// Submits a purchase again, as refunded.
  func refundCoins(_ id: String, _ order: String) async {
    await submit(
      TestAppStoreSigner().transaction(id, token: order) {
        $0["revocationDate"] = .integer(EngineFixture.noon.milliseconds)
        $0["signedDate"] = .integer(EngineFixture.noon.milliseconds + 1)
      }, as: token())
  }
}

@Suite struct `A debit over HTTP` {
  @Test func `is refused without an id of the caller's, and with two that differ`() async throws {
    let front = try await ServerFixture.open()
    _ = await front.buyCoins()
    #expect(await front.debit(1, nil).code == "field_invalid")
    #expect(await front.debit(1, "a", of: "alice", more: [("id", "b")]).code == "field_invalid")
    #expect(await front.debit(1, "", of: "alice").code == "field_invalid")
    #expect(await front.debit(1, String(repeating: "a", count: 256)).code == "field_invalid")
    #expect(await front.debit(1, "a", unit: String(repeating: "u", count: 65)).code == "field_invalid")
    for amount in [0, -1, 1_000_000_000_001] as [Int64] {
      #expect(await front.debit(amount, "a").code == "field_invalid")
    }
    #expect(await front.debit(1, "a", more: [("metadata", .array([]))]).code == "field_invalid")
    #expect(await front.debit(1, "a", more: [("environment", "moon")]).code == "field_invalid")
    #expect(await front.coins() == 100)
  }

  @Test func `of more than the balance is refused with the balance, in both languages`() async throws {
    let front = try await ServerFixture.open()
    _ = await front.buyCoins()
    let answer = await front.debit(101, "a")
    #expect(answer.status == 409 && answer.code == "insufficient_balance")
    #expect(answer["detail"]?.string == "The balance of coin is 100, asked 101.")
    let chinese = await front.ask(
      "POST", "/v1/users/alice/balances/coin/debits", as: front.keys.secret,
      json: .members([("amount", .integer(101))]),
      fields: ["Idempotency-Key": "a", "Accept-Language": "zh-CN"])
    #expect(chinese["title"]?.string == "用户余额不足。")
  }

  @Test func `is made once under its id, and a retry gets the present balance`() async throws {
    let front = try await ServerFixture.open()
    _ = await front.buyCoins()
    let more: [(String, JSONValue?)] = [("reason", "sword"), ("metadata", .members([("level", .integer(3))]))]
    let first = await front.debit(30, "a", more: more)
    #expect(first.status == 201 && first["balance"]?.integer == 70 && first["kind"]?.string == "debit")
    #expect(first["id"]?.string == "a" && first["reason"]?.string == "sword")
    #expect(first["metadata"]?["level"]?.integer == 3)
    #expect(await front.debit(20, nil, more: [("id", "b")]).status == 201)
    // The same id in the body, and with the environment named.
    let again = await front.debit(30, nil, more: more + [("id", "a"), ("environment", "simulated")])
    #expect(again.status == 200 && again["balance"]?.integer == 50)
    for name in ["createdAt", "amount", "metadata", "reason"] { #expect(again[name] == first[name]) }
    #expect(await front.coins() == 50)
  }

  @Test func `is refused under an id that was used for something else`() async throws {
    let front = try await ServerFixture.open()
    _ = await front.buyCoins()
    #expect(await front.debit(30, "a").status == 201)
    #expect(await front.debit(31, "a").code == "idempotency_key_reused")
    #expect(await front.debit(30, "a", of: "bob").code == "idempotency_key_reused")
    #expect(await front.debit(30, "a", unit: "gem").code == "idempotency_key_reused")
    #expect(await front.debit(30, "a", more: [("reason", "sword")]).code == "idempotency_key_reused")
    #expect(await front.coins() == 70)
    #expect(try await front.violations() == [])
  }

  @Test func `affects no other environment and no other app`() async throws {
    let front = try await ServerFixture.open()
    _ = await front.buyCoins()
    #expect(await front.debit(1, "a", query: "?environment=xcode").code == "insufficient_balance")
    let other = await front.ask(
      "POST", "/v1/users/alice/balances/coin/debits", as: front.keys.otherSecret,
      json: .members([("amount", .integer(1))]), fields: ["Idempotency-Key": "a"])
    #expect(other.code == "insufficient_balance")
    #expect(await front.debit(1, "a").status == 201)
  }
}

@Suite struct `The entries of a balance over HTTP` {
  @Test func `show each posting with its counterpart and cause, newest first, page by page`() async throws {
    let front = try await ServerFixture.open {
      $0.app = { app in
        let products = TestCatalog.server.map { product in
          var product = product
          if case .units = product.grant { product.debt = .clamp }
          return product
        }
        if let catalog = try? Catalog(products) { app.catalog = catalog }
      }
    }
    let order = await front.buyCoins()
    _ = await front.debit(60, "sword", more: [("reason", "a sword")])
    await front.refundCoins("1001", order)
    let path = "/v1/users/alice/balances/coin/entries"
    let all = await front.ask("GET", path, as: front.keys.secret)
    let entries = all["entries"]?.array ?? []
    #expect(entries.map { $0["kind"]?.string } == ["writeOff", "reversal", "debit", "grant"])
    #expect(entries.map { $0["amount"]?.integer } == [60, -100, -60, 100])
    #expect(
      entries.map { $0["counterpart"]?.string } == ["writtenOff", "issued:appStore", "spent", "issued:appStore"])
    #expect(entries.map { $0["transactionId"]?.string } == ["1001", "1001", nil, "1001"])
    #expect(entries[1]["cause"]?.string == entries[0]["cause"]?.string && entries[1]["cause"] != nil)
    #expect(entries[2]["bookingId"]?.string == "sword" && entries[2]["reason"]?.string == "a sword")
    #expect(all["balance"]?.integer == 0 && all["next"] == nil)
    let page = await front.ask("GET", path + "?limit=3", as: front.keys.secret)
    let next = try #require(page["next"]?.string)
    let rest = await front.ask("GET", path + "?limit=3&before=" + next, as: front.keys.secret)
    #expect((page["entries"]?.array ?? []) + (rest["entries"]?.array ?? []) == entries)
    #expect(rest["next"] == nil)
    for query in ["?limit=0", "?limit=101", "?before=x", "?before=0", "?environment=moon"] {
      #expect(await front.ask("GET", path + query, as: front.keys.secret).code == "field_invalid", "\(query)")
    }
    let nobody = await front.ask("GET", "/v1/users/bob/balances/coin/entries", as: front.keys.secret)
    #expect(nobody["entries"]?.array == [] && nobody["balance"]?.integer == 0)
  }
}

@Suite struct `A frozen balance over HTTP` {
  private func frozen() async throws -> ServerFixture {
    let front = try await ServerFixture.open {
      $0.app = { app in
        let products = TestCatalog.server.map { product in
          var product = product
          if case .units = product.grant { product.debt = .freeze }
          return product
        }
        if let catalog = try? Catalog(products) { app.catalog = catalog }
      }
    }
    let order = await front.buyCoins()
    _ = await front.debit(60, "sword")
    await front.refundCoins("1001", order)
    return front
  }

  @Test func `refuses debits with its own code, and shows when it was frozen`() async throws {
    let front = try await frozen()
    let answer = await front.debit(1, "shield")
    #expect(answer.status == 409 && answer.code == "balance_frozen")
    let balances = await front.ask("GET", "/v1/balances", as: front.token())["balances"]?.array ?? []
    #expect(balances.first?["amount"]?.integer == -60 && balances.first?["frozenSince"] != nil)
    let entries = await front.ask("GET", "/v1/users/alice/balances/coin/entries", as: front.keys.secret)
    #expect(entries["frozenSince"] == balances.first?["frozenSince"])
  }

  @Test func `is written off by an operator, once under the operator's own id`() async throws {
    let front = try await frozen()
    func writeOff(_ key: String, _ reason: String = "goodwill") async -> Answer {
      await front.ask(
        "POST", "/v1/operator/users/alice/balances/coin/write-off", as: front.keys.operator,
        json: .members([("reason", .string(reason))]), fields: ["Idempotency-Key": key])
    }
    #expect(
      await front.ask(
        "POST", "/v1/operator/users/alice/balances/coin/write-off", as: front.keys.operator,
        json: .members([("reason", "x")])
      ).code == "field_invalid")
    let booked = await writeOff("1")
    #expect(booked.status == 201 && booked["amount"]?.integer == 60 && booked["balance"]?.integer == 0)
    #expect(booked["kind"]?.string == "debtWrittenOff")
    #expect(await writeOff("1").status == 200)
    #expect(await writeOff("1", "another").code == "idempotency_key_reused")
    #expect(await writeOff("2").code == "balance_not_in_debt")
    #expect(await front.debit(1, "shield").code == "insufficient_balance")
    #expect(try await front.violations() == [])
  }

  @Test func `counts in the user's refund ratio`() async throws {
    let front = try await frozen()
    _ = await front.buyCoins("1002")
    let answer = await front.ask("GET", "/v1/users/alice/refund-ratio", as: front.keys.secret)
    #expect(answer["granted"]?.integer == 2 && answer["refunded"]?.integer == 1)
    #expect(answer["refundedWholly"]?.integer == 1 && answer["refundedPermille"]?.integer == 500)
    let shown = await front.ask("GET", "/v1/operator/users/alice/refund-ratio", as: front.keys.operator)
    #expect(shown.json == answer.json)
    let nobody = await front.ask("GET", "/v1/users/bob/refund-ratio", as: front.keys.secret)
    #expect(nobody["granted"]?.integer == 0 && nobody["refundedPermille"]?.integer == 0)
  }
}

@Suite struct `A user's consent over HTTP` {
  @Test func `is set and read by the app's backend alone`() async throws {
    let front = try await ServerFixture.open()
    let path = "/v1/users/alice/consumption-consent"
    #expect(await front.ask("GET", path, as: front.keys.secret)["consented"]?.bool == false)
    for body: JSONValue in [.object([]), .members([("consented", "yes")])] {
      #expect(await front.ask("PUT", path, as: front.keys.secret, json: body).code == "field_invalid")
    }
    let yes: JSONValue = .members([("consented", .bool(true))])
    #expect(await front.ask("PUT", path, as: front.token(), json: yes).code == "not_allowed")
    let given = await front.ask("PUT", path, as: front.keys.secret, json: yes)
    #expect(given["consented"]?.bool == true && given["at"] != nil)
    #expect(await front.ask("GET", path, as: front.keys.secret).json == given.json)
    #expect(
      await front.ask("GET", "/v1/users/bob/consumption-consent", as: front.keys.secret)["consented"]?.bool == false)
    #expect(await front.ask("GET", path, as: front.keys.otherSecret)["consented"]?.bool == false)
  }
}
