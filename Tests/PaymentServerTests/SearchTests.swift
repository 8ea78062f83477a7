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

@Suite struct `A search by an operator` {
  private func search(_ front: ServerFixture, _ term: String, as key: String? = nil) async -> Answer {
    await front.ask("GET", "/v1/operator/search?q=" + RequestTarget.encode(term), as: key ?? front.keys.operator)
  }

  /// The hits as words: kind, id and state.
  private func hits(_ front: ServerFixture, _ term: String, as key: String? = nil) async -> [String] {
    let answer = await search(front, term, as: key)
    guard let hits = answer["hits"]?.array else { return [answer.code ?? "no answer"] }
    return hits.map { hit in ["kind", "id", "state"].compactMap { hit[$0]?.string }.joined(separator: " ") }
  }

  @Test func `is refused to users, publishable keys and secret keys`() async throws {
    let front = try await ServerFixture.open()
    for credential in [front.token(), front.keys.publishable, front.keys.secret] {
      #expect(await search(front, "1001", as: credential).code == "not_allowed")
    }
    #expect(await front.ask("GET", "/v1/operator/search?q=1001").code == "credential_missing")
  }

  @Test func `is refused without a term, with too long a one, and with control characters`() async throws {
    let front = try await ServerFixture.open()
    let wrong = ["", " ", "\"\"", String(repeating: "a", count: 129), "10\u{0}01", "10\n01", "\u{1B}[2J", "a\u{7F}"]
    for term in wrong { #expect(await search(front, term).code == "field_invalid", "\(term.debugDescription)") }
    #expect(await front.ask("GET", "/v1/operator/search", as: front.keys.operator).code == "field_invalid")
    for query in ["q=a&q=b", "q=a&term=b"] {
      let answer = await front.ask("GET", "/v1/operator/search?" + query, as: front.keys.operator)
      #expect(answer.status == 400)
    }
    #expect(await search(front, String(repeating: "a", count: 128)).status == 200)
  }

  @Test func `finds nothing of another app`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order()
    await front.submit(TestAppStoreSigner().transaction("1001", token: order), as: front.token())
    let delivery = try #require(await front.deliveries().first?["id"]?.string)
    let code = await front.ask("GET", "/v1/operator/orders/" + order, as: front.keys.operator)["supportCode"]?.string
    for term in [order, "1001", "alice", delivery, try #require(code)] {
      #expect(await hits(front, term, as: front.keys.otherOperator) == [], "\(term)")
      #expect(await hits(front, term) != [], "\(term)")
    }
  }

  @Test func `finds an order by its id in every spelling, by its code and by its references`() async throws {
    let front = try await ServerFixture.open { $0.app = { $0.referenceFromApp = true } }
    let id = await front.order("coins.100", of: "alice", [("reference", "A-7")])
    let twin = await front.order("coins.100", of: "bob", [("reference", "A-7")])
    let fromBackend = await front.ask(
      "POST", CreateOrder.path, as: front.keys.secret,
      json: .members([
        ("productId", "coins.100"), ("store", "appStore"), ("userId", "carol"), ("reference", "B-7"),
      ]))["id"]?.string
    let order = try #require(OrderIdentifier(id))
    let code = SupportCode(of: order).description
    let spellings = [
      id, id.uppercased(), order.outTradeNo, " \"\(id)\" ", "「\(order.outTradeNo)」", code, code.lowercased(),
      code.prefix(4) + "-" + code.suffix(4),
    ]
    for term in spellings { #expect(await hits(front, term) == ["order \(id) awaitingPayment"], "\(term)") }
    let found = await hits(front, "Ａ-７")
    #expect(Set(found) == ["order \(id) awaitingPayment", "order \(twin) awaitingPayment"] && found.count == 2)
    #expect(await hits(front, "B-7") == ["order \(fromBackend ?? "") awaitingPayment"])
    // A code names the hour of its order, however much later it is told.
    front.clock.advance(by: .days(400))
    #expect(await hits(front, code) == ["order \(id) awaitingPayment"])
  }

  @Test func `finds the order that was derived from a payment by its code`() async throws {
    let front = try await ServerFixture.open()
    await front.submit(TestAppStoreSigner().transaction("1001"), as: front.keys.publishable)
    let claimed = await front.ask(
      "POST", "/v1/operator/payments/1001/claim", as: front.keys.operator,
      json: .members([("userId", "alice"), ("reason", "tests")]))
    let id = try #require(claimed["orderId"]?.string.flatMap { OrderIdentifier($0) })
    #expect(await hits(front, SupportCode(of: id).description) == ["order \(id) paid"])
  }

  @Test(arguments: FixtureDatabase.allCases)
  func `finds payments by every number that Apple gives them, and says what it tried`(
    _ kind: FixtureDatabase
  ) async throws {
    try await kind.withFront { (front) async throws in try await findsPayments(front) }
  }

  private func findsPayments(_ front: ServerFixture) async throws {
    let order = await front.order("premium")
    func evidence(_ id: String) -> String {
      TestAppStoreSigner().transaction(id, of: "com.example.premium", token: order, type: "Non-Consumable") {
        $0["originalTransactionId"] = "1001"
        $0["appTransactionId"] = "5001"
      }
    }
    await front.submit(evidence("1001"), as: front.token())
    await front.submit(evidence("1002"), as: front.token())
    let purchase = "payment 1001 fulfilled"
    #expect(await hits(front, "１００１") == [purchase])
    #expect(await hits(front, "1002") == [purchase], "another id of the same purchase")
    #expect(await hits(front, "5001") == ["user alice"])
    let token = "01890a5d-ac96-774b-bcce-b302099a8057"
    let waiting = TestAppStoreSigner().transaction("1003", token: token) { $0["webOrderLineItemId"] = "7001" }
    await front.submit(waiting, as: front.keys.publishable)
    #expect(await hits(front, token) == ["payment 1003 unclaimed"])
    #expect(await hits(front, "7001") == ["payment 1003 unclaimed"])
    let tried = await search(front, "7001")["tried"]?.array?.compactMap(\.string) ?? []
    #expect(
      tried == [
        "backendReference", "appReference", "transaction", "originalTransaction", "lineItem", "refund", "storeRefund",
        "notification", "complaint", "user", "appTransaction",
      ])
    #expect(await hits(front, "9999") == [])
  }

  @Test func `finds users, deliveries and notifications`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order()
    let evidence = TestAppStoreSigner().transaction("1001", token: order)
    await front.ask("POST", "/notifications/app-store", json: TestAppStoreSigner().notification("n1", about: evidence))
    let delivery = try #require(await front.deliveries().first?["id"]?.string)
    #expect(await hits(front, "alice") == ["user alice"])
    #expect(await hits(front, delivery) == ["delivery \(delivery) pending"])
    #expect(await hits(front, "n1") == ["notification n1 applied"])
    #expect(await hits(front, "bob") == [])
  }

  @Test(arguments: FixtureDatabase.allCases)
  func `finds refunds at WeChat Pay by both numbers, and the charge by WeChat's`(_ kind: FixtureDatabase) async throws {
    try await kind.withWeChat { (shop) async throws in
      let id = try await shop.bought()
      let refund = await shop.refund(id, key: "r-1")
      let number = try #require(refund["id"]?.string)
      let stores = try #require(refund["storeRefundId"]?.string)
      for term in [number, stores] { #expect(await hits(shop.front, term) == ["refund \(number) underWay"]) }
      let charge = try #require(refund["transactionId"]?.string)
      #expect(await hits(shop.front, charge) == ["payment \(charge) fulfilled"])
    }
  }

  @Test(arguments: FixtureDatabase.allCases)
  func `finds a complaint by its whole number, in its own app alone`(_ kind: FixtureDatabase) async throws {
    try await kind.withFront { (front) async throws in try await findsComplaints(front) }
  }

  private func findsComplaints(_ front: ServerFixture) async throws {
    let (own, others) = ("200201820200101080076610000", "200201820200101080076610001")
    for (app, id) in [("shop", own), ("other", others)] as [(AppIdentifier, String)] {
      let complaint = Complaint(
        appEnvironment: AppEnvironment(app: app, environment: .production), id: id, openedAt: front.now(),
        state: "PENDING", facts: "{}", signedDate: front.now())
      try await front.engine.transact { try $0.put(complaint) }
    }
    #expect(await hits(front, others) == [])
    #expect(await hits(front, String(own.dropLast())) == [])
    #expect(await hits(front, own) == ["complaint \(own) PENDING"])
    #expect(await hits(front, others, as: front.keys.otherOperator) == ["complaint \(others) PENDING"])
  }

  @Test(arguments: [StoreEnvironment.production, .sandbox, .undetermined])
  func `finds what is in another environment than the app's own`(environment: StoreEnvironment) async throws {
    let front = try await ServerFixture.open()
    let now = front.now()
    for app in ["shop", "other"] as [AppIdentifier] {
      let key = PaymentKey(app: app, store: .appStore, environment: environment, transaction: "1001")
      let facts = VerifiedPayment(
        key: key, originalTransaction: "1000", storeProduct: "com.example.coins100", kind: .consumable, quantity: 1,
        purchaseDate: now, signedDate: now)
      try await front.database.transact { try $0.insert(Payment(facts: facts, firstSeenAt: now)) }.get()
    }
    for term in ["1001", "1000"] {
      let answer = await search(front, term)
      #expect(await hits(front, term) == ["payment 1001 verified"])
      #expect(answer["hits"]?.array?.map { $0["environment"]?.string } == [environment.rawValue])
      #expect(answer["hits"]?.array?.map { $0["app"]?.string } == ["shop"])
    }
    let path = "/v1/operator/payments/appStore/\(environment.rawValue)/1001"
    #expect(await front.ask("GET", path, as: front.keys.operator)["payment"]?["state"]?.string == "verified")
  }

  @Test func `shows at most 50 hits, in the same order each time`() async throws {
    let front = try await ServerFixture.open { $0.app = { $0.referenceFromApp = true } }
    for number in 0..<51 { _ = await front.order("coins.100", of: UserIdentifier("u\(number)"), [("reference", "1")]) }
    let answer = await search(front, "1")
    #expect(answer["hits"]?.array?.count == 50)
    #expect(answer["more"]?.bool == true)
    #expect(await search(front, "1").json == answer.json)
  }
}
