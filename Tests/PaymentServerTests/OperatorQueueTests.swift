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

@Suite struct `The queue of what needs attention` {
  private static let appEnvironment = AppEnvironment(app: "shop", environment: .simulated)

  private func items(_ front: ServerFixture, _ query: String = "") async -> [JSONValue] {
    await front.ask("GET", "/v1/operator/queue" + query, as: front.keys.operator)["items"]?.array ?? []
  }

  /// One row of each kind that can be written alone.
  private func fill(_ front: ServerFixture) async throws {
    await front.submit(TestAppStoreSigner().transaction("1001", of: "com.example.gone"), as: front.token())
    let order = await front.order()
    await front.submit(TestAppStoreSigner().transaction("1002", token: order), as: front.token())
    let frozen = await front.order()
    front.clock.advance(by: .minutes(1))
    let gap = BackupGap(from: front.now() - .hours(1), until: front.now())
    try await front.engine.transact { transaction in
      let (now, here) = (transaction.now, Self.appEnvironment)
      guard
        var delivery = try transaction.deliveries(DeliveryQuery(appEnvironment: here, selection: .all, limit: 1)).first
      else { return }
      delivery.state = .parked(at: now)
      try transaction.update(delivery)
      guard let id = OrderIdentifier(frozen), var order = try transaction.order(OrderKey(appEnvironment: here, id: id))
      else { return }
      order.frozenBecause = "rule 2"
      try transaction.update(order)
      var refund = Refund(
        appEnvironment: here, number: "R1", order: nil, payment: delivery.payment,
        amount: Money(minorUnits: 250, currency: .cny), total: Money(minorUnits: 600, currency: .cny), reason: nil,
        body: nil, createdAt: now)
      refund.state = .stuck
      try transaction.insert(refund)
      try transaction.insert(
        JournalEntry(.chargeContradicted, in: here, at: now, order: nil, payment: delivery.payment, details: "{}"))
      try transaction.insert(
        Posting(
          appEnvironment: here, unit: "coin", debit: .user("alice"), credit: .issued(.appStore), amount: 150,
          payment: delivery.payment, cause: "reversal:1", at: now))
      try transaction.freezeBalance(of: "alice", unit: "coin", in: here)
      try transaction.set(DatabaseSetting.backupGap, to: gap.text)
    }
  }

  @Test func `has each kind with age, amount, reason and what to do, in both languages`() async throws {
    let front = try await ServerFixture.open()
    #expect(await items(front) == [])
    try await fill(front)
    front.clock.advance(by: .minutes(2))
    let items = await items(front, "?limit=100")
    let kinds = Set(items.compactMap { $0["kind"]?.string })
    #expect(
      kinds.isSuperset(of: [
        "payment", "parkedDelivery", "stuckRefund", "contradictedCharge", "frozenOrder", "frozenBalance", "backupGap",
      ]), "\(kinds)")
    for item in items {
      #expect(item["advice"]?.string?.isEmpty == false && item["acts"]?.array?.isEmpty == false)
      #expect((item["ageSeconds"]?.integer ?? 0) >= 120, "\(item.text)")
    }
    let since = items.compactMap { $0["since"]?.string }
    #expect(since == since.sorted())
    func first(_ kind: String) -> JSONValue { items.first { $0["kind"]?.string == kind } ?? .null }
    #expect(first("payment")["reason"] == "held(productUnknown)" && first("payment")["userId"] == "alice")
    #expect(first("stuckRefund")["amount"]?["value"]?.integer == 250 && first("stuckRefund")["amount"]?["of"] == "CNY")
    #expect(first("frozenBalance")["amount"]?["value"]?.integer == -50)
    #expect(first("frozenBalance")["acts"]?.array == ["writeOff"])
    #expect(first("backupGap")["acts"]?.array == ["repeatDebits"])
    #expect(first("frozenOrder")["found"] == "rule 2")
    let chinese = await front.ask(
      "GET", "/v1/operator/queue?kind=backupGap", as: front.keys.operator, fields: ["Accept-Language": "zh-CN"])
    #expect(chinese["items"]?.array?.first?["advice"]?.string?.contains("扣减") == true)
  }

  @Test func `says who works on an item, and lists theirs`() async throws {
    let front = try await ServerFixture.open()
    try await fill(front)
    _ = try await front.engine.setRole(.support, of: "lin", in: "shop", by: "tests")
    let name = try #require(await items(front, "?kind=frozenOrder").first?["itemId"]?.string)
    let path = "/v1/operator/queue/" + RequestTarget.encode(name) + "/assign"
    func assign(_ members: [(String, JSONValue?)], as key: String? = nil) async -> Answer {
      await front.ask("POST", path, as: key ?? front.keys.operator, json: .members(members))
    }
    #expect(await assign([("assignTo", "lin")]).code == "field_invalid")
    #expect(await assign([("assignTo", "no name"), ("reason", "tests")]).code == "field_invalid")
    #expect(await assign([("assignTo", "nobody"), ("reason", "tests")]).code == "act_not_possible")
    #expect(
      await assign([("assignTo", "lin"), ("reason", "tests")], as: front.keys.otherOperator).code
        == "act_not_possible")
    let done = await assign([("assignTo", "lin"), ("reason", "tests")])
    #expect(done.status == 200 && done["assignedTo"] == "lin" && done["itemId"]?.string == name)
    // Again, it is what it was; who has not seen it takes nothing.
    #expect(await assign([("assignTo", "lin"), ("reason", "tests")]).status == 200)
    #expect(await assign([("reason", "tests")]).code == "act_not_possible")
    #expect(await items(front, "?assignedTo=lin").map { $0["itemId"]?.string } == [name])
    let others = await items(front, "?limit=100&assignedTo=")
    #expect(!others.isEmpty && others.allSatisfy { $0["itemId"]?.string != name && $0["assignedTo"] == nil })
    let balance = try #require(await items(front, "?kind=frozenBalance").first?["itemId"]?.string)
    #expect(!balance.contains("alice"))
    #expect(await assign([("assignedTo", "lin"), ("reason", "tests")])["assignedTo"] == nil)
    #expect(await items(front, "?assignedTo=lin").isEmpty)
  }

  @Test func `shows one kind where it is asked for, and at most as many as asked`() async throws {
    let front = try await ServerFixture.open()
    try await fill(front)
    for kind in ["payment", "parkedDelivery", "stuckRefund", "contradictedCharge", "frozenOrder", "frozenBalance"] {
      #expect(await items(front, "?kind=" + kind).map { $0["kind"]?.string } == [kind])
    }
    #expect(await items(front, "?limit=2").count == 2)
  }

  @Test func `shows a gap for as long as a lost order can be paid`() async throws {
    let front = try await ServerFixture.open()
    try await fill(front)
    front.clock.advance(by: .days(29))
    #expect(await items(front, "?kind=backupGap").count == 1)
    front.clock.advance(by: .days(1))
    #expect(await items(front, "?kind=backupGap").isEmpty)
  }
}
