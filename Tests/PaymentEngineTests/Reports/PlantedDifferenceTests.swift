import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

/// Each kind of difference, planted alone: the report names it with its amounts and what follows from it, and nothing
/// else.
@Suite struct `A planted difference in a report` {
  // MARK: at WeChat Pay

  private static func day(_ fixture: WeChatPayEngineFixture, _ plant: PlantedDifference) async throws -> PlantedDay {
    var day = PlantedDay(BeijingTime.day(fixture.now()))
    for user in ["alice", "bob", "carol"] as [UserIdentifier] { day.orders.append(try await pay(fixture, user)) }
    if let fault = plant.refundFault { try await fixture.weChatPay.control.plan(PlannedFault(fault, of: .refund)) }
    day.refund = try await fixture.engine.refundOrder(
      .id(day.orders[2].order.key.id), in: EngineFixture.appEnvironment,
      RefundRequest(amount: 250, reason: nil, idempotencyKey: "r1", askedBy: "test"), for: fixture.app
    ).number
    if let order = try await plant.onDay(fixture, day) { day.orders.append(order) }
    return day
  }

  private static func pay(_ fixture: WeChatPayEngineFixture, _ user: UserIdentifier) async throws -> OrderDetails {
    let details = try await fixture.order("coins.100", of: user)
    try await fixture.visit(details, openid: "o-\(user.text)")
    _ = try await fixture.engine.checkWeChatPay(
      .id(details.order.key.id), in: EngineFixture.appEnvironment, of: user, for: fixture.app)
    return details
  }

  private static func compare(_ fixture: WeChatPayEngineFixture, _ day: String) async throws {
    guard case .compared = try await fixture.engine.reconcileWeChatPay(day, for: fixture.app) else {
      throw CancellationError()
    }
  }

  private static func report(_ shop: some ShopUnderTest, _ first: String, _ last: String) async throws -> JSONValue {
    let days = try #require(ReportDays(from: first, to: last))
    let request = RevenueReport.Request(days, by: [], in: EngineFixture.appEnvironment)
    return try await shop.engine.readRevenueReport(request, of: shop.app).json
  }

  /// What stands in a text for the numbers of orders, payments and refunds.
  private static func names(_ fixture: WeChatPayEngineFixture, _ day: PlantedDay) async throws -> [String: String] {
    var names: [String: String] = [:]
    let known = await fixture.weChatPay.orders()
    for details in day.orders {
      let order = details.order
      names[order.key.id.description] = "order of \(order.user)"
      let paid = known.first { $0.outTradeNo == order.key.id.outTradeNo }
      if let transaction = paid?.transactionId { names[transaction] = order.user.text }
    }
    for refund in await fixture.weChatPay.refunds() where refund.key.outRefundNo == day.refund {
      names[refund.refundId] = "its number"
    }
    names[day.refund] = "refund"
    return names
  }

  private static func words(_ report: JSONValue, _ names: [String: String] = [:]) -> [String] {
    let found = (report["differences"]?.array ?? []).map { difference in
      let amounts = ["ours", "theirs"].compactMap { name in difference[name]?.integer.map { "\(name) \($0)" } }
      let subject = ["kind", "transactionId", "refund"].compactMap { difference[$0]?.string }
      let details = difference["details"]?.string.map { [$0] } ?? []
      let text = (subject + amounts + details).joined(separator: " ")
      return names.reduce(text) { $0.replacing($1.key, with: $1.value) }
    }
    return found.sorted()
  }

  private static func counted(_ report: JSONValue) -> Int64 {
    (report["differenceSums"]?.array ?? []).reduce(0) { $0 + ($1["count"]?.integer ?? 0) }
  }

  @Test(arguments: PlantedDifference.all)
  func `at WeChat Pay is named with its amounts, and nothing else (22.3)`(plant: PlantedDifference) throws {
    let fixture = try WeChatPayEngineFixture()
    if plant.runsTasks { fixture.startBackgroundTasks() }
    let day = try fixture.perform { try await Self.day($0, plant) }
    fixture.world.run(for: .hours(36))
    let (report, names) = try fixture.perform { fixture async throws in
      try await plant.before(fixture, day)
      if plant.isCompared { try await Self.compare(fixture, day.name) }
      try await plant.after(fixture, day)
      return (try await Self.report(fixture, day.name, day.name), try await Self.names(fixture, day))
    }
    #expect(Self.words(report, names) == plant.expected.sorted(), "\(report.text)")
    #expect(Self.counted(report) == Int64(plant.expected.count))
    #expect((report["differences"]?.array ?? []).allSatisfy { $0["store"]?.string == Store.weChatPay.rawValue })
  }

  @Test func `of the account's balance alone is named with both balances`() throws {
    let fixture = try WeChatPayEngineFixture()
    var days: [String] = []
    for (amount, user) in [(1000, "alice"), (500, "bob")] as [(Int64, UserIdentifier)] {
      days.append(BeijingTime.day(fixture.now()))
      try fixture.perform {
        _ = try await $0.weChatPay.control.transfer(.topUp, amount, in: .basic, of: TestMerchant.mchid)
      }
      fixture.world.run(for: .minutes(1))
      try fixture.perform { _ = try await Self.pay($0, user) }
      fixture.world.run(for: .days(1))
    }
    fixture.world.run(for: .hours(12))
    let (first, last) = (days[0], days[1])
    let (equal, report) = try fixture.perform { fixture async throws in
      for day in [first, last] { try await Self.compare(fixture, day) }
      let equal = try await Self.report(fixture, first, last)
      // The day's first line is what came from the bank: no payment misses it.
      try await fixture.weChatPay.control.plan(PlannedFault(.missingRow, of: .fundFlowBill))
      try await Self.compare(fixture, last)
      return (equal, try await Self.report(fixture, first, last))
    }
    #expect(Self.words(equal) == [])
    let found = Self.words(report)
    #expect(found.count == 1 && found[0].hasPrefix("balanceDiffers "), "\(report.text)")
    // 1000 and 600 less its fee of 4 before that day.
    #expect(found[0].hasSuffix(" theirs 2696 fund-flow bill, expected 2196"), "\(report.text)")
  }

  // MARK: at the App Store

  private struct Purchase: Sendable {
    var quantity = 1
    var price: StatedPrice? = StatedPrice(milliunits: 6000, currency: "CNY")
    var isUpgraded = false
    var state = PaymentState.fulfilled
  }

  private static let purchases: [(expected: [String], purchase: Purchase)] = [
    ([], Purchase()), ([], Purchase(state: .revoked)),
    (["notGranted 1 ours 600 productUnknown"], Purchase(state: .held(.productUnknown))),
    (["imported 1 ours 600 imported"], Purchase(state: .imported)),
    (["withoutPrice 1 fulfilled"], Purchase(price: nil)),
    (["withoutPrice 1 fulfilled"], Purchase(price: StatedPrice(milliunits: 6000, currency: "yuan"))),
    (["upgraded 1 ours 600 fulfilled"], Purchase(isUpgraded: true)),
    (["severalPieces 1 ours 1800 ×3"], Purchase(quantity: 3)),
  ]

  @Test func `at the App Store is named with its amount, and nothing else (22.3)`() async throws {
    for (expected, purchase) in Self.purchases {
      let fixture = try EngineFixture()
      var facts = VerifiedPayment(
        key: EngineFixture.key("1"), originalTransaction: "1", storeProduct: "com.example.coins100",
        kind: .consumable, quantity: purchase.quantity, purchaseDate: EngineFixture.noon,
        signedDate: EngineFixture.noon)
      facts.price = purchase.price
      facts.isUpgraded = purchase.isUpgraded
      var payment = Payment(facts: facts, firstSeenAt: EngineFixture.noon)
      payment.state = purchase.state
      let row = payment
      _ = await fixture.database.transact { try $0.insert(row) }
      let day = ReportDays.day(of: EngineFixture.noon)
      let report = try await Self.report(fixture, day, day)
      #expect(Self.words(report) == expected, "\(report.text)")
      #expect(Self.counted(report) == Int64(expected.count))
    }
  }

  // MARK: all kinds

  @Test func `exists here for each kind that a report can have`() {
    let planted = PlantedDifference.all.flatMap(\.expected) + Self.purchases.flatMap(\.expected)
    let found = Set(planted.compactMap { $0.split(separator: " ").first.map(String.init) })
    let kinds =
      RevenueReport.Difference.Kind.allCases.map(\.rawValue)
      + ReconciliationReport.Finding.Kind.allCases.map(\.rawValue)
      + FundFlowReport.Finding.Kind.allCases.map(\.rawValue)
    #expect(found == Set(kinds))
  }
}
