import Console
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import Testing

@Suite struct `The console's page of bills` {
  private static let report = """
    {"differences":2,"fundFlow":{"state":"compared","opening":0,"closing":48765,"payments":{"count":3,"amount":60000},
    "refunds":{"count":1,"amount":10000},"returnedRefunds":{"count":0,"amount":0},"fees":{"count":3,"amount":360},
    "returnedFees":{"count":0,"amount":0},"topUps":{"count":0,"amount":0},"withdrawals":{"count":1,"amount":875},
    "others":{"count":0,"amount":0},"atMidnight":0,"differences":1,"findings":[]}}
    """

  private static func put(_ day: String, _ report: String?, in fixture: ConsoleFixture) async throws {
    let now = fixture.shop.now()
    let outcome = await fixture.shop.database.transact { transaction in
      var record = ReconciliationRecord(
        appEnvironment: EngineFixture.appEnvironment, store: .weChatPay, day: day, triedAt: now)
      record.report = report
      try transaction.put(record)
    }
    guard case .committed = outcome else { throw NotStored() }
  }

  private struct NotStored: Error {}

  @Test func `shows no other app's days, and nothing where no day was compared`() async throws {
    let fixture = try ConsoleFixture()
    try await Self.put("2026-02-28", Self.report, in: fixture)
    let other = try await fixture.browser(in: "other").get("/console/app/other/bills")
    #expect(other.status == 200 && !other.page.contains("2026-02-28") && other.page.contains("Nothing here."))
    #expect(try await fixture.browser(in: "other").get("/console/app/shop/bills").status == 404)
  }

  @Test func `shows each day's movements, balances and differences, the newest day first`() async throws {
    let fixture = try ConsoleFixture()
    try await Self.put("2026-02-27", nil, in: fixture)
    try await Self.put("2026-02-28", Self.report, in: fixture)
    let browser = try await fixture.browser(as: .viewer)
    let page = await browser.get("/console/app/shop/bills").page
    for text in ["¥600.00 (3)", "¥100.00 (1)", "¥3.60 (3)", "¥8.75 (1)", "¥487.65", ">2<", "compared"] {
      #expect(page.contains(text), "\(text)")
    }
    let days = ["2026-02-28", "2026-02-27"].compactMap { page.firstRange(of: $0)?.lowerBound }
    #expect(days.count == 2 && days == days.sorted())
    #expect(page.contains("href=\"/console/app/shop/bills\""))
    let chinese = try await fixture.browser(as: .viewer, language: "zh").get("/console/app/shop/bills").page
    #expect(chinese.contains("资金账单") && chinese.contains("期末余额"))
    #expect(chinese.contains(">已核对<") && !chinese.contains(">compared<"))
  }
}
