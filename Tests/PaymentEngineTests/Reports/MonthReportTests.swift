import AppStoreIntegration
import AppStoreSimulator
import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import SimulatorCore
import StrictJSON
import TestTier
import Testing
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

/// The report, held against what the simulated stores know: no part of the shop made these numbers.
@Suite struct `A month's report of both stores` {
  /// What the App Store took and gave back in one currency, in its smallest unit.
  private struct Taken: Equatable {
    var sales: [Int64] = [0, 0]
    var refunds: [Int64] = [0, 0]
  }

  /// What is refunded on the next day.
  private struct Sales: Sendable {
    var charge: OrderDetails
    var coins: TransactionIdentifier
    var yen: TransactionIdentifier
  }

  /// A day of sales, of refunds of the same day and of the day before, and of money from the bank.
  private static func sell(_ number: Int, after earlier: Sales?, in fixture: TwoStoreFixture) async throws -> Sales {
    func user(_ name: String) -> UserIdentifier { UserIdentifier("\(name)\(number)") }
    let plain = try await fixture.charge("coins.100", of: user("plain"))
    let coupon = try await fixture.charge(
      "coins.100", of: user("coupon"), .payWithCoupon(Int64(1 + number * 7 % 599)))
    let large = try await fixture.charge("premium", of: user("large"))
    try await fixture.refund(plain, Int64(1 + number * 11 % 600))
    if number.isMultiple(of: 2) { try await fixture.refund(coupon, nil) }
    if let earlier { try await fixture.refund(earlier.charge, 3333) }
    _ = try await fixture.weChatPay.control.transfer(
      .topUp, 100 + Int64(number), in: .basic, of: TestMerchant.mchid)
    let coins = try await fixture.purchase(
      "coins.100", "com.example.coins100", of: "alice", as: TwoStoreFixture.china)
    let yen = try await fixture.purchase(
      "coins.1000", "com.example.coins1000", of: "kenji", as: TwoStoreFixture.japan)
    if number == 0 {
      _ = try await fixture.purchase("monthly", "com.example.monthly", of: "joe", as: TwoStoreFixture.america)
    }
    if let earlier {
      _ = try await fixture.apple.refunds.refund(earlier.coins)
      // Of 120 yen, so a part of a yen is left over.
      _ = try await fixture.apple.refunds.refund(earlier.yen, percentage: 33_333)
    }
    return Sales(charge: large, coins: coins, yen: yen)
  }

  private static func report(
    _ fixture: some ShopUnderTest, _ days: ReportDays, by dimensions: Set<RevenueReport.Dimension> = []
  ) async throws -> JSONValue {
    let request = RevenueReport.Request(days, by: dimensions, in: EngineFixture.appEnvironment)
    return try await fixture.engine.readRevenueReport(request, of: fixture.app).json
  }

  private static func sum(_ row: JSONValue?, _ name: String) -> [Int64] {
    ["count", "amount"].map { row?[name]?[$0]?.integer ?? -1 }
  }

  private static func totals(_ report: JSONValue, at store: Store) -> [JSONValue] {
    (report["totals"]?.array ?? []).filter { $0["store"]?.string == store.rawValue }
  }

  @Test func `equals the bills, the merchant's account and Apple's records to the smallest unit (22.3)`() throws {
    let fixture = try TwoStoreFixture()
    fixture.start()
    // The world begins on the first of March.
    let count = Tier.among(test: 3, check: 31, night: 61)
    var names: [String] = []
    var earlier: Sales?
    for number in 0..<count {
      names.append(BeijingTime.day(fixture.now()))
      let before = earlier
      earlier = try fixture.perform { try await Self.sell(number, after: before, in: $0) }
      fixture.world.run(for: .days(1))
    }
    // The server compares each day by itself.
    fixture.world.run(for: .hours(20))
    let days = try #require(ReportDays(from: names[0], to: names[count - 1]))
    let report = try fixture.perform { try await Self.report($0, days) }
    #expect(report["differences"]?.array?.isEmpty == true, "\(report.text)")
    try Self.expectWeChatPay(in: report, names, fixture)
    try fixture.perform { fixture async throws in
      try await Self.expectAppStore(in: report, days, fixture)
      #expect(try await fixture.violations() == [])
    }
    let usd = Self.totals(report, at: .appStore).first { $0["currency"]?.string == "USD" }
    #expect(Self.sum(usd, "sales")[0] >= 1 + (count - 2) / 7, "a period of each week")
    let byDay = try fixture.perform { try await Self.report($0, days, by: [.day]) }
    try Self.expectSameSums(byDay, as: report)
  }

  /// What the simulated WeChat Pay knows of its orders and refunds: sales, refunds, and what coupons kept.
  private static func truth(
    of fixture: TwoStoreFixture
  ) async -> (sales: [Int64], refunds: [Int64], coupons: Int64) {
    let orders = await fixture.weChatPay.orders().filter { $0.paidAt != nil }
    let refunds = await fixture.weChatPay.refunds()
    var (paid, back, coupons) = (Int64(0), Int64(0), Int64(0))
    for order in orders {
      paid += order.total
      coupons += order.total - (order.payerTotal ?? order.total)
    }
    for refund in refunds {
      back += refund.refund
      coupons -= refund.refund - refund.payerRefund
    }
    return ([Int64(orders.count), paid], [Int64(refunds.count), back], coupons)
  }

  /// The report against the files of the bills, the orders and refunds behind them, and the merchant's account.
  private static func expectWeChatPay(in report: JSONValue, _ names: [String], _ fixture: TwoStoreFixture) throws {
    let bills = try names.map { name -> ReconciliationReport in
      let outcome = try fixture.perform { try await $0.engine.reconcileWeChatPay(name, for: $0.app) }
      guard case .compared(let bill) = outcome else { throw CancellationError() }
      return bill
    }
    #expect(bills.allSatisfy { $0.findings.isEmpty && $0.fundFlow?.state == .compared })
    func all(_ part: (ReconciliationReport) -> ReconciliationReport.Sum?) -> [Int64] {
      let sums = bills.compactMap { part($0) }
      return [Int64(sums.reduce(0) { $0 + $1.count }), sums.reduce(0) { $0 + $1.amount }]
    }
    let (payments, back) = (all { $0.payments }, all { $0.refunds })
    let (fees, coupons, topUps) = (all { $0.fees }[1], all { $0.coupons }[1], all { $0.fundFlow?.topUps }[1])
    let found = totals(report, at: .weChatPay)
    let total = try #require(found.first)
    #expect(found.count == 1 && total["currency"]?.string == "CNY")
    #expect(sum(total, "sales") == payments && sum(total, "refunds") == back)
    #expect(total["fees"]?.integer == fees && total["coupons"]?.integer == coupons)
    let truth = try fixture.perform { await Self.truth(of: $0) }
    #expect(payments == truth.sales && back == truth.refunds && coupons == truth.coupons && coupons > 0)
    #expect(sum(total, "granted") == truth.sales)
    // What the account gained is what the report leaves, and what the bank brought.
    let opening = try #require(bills.first?.fundFlow?.opening)
    let closing = try #require(bills.last?.fundFlow?.closing)
    #expect(total["net"]?.integer == closing - opening - topUps, "\(report.text)")
  }

  /// The report against the charges of the App Store, by currency.
  private static func expectAppStore(
    in report: JSONValue, _ days: ReportDays, _ fixture: some ShopUnderTest & AppStoreKeeper
  ) async throws {
    var taken: [String: Taken] = [:]
    for charge in await fixture.apple.charges() {
      let currency = charge.transaction.price.currency
      let milliunitsOfUnit: Int64 = currency == "JPY" ? 1000 : 10
      if days.span.contains(charge.transaction.purchaseDate) {
        let amount = charge.milliunits / milliunitsOfUnit
        let sales = taken[currency, default: Taken()].sales
        taken[currency, default: Taken()].sales = [sales[0] + 1, sales[1] + amount]
      }
      if let revocation = charge.transaction.revocation, days.span.contains(revocation.date) {
        let amount = charge.milliunits * charge.refundedPercentage / 100_000 / milliunitsOfUnit
        let refunds = taken[currency, default: Taken()].refunds
        taken[currency, default: Taken()].refunds = [refunds[0] + 1, refunds[1] + amount]
      }
    }
    let rows = totals(report, at: .appStore)
    let found = Dictionary(
      uniqueKeysWithValues: rows.map { row in
        (row["currency"]?.string ?? "-", Taken(sales: sum(row, "sales"), refunds: sum(row, "refunds")))
      })
    #expect(found == taken, "\(report.text)")
    for row in rows {
      let left = sum(row, "sales")[1] - sum(row, "refunds")[1]
      #expect(row["net"]?.integer == left - left * 15 / 100 && row["netIsEstimate"] == .bool(true))
    }
  }

  /// The rows of all days have the sums of the whole.
  private static func expectSameSums(_ byDay: JSONValue, as report: JSONValue) throws {
    let rows = byDay["rows"]?.array ?? []
    for total in report["totals"]?.array ?? [] {
      let own = rows.filter { $0["store"] == total["store"] && $0["currency"] == total["currency"] }
      for name in ["sales", "refunds"] {
        let parts = own.map { sum($0, name) }
        #expect([parts.reduce(0) { $0 + $1[0] }, parts.reduce(0) { $0 + $1[1] }] == sum(total, name))
      }
      guard total["store"]?.string == Store.weChatPay.rawValue else { continue }
      for name in ["fees", "coupons", "net"] {
        #expect(own.reduce(Int64(0)) { $0 + ($1[name]?.integer ?? 0) } == total[name]?.integer, "\(name)")
      }
    }
  }

  // MARK: the App Store alone

  @Test func `says that several pieces were bought at once, and counts Apple's price for each`() throws {
    let fixture = try TwoStoreFixture()
    let id = try fixture.perform {
      try await $0.purchase(
        "coins.100", "com.example.coins100", of: "alice", as: TwoStoreFixture.china, quantity: 3)
    }
    fixture.world.run(for: .minutes(10))
    try fixture.perform { fixture async throws in
      _ = try await fixture.apple.refunds.refund(id, percentage: 50_000)
      let request = SubmitAppStorePayment.Request(
        evidence: try await fixture.apple.signedTransaction(id).signedTransaction)
      _ = try await fixture.engine.submitAppStorePayment(request, from: "alice", for: fixture.app)
      let today = ReportDays.day(of: fixture.now())
      let days = try #require(ReportDays(from: today, to: today))
      let report = try await Self.report(fixture, days)
      try await Self.expectAppStore(in: report, days, fixture)
      #expect(Self.totals(report, at: .appStore).map { Self.sum($0, "sales") } == [[1, 1800]])
      let difference = try #require(report["differences"]?.array?.first { $0["store"]?.string == "appStore" })
      #expect(difference["kind"]?.string == "severalPieces" && difference["transactionId"]?.string == id.text)
      #expect(difference["ours"]?.integer == 1800 && difference["details"]?.string == "×3")
    }
  }

  @Test func `lacks what nothing reported; the comparison with Apple names it, and then the report is equal`() throws {
    let fixture = try AppStoreEngineFixture { $0.commissionPercent = 15 }
    let first = ReportDays.day(of: fixture.now())
    func compare() throws -> [String] {
      let report = try fixture.perform { try await $0.engine.reconcileAppStore($0.app) }
      #expect(report.differences == [])
      return report.findings.map { "\($0.kind.rawValue) \($0.subject)" }
    }
    func span() throws -> ReportDays { try #require(ReportDays(from: first, to: ReportDays.day(of: fixture.now()))) }
    func sales() throws -> [[Int64]] {
      let days = try span()
      let report = try fixture.perform { try await Self.report($0, days) }
      return ["sales", "refunds"].map { Self.sum(Self.totals(report, at: .appStore).first, $0) }
    }
    let (known, lost) = try fixture.perform { fixture async throws in
      try await fixture.apple.setBehaviour(.notifyNever, to: 1)
      let known = try await fixture.buy(token: fixture.order())
      _ = try await fixture.submit(fixture.apple.signedTransaction(known).signedTransaction)
      return (known, try await fixture.buy(token: fixture.order()))
    }
    fixture.world.run(for: .minutes(15))
    #expect(try sales() == [[1, 600], [0, 0]])
    #expect(try compare() == ["missedPayment \(lost.text)"])
    #expect(try sales() == [[2, 1200], [0, 0]])
    fixture.world.run(for: .hours(2))
    try fixture.perform { _ = try await $0.apple.refunds.refund(known) }
    fixture.world.run(for: .hours(23))
    #expect(try sales() == [[2, 1200], [0, 0]])
    #expect(try compare() == ["missedRefund \(known.text)"])
    #expect(try sales() == [[2, 1200], [1, 600]])
    let all = try span()
    try fixture.perform { fixture async throws in
      try await Self.expectAppStore(in: Self.report(fixture, all), all, fixture)
    }
  }
}

/// A shop beside a simulated App Store.
private protocol AppStoreKeeper: Sendable {
  var apple: SimulatedAppStore { get }
}

extension TwoStoreFixture: AppStoreKeeper {}
extension AppStoreEngineFixture: AppStoreKeeper {}
