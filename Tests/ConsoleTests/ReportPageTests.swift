import Console
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import StrictJSON
import Testing

@Suite struct `The console's page of reports` {
  @Test func `offers no file to who may not export, and shows nothing of another app`() async throws {
    let fixture = try ConsoleFixture()
    _ = try await fixture.paidOrder("1001", of: "alice")
    let browser = try await fixture.browser(as: .viewer)
    let page = await browser.get("/console/app/shop/reports")
    #expect(page.status == 200 && !page.page.contains("revenue.csv") && page.page.contains("without price"))
    #expect(await browser.get("/console/app/shop/reports/revenue.csv").status == 403)
    let other = try await fixture.browser(in: "other").get("/console/app/other/reports")
    #expect(other.status == 200 && !other.page.contains("without price"))
  }

  @Test func `exports the report of the chosen month and division, and the audit log tells it`() async throws {
    let fixture = try ConsoleFixture()
    _ = try await fixture.paidOrder("1001", of: "alice")
    let browser = try await fixture.browser(as: .finance)
    #expect(await browser.get("/console/app/shop/reports").page.contains("revenue.csv"))
    let file = await browser.get("/console/app/shop/reports/revenue.csv?month=2026-03&by=day").page
    #expect(file.contains("difference,,appStore,,") && file.contains("withoutPrice,1,,,1001,fulfilled"), "\(file)")
    #expect(!(await browser.get("/console/app/shop/reports/revenue.csv?month=2026-02").page.contains("1001")))
    #expect(try await fixture.entries().map(\.action) == ["export.revenue", "export.revenue"])
    let chinese = try await fixture.browser(as: .viewer, language: "zh").get("/console/app/shop/reports").page
    #expect(chinese.contains("合计") && chinese.contains("未配置 commission_percent"))
  }

  @Test func `says in words of its language what differs, why, and at which store`() async throws {
    let fixture = try ConsoleFixture()
    _ = try await fixture.paidOrder("1001", of: "alice")
    let unknown = fixture.shop.transaction("1002", of: "com.example.unknown") {
      $0["price"] = .integer(6000)
      $0["currency"] = "CNY"
    }
    _ = try await fixture.shop.submit(unknown, by: nil)
    let english = try await fixture.browser(as: .viewer).get("/console/app/shop/reports").page
    for text in ["without price", "not granted", "productUnknown", "¥6.00"] {
      #expect(english.contains(text), "\(text)")
    }
    let chinese = try await fixture.browser(as: .viewer, language: "zh").get("/console/app/shop/reports").page
    for text in ["没有价格", "未入账", "商品未配置", "已入账", "¥6.00", ">店面<"] { #expect(chinese.contains(text), "\(text)") }
    for name in ["withoutPrice", "notGranted", "productUnknown", "fulfilled", ">appStore<"] {
      #expect(!chinese.contains(name), "\(name)")
    }
  }

  @Test func `shows what was given without a payment apart from money, in both languages and in the file`()
    async throws
  {
    let fixture = try ConsoleFixture { app in app.credits = [CreditCeiling(unit: "coin", perUserAndDay: 50)] }
    let credit = CreditRequest(
      user: "alice", unit: "coin", amount: 37, key: "daily-7", digest: "d", reason: "daily reward")
    _ = try await fixture.shop.engine.creditBalance(credit, in: EngineFixture.appEnvironment)
    let gift = PromotionalRequest(
      user: "alice", entitlement: "club", until: fixture.shop.now() + .days(7), key: "a", reason: "no service",
      by: "cfs_a")
    _ = try await fixture.shop.engine.giveEntitlement(gift, in: EngineFixture.appEnvironment)
    let browser = try await fixture.browser(as: .finance)
    let english = await browser.get("/console/app/shop/reports").page
    for text in ["Units given without a payment", "Entitlements given without a payment", "coin", ">37<", "club"] {
      #expect(english.contains(text), "\(text)")
    }
    #expect(!english.contains("37 (") && !english.contains("daily reward") && !english.contains("alice"))
    let file = await browser.get("/console/app/shop/reports/revenue.csv?month=2026-03&by=month").page
    #expect(file.contains("credit,2026-03,") && file.contains("given,1,,,coin,units 37"), "\(file)")
    #expect(!file.contains("total,") && file.contains("given,1,,,club,revoked 0"), "\(file)")
    let chinese = try await fixture.browser(as: .viewer, language: "zh").get("/console/app/shop/reports").page
    for text in ["赠送的数量", "赠送的权益", "其中已收回", ">37<"] { #expect(chinese.contains(text), "\(text)") }
  }
}
