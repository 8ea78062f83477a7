import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import Testing

@Suite struct `The console's pages of reconciliation` {
  private static let list = "/console/app/shop/reconciliation"
  private static let day = list + "/weChatPay/2026-02-28?environment=simulated"
  private static let report = """
    {"payments":{"count":3,"amount":1800},"refunds":{"count":0,"amount":0},"healed":0,"differences":2,"findings":[
    {"kind":"notGranted","healed":false,"transactionId":"42","billAmount":600,"details":"productUnknown"},
    {"kind":"paymentNotInBill","healed":false,"transactionId":"43","ourAmount":1200,"details":"fulfilled"}],
    "fundFlow":{"state":"later","findings":[
    {"kind":"balanceDiffers","number":"44","flowAmount":875,"expectedAmount":900}]}}
    """

  /// A shop with one day that was compared.
  private static func fixture(_ report: String?) async throws -> ConsoleFixture {
    let fixture = try ConsoleFixture()
    let now = fixture.shop.now()
    try await fixture.shop.engine.transact { transaction in
      var record = ReconciliationRecord(
        appEnvironment: EngineFixture.appEnvironment, store: .weChatPay, day: "2026-02-28", triedAt: now)
      (record.report, record.doneAt) = (report, report.map { _ in now })
      try transaction.put(record)
    }
    return fixture
  }

  @Test func `show no other app's day, and of a day without a report no number`() async throws {
    let fixture = try await Self.fixture(nil)
    let other = try await fixture.browser(in: "other")
    #expect(!(await other.get("/console/app/other/reconciliation").page.contains("2026-02-28")))
    #expect(await other.get(Self.day).status == 404)
    let browser = try await fixture.browser(as: .viewer)
    for path in [Self.list, Self.day] {
      let page = await browser.get(path)
      #expect(page.status == 200 && page.page.contains("not compared yet") && !page.page.contains("¥"), "\(path)")
    }
  }

  @Test func `show counts and amounts, differences in words, and no brace, in both languages`() async throws {
    let fixture = try await Self.fixture(Self.report)
    let ofLanguages = [
      "en": [
        "not granted", "payment not in the bill", "balance differs", "transaction: 42", "in the bill: ¥6.00",
        "details: productUnknown", "here: ¥12.00", "in the fund-flow bill: ¥8.75", "expected: ¥9.00",
      ],
      "zh": [
        "未入账", "账单中无此支付", "余额不符", "交易号：42", "账单：¥6.00", "详情：商品未配置", "本系统：¥12.00", "详情：已入账",
        "资金账单：¥8.75", "应为：¥9.00",
      ],
    ]
    for (language, words) in ofLanguages.sorted(by: { $0.key < $1.key }) {
      let browser = try await fixture.browser(as: .viewer, language: language)
      let day = await browser.get(Self.day).page
      for text in words { #expect(day.contains(text), "\(text)") }
      for page in [await browser.get(Self.list).page, day] {
        #expect(page.contains("3 · ¥18.00") && page.contains("0 · ¥0.00"))
        #expect(!page.contains("{") && !page.contains("notGranted") && !page.contains("billAmount"))
      }
    }
  }

  @Test func `are led to by the queue, which says what differs in the page's language`() async throws {
    let fixture = try await Self.fixture(Self.report)
    let queue = "/console/app/shop/needs-attention?kind=reconciliationDifference"
    for (language, words) in [("en", "2: payment not in the bill"), ("zh", "2：账单中无此支付")] {
      let page = await (try fixture.browser(as: .viewer, language: language)).get(queue).page
      #expect(page.contains(words) && !page.contains("paymentNotInBill"), "\(language)")
    }
    let bills = await (try fixture.browser(as: .viewer, language: "zh")).get("/console/app/shop/bills").page
    #expect(bills.contains(">稍后重试<") && !bills.contains(">later<"))
  }
}
