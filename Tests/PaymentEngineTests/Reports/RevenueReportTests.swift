import AppStoreSimulator
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import SimulatorCore
import StrictJSON
import Testing
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `A report of revenue` {
  typealias Dimensions = Set<RevenueReport.Dimension>

  private static func report(
    _ shop: some ShopUnderTest, _ first: String, _ last: String, by dimensions: Dimensions = []
  ) async throws -> JSONValue {
    let days = try #require(ReportDays(from: first, to: last))
    let request = RevenueReport.Request(days, by: dimensions, in: EngineFixture.appEnvironment)
    return try await shop.engine.readRevenueReport(request, of: shop.app).json
  }

  private static func kinds(_ report: JSONValue) -> [String: Int64] {
    (report["differenceSums"]?.array ?? []).reduce(into: [:]) {
      $0[$1["kind"]?.string ?? "?", default: 0] += $1["count"]?.integer ?? 0
    }
  }

  private static func total(_ report: JSONValue, _ store: Store) -> JSONValue? {
    report["totals"]?.array?.first { $0["store"]?.string == store.rawValue }
  }

  private static func sum(_ row: JSONValue?, _ name: String) -> [Int64] {
    [row?[name]?["count"]?.integer ?? -1, row?[name]?["amount"]?.integer ?? -1]
  }

  @Test(arguments: [
    ("2026-03-02", "2026-03-01"), ("2026-02-29", "2026-03-01"), ("2026-3-1", "2026-03-02"), ("", ""),
    ("2025-01-01", "2026-01-02"), ("2026-03-01T", "2026-03-02"),
  ])
  func `takes no days that are not there, not in order, or more than a year`(first: String, last: String) {
    #expect(ReportDays(from: first, to: last) == nil)
    #expect(ReportDays(from: "2025-01-01", to: "2025-12-31") != nil)
  }

  // MARK: WeChat Pay

  private static func pay(
    _ fixture: WeChatPayEngineFixture, _ user: UserIdentifier, _ product: ProductIdentifier = "coins.100"
  ) async throws -> OrderDetails {
    let details = try await fixture.order(product, of: user)
    try await fixture.visit(details, openid: "o-\(user.text)")
    _ = try await fixture.engine.checkWeChatPay(
      .id(details.order.key.id), in: EngineFixture.appEnvironment, of: user, for: fixture.app)
    return details
  }

  private static func compare(_ fixture: WeChatPayEngineFixture, _ day: String) throws -> ReconciliationReport {
    let outcome = try fixture.perform { try await $0.engine.reconcileWeChatPay(day, for: $0.app) }
    guard case .compared(let report) = outcome else { throw CancellationError() }
    return report
  }

  /// Sells on three days: three payments and a refund, two payments, one payment.
  private static func threeDays(_ fixture: WeChatPayEngineFixture) throws -> [String] {
    var days: [String] = []
    for users in [["a", "b", "c"], ["d", "e"], ["f"]] as [[UserIdentifier]] {
      days.append(BeijingTime.day(fixture.now()))
      try fixture.perform { fixture async throws in
        var first: OrderDetails?
        for user in users {
          let details = try await Self.pay(fixture, user)
          first = first ?? details
        }
        guard users.count == 3, let first else { return }
        _ = try await fixture.engine.refundOrder(
          .id(first.order.key.id), in: EngineFixture.appEnvironment,
          RefundRequest(amount: 250, reason: nil, idempotencyKey: "r1", askedBy: "test"), for: fixture.app)
      }
      fixture.world.run(for: .days(1))
    }
    fixture.world.run(for: .hours(12))
    return days
  }

  @Test func `equals WeChat Pay's bills of each day to the fen, with their fees (22.3)`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startBackgroundTasks()
    let days = try Self.threeDays(fixture)
    let bills = try days.map { try Self.compare(fixture, $0) }
    #expect(bills.allSatisfy { $0.differenceCount == 0 })
    let report = try fixture.perform { try await Self.report($0, days[0], days[2], by: [.day]) }
    #expect(Self.kinds(report) == [:], "\(report.text)")
    for (day, bill) in zip(days, bills) {
      let row = report["rows"]?.array?.first { $0["period"]?.string == day }
      #expect(Self.sum(row, "sales") == [Int64(bill.payments.count), bill.payments.amount])
      #expect(Self.sum(row, "refunds") == [Int64(bill.refunds.count), bill.refunds.amount])
      #expect(row?["fees"]?.integer == bill.fees.amount)
    }
    let total = Self.total(report, .weChatPay)
    #expect(Self.sum(total, "sales") == [6, 3600] && Self.sum(total, "refunds") == [1, 250])
    #expect(Self.sum(total, "granted") == [6, 3600])
    // The merchant's account has the same fees, and the rest.
    let taken = bills.reduce(0) { $0 + ($1.fundFlow?.fees.amount ?? 0) - ($1.fundFlow?.returnedFees.amount ?? 0) }
    #expect(taken > 0 && total?["fees"]?.integer == taken && total?["net"]?.integer == 3350 - taken)
    #expect(total?["netIsEstimate"] == .bool(false))
  }

  @Test func `divides WeChat Pay's fees among products: the parts add up to the bill's, and are an estimate`() throws {
    let fixture = try WeChatPayEngineFixture()
    let day = BeijingTime.day(fixture.now())
    try fixture.perform { fixture async throws in
      for user in ["a", "b", "c"] as [UserIdentifier] { _ = try await Self.pay(fixture, user) }
      _ = try await Self.pay(fixture, "d", "premium")
    }
    fixture.world.run(for: .hours(36))
    let bill = try Self.compare(fixture, day)
    let whole = Self.total(try fixture.perform { try await Self.report($0, day, day) }, .weChatPay)
    let report = try fixture.perform { try await Self.report($0, day, day, by: [.product]) }
    let rows = report["rows"]?.array ?? []
    #expect(rows.compactMap { $0["productId"]?.string } == ["coins.100", "premium"], "\(report.text)")
    #expect(bill.fees.amount > 0 && rows.reduce(0) { $0 + ($1["fees"]?.integer ?? 0) } == bill.fees.amount)
    #expect(rows.allSatisfy { ($0["fees"]?.integer ?? 0) > 0 && $0["netIsEstimate"] == .bool(true) })
    #expect(rows.reduce(0) { $0 + ($1["net"]?.integer ?? 0) } == whole?["net"]?.integer)
    #expect(whole?["netIsEstimate"] == .bool(false))
  }

  @Test func `counts what was given without a payment apart, and in no sum`() async throws {
    let fixture = try EngineFixture()
    for (key, name) in [("a", "club"), ("b", "club"), ("c", "season")] as [(String, EntitlementName)] {
      let request = PromotionalRequest(
        user: "alice", entitlement: name, until: fixture.now() + .days(7), key: key, reason: "no service", by: "cfs_a")
      _ = try await fixture.engine.giveEntitlement(request, in: EngineFixture.appEnvironment)
    }
    _ = try await fixture.engine.revokeEntitlement(
      "b", of: "alice", in: EngineFixture.appEnvironment, reason: "mistake", by: "cfs_a")
    let today = ReportDays.day(of: fixture.now())
    let report = try await Self.report(fixture, today, today)
    #expect(report["rows"]?.array?.isEmpty == true && report["totals"]?.array?.isEmpty == true)
    let given = (report["promotional"]?.array ?? []).map { row in
      [row["entitlement"]?.string, row["given"]?.integer.map(String.init), row["revoked"]?.integer.map(String.init)]
    }
    #expect(given == [["club", "2", "1"], ["season", "1", "0"]])
    let lines = RevenueReport.lines(of: report)
    #expect(lines.allSatisfy { $0.count == RevenueReport.columns.count } && lines.count == 2)
    let later = try await Self.report(fixture, "2027-01-01", "2027-01-02")
    #expect(later["promotional"]?.array?.isEmpty == true)
  }

  @Test func `names each difference from a bill, and says by how much (22.3)`() throws {
    let fixture = try WeChatPayEngineFixture()
    let days = try Self.threeDays(fixture)
    try fixture.perform { try await $0.weChatPay.control.plan(PlannedFault(.alteredAmount, of: .tradeBill, count: 1)) }
    _ = try Self.compare(fixture, days[1])
    try fixture.perform { try await $0.weChatPay.control.plan(PlannedFault(.missingRow, of: .tradeBill, count: 1)) }
    _ = try Self.compare(fixture, days[2])
    let report = try fixture.perform { try await Self.report($0, days[0], days[2]) }
    let kinds = Self.kinds(report)
    for (kind, count) in [
      "dayNotCompared": 1, "amountDiffers": 1, "billPaymentsDiffer": 2, "paymentNotInBill": 1,
    ] as [String: Int64] {
      #expect(kinds[kind] ?? 0 >= count, "\(kind): \(report.text)")
    }
    let differences = report["differences"]?.array ?? []
    func found(_ kind: String, _ day: String) -> JSONValue? {
      differences.first { $0["kind"]?.string == kind && $0["day"]?.string == day }
    }
    #expect(found("dayNotCompared", days[0])?["ours"]?.integer == 1550)
    let altered = found("billPaymentsDiffer", days[1])
    #expect(altered?["ours"]?.integer == 1200 && altered?["theirs"]?.integer == 1201)
    let missing = found("billPaymentsDiffer", days[2])
    #expect(missing?["ours"]?.integer == 600 && missing?["theirs"]?.integer == 0)
    // The sums are ours, and a fee that is not wholly known is not stated.
    let total = Self.total(report, .weChatPay)
    #expect(Self.sum(total, "sales") == [6, 3600] && total?["fees"] == nil && total?["net"] == nil)
  }

  // MARK: the App Store

  @Test func `equals Apple's records by currency, and names what is not granted or was given back in part`() throws {
    let fixture = try AppStoreEngineFixture { $0.commissionPercent = 15 }
    let today = ReportDays.day(of: fixture.now())
    let (refunded, held) = try fixture.perform { fixture async throws in
      var refunded: [TransactionIdentifier] = []
      for number in 0..<4 {
        let order = try await fixture.order()
        let id = try await fixture.buy(token: order)
        _ = try await fixture.submit(fixture.apple.signedTransaction(id).signedTransaction)
        if number < 2 { refunded.append(id) }
      }
      let unsold = try await fixture.buy("com.example.unsold")
      _ = try await fixture.submit(fixture.apple.signedTransaction(unsold).signedTransaction)
      return (refunded, unsold)
    }
    fixture.world.run(for: .minutes(10))
    try fixture.perform { fixture async throws in
      _ = try await fixture.apple.refunds.refund(refunded[0])
      _ = try await fixture.apple.refunds.refund(refunded[1], percentage: 33_333)
      for id in refunded { _ = try await fixture.submit(fixture.apple.signedTransaction(id).signedTransaction) }
    }
    try fixture.perform { fixture async throws in
      let charges = await fixture.apple.charges()
      let report = try await Self.report(
        fixture, today, ReportDays.day(of: fixture.now()), by: [.product, .storefront])
      let total = Self.total(report, .appStore)
      let charged = charges.reduce(0) { $0 + $1.milliunits }
      let back = charges.reduce(0) { $0 + $1.milliunits * $1.refundedPercentage / 100_000 / 10 }
      #expect(
        Self.sum(total, "sales") == [5, charged / 10] && Self.sum(total, "refunds") == [2, back], "\(report.text)")
      let left = charged / 10 - back
      #expect(total?["net"]?.integer == left - left * 15 / 100 && total?["netIsEstimate"] == .bool(true))
      #expect(Self.kinds(report) == ["notGranted": 1], "\(report.text)")
      let difference = report["differences"]?.array?.first
      #expect(difference?["transactionId"]?.string == held.text && difference?["details"]?.string == "productUnknown")
      #expect(
        Self.sum(total, "granted")[1] + (difference?["ours"]?.integer ?? 0) == Self.sum(total, "sales")[1],
        "the sum is the ledger's and what is not in it")
      let rows = report["rows"]?.array ?? []
      #expect(rows.compactMap { $0["productId"]?.string } == ["coins.100", "com.example.unsold"])
      #expect(rows.allSatisfy { $0["storefront"]?.string?.count == 3 })
    }
  }

  @Test func `defers the part of a subscription's period that lies ahead, and nothing of one that was refunded`() throws
  {
    let fixture = try AppStoreEngineFixture()
    let first = ReportDays.day(of: fixture.now())
    let id = try fixture.perform { fixture async throws in
      let order = try await fixture.order("monthly")
      let id = try await fixture.buy("com.example.monthly", token: order)
      _ = try await fixture.submit(fixture.apple.signedTransaction(id).signedTransaction)
      return id
    }
    let (payment, sold, deferred) = try fixture.perform { fixture async throws in
      let report = try await Self.report(fixture, first, first)
      let total = Self.total(report, .appStore)
      return (try await fixture.payment(id), Self.sum(total, "sales")[1], total?["deferred"]?.integer ?? -1)
    }
    let facts = try #require(payment?.facts)
    let end = try #require(ReportDays(from: first, to: first)).span.upperBound
    let ahead = try #require(facts.expiresDate) - end
    let length = try #require(facts.expiresDate) - facts.purchaseDate
    #expect(sold > 0 && deferred == sold * ahead.milliseconds / length.milliseconds && deferred < sold)
    fixture.world.run(for: .minutes(10))
    try fixture.perform { fixture async throws in
      _ = try await fixture.apple.refunds.refund(id)
      _ = try await fixture.submit(fixture.apple.signedTransaction(id).signedTransaction)
      let later = Self.total(try await Self.report(fixture, first, first), .appStore)
      #expect(later?["deferred"]?.integer == 0 && Self.sum(later, "refunds") == [1, sold], "\(later?.text ?? "")")
    }
  }

  @Test func `is refused rather than cut where it would have too many rows`() async throws {
    let fixture = try EngineFixture()
    let days = try #require(ReportDays(from: "2026-03-01", to: "2026-03-31"))
    let request = RevenueReport.Request(days, by: [.product], in: EngineFixture.appEnvironment)
    _ = await fixture.database.transact { transaction in
      for number in 0...RevenueReport.rowsMax {
        var facts = VerifiedFacts(
          key: EngineFixture.key(TransactionIdentifier("\(number)")),
          originalTransaction: TransactionIdentifier("\(number)"), storeProduct: StoreProductIdentifier("p\(number)"),
          kind: .consumable, quantity: 1, purchaseDate: EngineFixture.noon, signedDate: EngineFixture.noon)
        facts.price = StatedPrice(milliunits: 1000, currency: "CNY")
        try transaction.insert(Payment(facts: VerifiedPayment(facts), firstSeenAt: EngineFixture.noon))
      }
    }
    await #expect(throws: ReportTooLarge.self) {
      _ = try await fixture.engine.readRevenueReport(request, of: fixture.app)
    }
  }
}
