import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import StrictJSON
import Testing

extension ServerFixture {
  /// The backend has all deliveries.
  fileprivate func acknowledgeAll() async throws {
    let place = EngineFixture.appEnvironment
    let waiting = try await database.read {
      try $0.deliveries(DeliveryQuery(appEnvironment: place, selection: .pending, limit: 100))
    }
    for delivery in waiting { _ = try await engine.acknowledge(delivery.id, in: "shop") }
  }
}

@Suite struct `A merge of users over HTTP` {
  private static func merge(
    _ front: ServerFixture, as key: String? = nil, into user: String = "alice", from: JSONValue? = "guest"
  ) async -> Answer {
    await front.ask(
      "POST", "/v1/users/\(user)/merge", as: key ?? front.keys.secret, json: .members([("from", from)]))
  }

  @Test func `is refused to a phone, to an app's key and to an operator's`() async throws {
    let front = try await ServerFixture.open()
    for caller in [front.token(), front.keys.publishable, front.keys.operator] {
      let answer = await Self.merge(front, as: caller)
      #expect(answer.status == 403 && answer.code == "not_allowed")
    }
  }

  @Test func `is refused without a name, for oneself and for nobody, each by name`() async throws {
    let front = try await ServerFixture.open()
    #expect(await Self.merge(front, from: nil).code == "field_invalid")
    #expect(await Self.merge(front, from: .integer(1)).code == "field_invalid")
    let own = await Self.merge(front, from: "alice")
    #expect(own.status == 422 && own.code == "merge_with_itself")
    let unknown = await Self.merge(front)
    #expect(unknown.status == 404 && unknown.code == "user_unknown")
  }

  @Test func `moves the guest's coins once, and says so again when repeated`() async throws {
    let front = try await ServerFixture.open()
    _ = await front.buyCoins()
    // Alice has the coins here, and becomes bob.
    let first = await Self.merge(front, into: "bob", from: "alice")
    let again = await Self.merge(front, into: "bob", from: "alice")
    #expect(first.status == 201 && again.status == 200)
    #expect(first["userId"] == "bob" && first["mergedUserId"] == "alice" && first["payments"]?.integer == 1)
    #expect(again["mergedAt"] == first["mergedAt"])
    let elsewhere = await Self.merge(front, into: "carol", from: "alice")
    #expect(elsewhere.status == 409 && elsewhere.code == "user_already_merged")
    #expect(elsewhere["detail"]?.string?.contains("bob") == true)
    let entries = await front.ask("GET", "/v1/users/bob/balances/coin/entries", as: front.keys.secret)
    #expect(entries["balance"]?.integer == 100)
    #expect(entries["entries"]?.array?.first?["kind"] == "mergeIn")
    #expect(try await front.violations() == [])
  }
}

@Suite struct `An erasure over HTTP` {
  private static func erase(
    _ front: ServerFixture, as key: String? = nil, _ user: String = "alice", force: JSONValue? = nil
  ) async -> Answer {
    await front.ask(
      "POST", "/v1/users/\(user)/erase", as: key ?? front.keys.secret, json: .members([("force", force)]))
  }

  @Test func `is refused to every caller but a secret key that was made for it`() async throws {
    let front = try await ServerFixture.open()
    for caller in [front.token(), front.keys.publishable, front.keys.operator, front.keys.secret] {
      let answer = await Self.erase(front, as: caller)
      #expect(answer.status == 403 && answer.code == "not_allowed")
    }
  }

  @Test func `by an operator needs the role admin and a reason, which the audit log keeps without the user`()
    async throws
  {
    let front = try await ServerFixture.open()
    _ = await front.buyCoins()
    let path = "/v1/operator/users/alice/erase"
    let reason = JSONValue.members([("reason", "alice wrote to us")])
    let other = try await front.engine.createKey(.operator, for: "shop", label: "x", role: .operator).text
    #expect(await front.ask("POST", path, as: other, json: reason).code == "role_not_allowed")
    #expect(await front.ask("POST", path, as: front.keys.secret, json: reason).code == "not_allowed")
    #expect(await front.ask("POST", path, as: front.keys.operator, json: .object([])).code == "field_invalid")
    #expect(await front.ask("POST", path, as: front.keys.operator, json: reason).code == "erasure_not_possible")
    try await front.acknowledgeAll()
    let done = await front.ask("POST", path, as: front.keys.operator, json: reason)
    #expect(done.status == 201 && done["userId"]?.string?.hasPrefix("erased_") == true, "\(done.text)")
    let entries = try await front.engine.auditLog(before: nil, limit: 10)
    #expect(entries.map(\.outcome) == [.done, .refused, .refused])
    #expect(entries.first?.reason == "the user wrote to us" && entries.first?.object == done["userId"]?.string)
    #expect(!entries.contains { "\($0)".contains("alice") })
  }

  @Test func `by a backend leaves an entry in the audit log, with the reason if there is one`() async throws {
    let front = try await ServerFixture.open { $0.mayErase = true }
    _ = await front.buyCoins()
    try await front.acknowledgeAll()
    let path = "/v1/users/alice/erase"
    #expect(
      await front.ask("POST", path, as: front.keys.secret, json: .members([("reason", .integer(7))])).code
        == "field_invalid")
    let done = await front.ask("POST", path, as: front.keys.secret, json: .members([("reason", "alice asked")]))
    #expect(done.status == 201)
    let entry = try #require(try await front.engine.auditLog(before: nil, limit: 10).first)
    #expect(entry.action == "user.erase" && entry.actorKind == .key && entry.reason == "the user asked")
    #expect(entry.object == done["userId"]?.string)
  }

  @Test func `is refused for nobody, and while a delivery waits, by name`() async throws {
    let front = try await ServerFixture.open { $0.mayErase = true }
    let unknown = await Self.erase(front, "nobody")
    #expect(unknown.status == 404 && unknown.code == "user_unknown")
    #expect(await Self.erase(front, force: "yes").code == "field_invalid")
    _ = await front.buyCoins()
    let open = await Self.erase(front)
    #expect(open.status == 409 && open.code == "erasure_not_possible")
    #expect(open["detail"]?.string?.contains("deliveries") == true)
    #expect(await front.ask("GET", "/v1/users/alice/data", as: front.keys.secret)["orders"]?.array?.count == 1)
  }
}

@Suite struct `The data of a user` {
  private static func read(_ front: ServerFixture, _ user: String = "alice", as key: String? = nil) async -> Answer {
    await front.ask("GET", "/v1/users/\(user)/data", as: key ?? front.keys.secret)
  }

  @Test func `is refused to a phone and to an operator, and nobody has none`() async throws {
    let front = try await ServerFixture.open()
    for caller in [front.token(), front.keys.publishable, front.keys.operator] {
      #expect(await Self.read(front, as: caller).code == "not_allowed")
    }
    let nobody = await Self.read(front, "nobody")
    #expect(nobody.status == 404 && nobody.code == "user_unknown")
  }

  @Test func `is refused with a place that no page named, and with a limit out of range, by name`() async throws {
    let front = try await ServerFixture.open()
    _ = await front.buyCoins()
    for query in ["after=nonsense", "after=-1", "after=01", "limit=0", "limit=101"] {
      let answer = await front.ask("GET", "/v1/users/alice/data?" + query, as: front.keys.secret)
      #expect(answer.status == 400 && answer.code == "field_invalid", "\(query): \(answer.text)")
    }
    let order = await front.ask("GET", "/v1/users/alice/data", as: front.keys.secret)["orders"]?.array?.first
    let id = try #require(order?["id"]?.string)
    #expect(await front.ask("GET", "/v1/users/bob/data?after=\(id)", as: front.keys.secret).code == "order_unknown")
  }

  @Test func `has journal, evidence and deliveries of each order and payment, a page at a time`() async throws {
    let front = try await ServerFixture.open()
    _ = await front.buyCoins()
    let order = JSONValue.members([("productId", "coins.100"), ("store", "appStore")])
    #expect(await front.ask("POST", "/v1/orders", as: front.token(), json: order).status == 201)
    var (histories, next): ([JSONValue], String?) = ([], nil)
    for page in 0..<5 {
      let query = next.map { "?limit=1&after=" + $0 } ?? "?limit=1"
      let answer = await front.ask("GET", "/v1/users/alice/data" + query, as: front.keys.secret)
      #expect(answer.status == 200 && (answer["orders"] != nil) == (page == 0), "\(answer.text)")
      histories += answer["histories"]?.array ?? []
      next = answer["next"]?.string
      if next == nil { break }
    }
    #expect(next == nil && histories.count == 2 && Set(histories.map { $0["orderId"]?.string }).count == 2)
    let paid = try #require(histories.first { $0["transactionId"] != nil })
    #expect(paid["journal"]?.array?.isEmpty == false && paid["deliveries"]?.array?.count == 1)
    let evidence = try #require(paid["evidence"]?.array?.first)
    #expect(evidence["sha256"]?.string?.utf8.count == 64 && evidence["text"] == nil)
    let open = try #require(histories.first { $0["transactionId"] == nil })
    #expect(open["evidence"]?.array?.isEmpty == true && open["journal"]?.array?.isEmpty == false)
  }

  @Test func `has every row under the user's id, and tells who has it after a merge`() async throws {
    let front = try await ServerFixture.open()
    _ = await front.buyCoins()
    let data = await Self.read(front)
    #expect(data["orders"]?.array?.count == 1 && data["payments"]?.array?.count == 1)
    #expect(data["balances"]?.array?.first?["amount"]?.integer == 100)
    #expect(data["entries"]?.array?.count == 1 && data["more"]?.bool == false)
    _ = await front.ask("POST", "/v1/users/bob/merge", as: front.keys.secret, json: .members([("from", "alice")]))
    let former = await Self.read(front)
    #expect(former["mergedInto"] == "bob" && former["orders"]?.array?.isEmpty == true)
    #expect(former["entries"]?.array?.count == 2)
    #expect(await Self.read(front, "bob")["payments"]?.array?.count == 1)
  }
}

@Suite struct `A spending limit over HTTP` {
  private static let path = "/v1/users/alice/spending-limits"

  private static func set(
    _ front: ServerFixture, _ limit: JSONValue?, as key: String? = nil, _ currency: String = "CNY"
  )
    async -> Answer
  {
    await front.ask(
      "PUT", "\(path)/\(currency)", as: key ?? front.keys.secret, json: .members([("limit", limit)]))
  }

  @Test func `is refused to a phone, and without a number or a currency`() async throws {
    let front = try await ServerFixture.open()
    for caller in [front.token(), front.keys.publishable, front.keys.operator] {
      #expect(await Self.set(front, .integer(1), as: caller).code == "not_allowed")
    }
    #expect(await Self.set(front, nil).code == "field_invalid")
    #expect(await Self.set(front, .integer(-1)).code == "field_invalid")
    #expect(await Self.set(front, .integer(1), "yuan").code == "field_invalid")
  }

  @Test func `stops the phone's order with what is left, until it is lifted`() async throws {
    let front = try await ServerFixture.open()
    let limited = await Self.set(front, .integer(0))
    #expect(limited.status == 200 && limited["left"]?.integer == 0)
    let order = JSONValue.members([("productId", "coins.100"), ("store", "appStore")])
    let refused = await front.ask("POST", "/v1/orders", as: front.token(), json: order)
    #expect(refused.status == 409 && refused.code == "spending_limit_reached")
    #expect(refused["detail"]?.string?.hasPrefix("0 of 0 CNY are left") == true)
    let read = await front.ask("GET", Self.path, as: front.keys.secret)
    #expect(read["limits"]?.array?.count == 1)
    let lifted = await front.ask("POST", Self.path + "/CNY/lift", as: front.keys.secret)
    #expect(lifted.status == 200 && lifted["limit"] == nil && lifted["left"] == nil)
    #expect(await front.ask("POST", "/v1/orders", as: front.token(), json: order).status == 201)
  }
}
