import CounterfoilAPI
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

@Suite struct `An operator who lists` {
  private func read(_ front: ServerFixture, _ path: String, as key: String? = nil) async -> Answer {
    await front.ask("GET", "/v1/operator" + path, as: key ?? front.keys.operator)
  }

  private static let paths = [
    "/orders", "/payments", "/refunds", "/subscriptions", "/reconciliations", "/consumption-requests", "/queue",
    "/diagnostics", "/notifications",
  ]

  @Test func `is refused with a user's token, a publishable and a secret key`() async throws {
    let front = try await ServerFixture.open()
    for path in Self.paths + ["/subscriptions/1", "/reconciliations/weChatPay/2025-10-09"] {
      for credential in [front.token(), front.keys.publishable, front.keys.secret] {
        #expect(await read(front, path, as: credential).code == "not_allowed", "\(path)")
      }
    }
    let lookUp = await front.ask(
      "POST", "/v1/operator/orders/lookup", as: front.keys.secret, json: .members([("number", "MK5TTT123H")]))
    #expect(lookUp.code == "not_allowed")
  }

  @Test func `is refused with unknown words and positions`() async throws {
    let front = try await ServerFixture.open()
    for path in [
      "/orders?state=lost", "/orders?store=play", "/orders?from=yesterday", "/orders?after=x", "/orders?limit=501",
      "/orders?after=1/x", "/orders?environment=moon", "/payments?state=lost", "/payments?after=1/appStore",
      "/payments?after=1/play/1", "/refunds?state=x", "/subscriptions?after=1", "/subscriptions?limit=0",
      "/reconciliations?from=1", "/reconciliations?from=2025-10-09&to=2025-10-08", "/consumption-requests?since=x",
      "/queue?kind=x", "/diagnostics?from=x", "/diagnostics?from=2025-10-09&to=2025-10-08",
      "/diagnostics?environment=moon", "/notifications?state=lost", "/notifications?store=play",
      "/notifications?after=0", "/notifications?after=x", "/notifications?limit=501",
    ] {
      #expect(await read(front, path).code == "field_invalid", "\(path)")
    }
    #expect(await read(front, "/subscriptions/1").code == "payment_unknown")
    for path in ["/reconciliations/weChatPay/2025-10-09", "/reconciliations/play/2025-10-09"] {
      let answer = await read(front, path)
      #expect(answer.status == 404 && answer.code == "day_not_compared", "\(path)")
    }
    let wrong = await front.ask(
      "POST", "/v1/operator/orders/lookup", as: front.keys.operator, json: .members([("number", "X1")]))
    #expect(wrong.code == "field_invalid")
    let unconfigured = await front.ask(
      "POST", "/v1/operator/orders/lookup", as: front.keys.operator, json: .members([("number", "MK5TTT123H")]))
    #expect(unconfigured.code == "store_not_configured")
  }

  @Test func `sees nothing of another app`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order()
    await front.submit(TestAppStoreSigner().transaction("1001", token: order), as: front.token())
    for path in Self.paths {
      let answer = await read(front, path, as: front.keys.otherOperator)
      #expect(answer.status == 200 && !answer.text.contains(order) && !answer.text.contains("1001"), "\(path)")
    }
  }

  @Test func `reads orders in pages, the newest first, and those that pass the filters`() async throws {
    let front = try await ServerFixture.open()
    var orders: [String] = []
    for user in ["alice", "bob", "alice", "carol"] as [UserIdentifier] {
      orders.append(await front.order(of: user))
      front.clock.advance(by: .minutes(1))
    }
    await front.submit(TestAppStoreSigner().transaction("1001", token: orders[0]), as: front.token())
    func ids(_ query: String) async -> [String] {
      (await read(front, "/orders" + query)["orders"]?.array ?? []).compactMap { $0["id"]?.string }
    }
    #expect(await ids("") == orders.reversed())
    var (seen, next) = ([String](), String?.some(""))
    while let position = next, seen.count < 9 {
      let query = position.isEmpty ? "" : "&after=" + RequestTarget.encode(position)
      let page = await read(front, "/orders?limit=1" + query)
      seen += (page["orders"]?.array ?? []).compactMap { $0["id"]?.string }
      next = page["next"]?.string
    }
    #expect(seen == orders.reversed())
    #expect(await ids("?state=paid") == [orders[0]])
    #expect(await ids("?userId=alice") == [orders[2], orders[0]])
    #expect(await ids("?product=coins.1000") == [])
    #expect(await ids("?store=weChatPay") == [])
    let noon = front.now() - .minutes(3)
    #expect(await ids("?to=" + noon.iso8601) == [orders[0]])
    #expect(await ids("?from=" + noon.iso8601) == [orders[3], orders[2], orders[1]])
    #expect(await ids("?environment=sandbox") == [])
  }

  @Test func `reads payments in pages, the newest purchase first, and those that pass the filters`() async throws {
    let front = try await ServerFixture.open()
    for (number, id) in ["1001", "1002", "1003"].enumerated() {
      let evidence = TestAppStoreSigner().transaction(id, of: number == 1 ? "com.example.gone" : "com.example.coins100")
      {
        $0["purchaseDate"] = .integer((front.now() + .minutes(Int64(number))).milliseconds)
      }
      await front.submit(evidence, as: front.token())
    }
    func ids(_ query: String) async -> [String] {
      (await read(front, "/payments" + query)["payments"]?.array ?? []).compactMap { $0["transactionId"]?.string }
    }
    #expect(await ids("") == ["1003", "1002", "1001"])
    let page = await read(front, "/payments?limit=1")
    let next = try #require(page["next"]?.string)
    #expect(await ids("?after=" + RequestTarget.encode(next)) == ["1002", "1001"])
    #expect(await ids("?state=held") == ["1002"])
    #expect(await ids("?state=fulfilled&userId=alice") == ["1003", "1001"])
    #expect(await ids("?userId=bob") == [])
    #expect(await ids("?product=com.example.gone") == ["1002"])
    #expect(await ids("?store=weChatPay") == [])
    let middle = (front.now() + .minutes(1)).iso8601
    #expect(await ids("?to=" + middle) == ["1001"])
    #expect(await ids("?from=" + middle) == ["1003", "1002"])
  }

  @Test func `reads the notifications of both stores in pages, the newest first, and those that pass the filters`()
    async throws
  {
    let front = try await ServerFixture.open()
    try await front.engine.transact { transaction in
      for (id, payload, effect) in [("n-1", "a.b.c", .applied), ("n-2", "{}", .kept), ("n-3", "a.b.c", .kept)]
        as [(String, String, ReceivedNotification.Effect)]
      {
        try transaction.insert(
          ReceivedNotification(
            appEnvironment: AppEnvironment(app: "shop", environment: .simulated), id: id, type: "T\(id.count)",
            subtype: nil, signedDate: transaction.now, transaction: "1001", signedPayload: payload,
            receivedAt: transaction.now, effect: effect))
      }
    }
    func ids(_ query: String) async -> [String] {
      (await read(front, "/notifications" + query)["notifications"]?.array ?? []).compactMap { $0["id"]?.string }
    }
    #expect(await ids("") == ["n-3", "n-2", "n-1"])
    let page = await read(front, "/notifications?limit=2")
    let next = try #require(page["next"]?.string)
    #expect(await ids("?after=" + next) == ["n-1"])
    #expect(await ids("?state=kept") == ["n-3", "n-2"])
    #expect(await ids("?store=weChatPay") == ["n-2"])
    #expect(await ids("?type=T4") == [])
    #expect(await ids("?environment=sandbox") == [])
    #expect(page["notifications"]?.array?.allSatisfy { $0["signedPayload"] == nil } == true)
  }

  @Test func `reads subscriptions, and one with its transactions`() async throws {
    let front = try await ServerFixture.open {
      $0.app = { $0.catalog = (try? Catalog(TestCatalog.server + [TestCatalog.monthly])) ?? $0.catalog }
    }
    let order = await front.order("monthly")
    let evidence = TestAppStoreSigner().transaction(
      "2000", of: "com.example.monthly", token: order, type: "Auto-Renewable Subscription"
    ) {
      $0["expiresDate"] = .integer((front.now() + .days(30)).milliseconds)
    }
    await front.submit(evidence, as: front.token())
    let list = await read(front, "/subscriptions")
    #expect(list["subscriptions"]?.array?.compactMap { $0["originalTransactionId"]?.string } == ["2000"])
    let story = await read(front, "/subscriptions/2000")
    #expect(story["subscription"]?["periodEnd"]?.string == (front.now() + .days(30)).iso8601)
    #expect(story["payments"]?.array?.compactMap { $0["ownerId"]?.string } == ["alice"])
    #expect(await read(front, "/subscriptions/2000", as: front.keys.otherOperator).code == "payment_unknown")
  }

  @Test func `reads the days that were compared, and the differences of one`() async throws {
    let front = try await ServerFixture.open()
    let finding = #"{"kind":"paymentNotInBill","healed":false,"transactionId":"42","ourAmount":600}"#
    try await front.engine.transact { transaction in
      var record = ReconciliationRecord(
        appEnvironment: AppEnvironment(app: "shop", environment: .simulated), store: .weChatPay,
        day: transaction.now.utcDay, triedAt: transaction.now)
      record.report = #"{"differences":1,"healed":0,"findings":[\#(finding)]}"#
      try transaction.put(record)
    }
    let day = front.now().utcDay
    let list = await read(front, "/reconciliations?from=\(day)&to=\(day)")
    #expect(list["reconciliations"]?.array?.map { $0["differences"]?.integer } == [1])
    #expect(list["reconciliations"]?.array?.first?["findings"] == nil)
    let story = await read(front, "/reconciliations/weChatPay/" + day)
    #expect(story["findings"]?.array?.map { $0["kind"]?.string } == ["paymentNotInBill"])
    let queue = await read(front, "/queue?kind=reconciliationDifference")
    #expect(queue["items"]?.array?.map { $0["found"]?.string } == ["1: paymentNotInBill"])
  }
}
