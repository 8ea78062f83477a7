import Console
import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing

@Suite struct `A chart of bars` {
  private func chart(_ series: [BarChart.Series], columns: Int = 3) -> String {
    let chart = BarChart(
      title: "Paid <orders>", note: "A note.", columns: (0..<columns).map { "hour \($0)" }, ends: ("first", "last"),
      series: series, language: .english)
    return String(decoding: chart.markup.bytes, as: UTF8.self)
  }

  @Test func `has no bar for nothing, and a dash in the table where nothing is known`() {
    let page = chart([BarChart.Series("Held", .bad, values: [nil, 0, 4])])
    #expect(page.ranges(of: "<rect").count == 1)
    #expect(page.contains("<th scope=\"row\">hour 0</th><td class=\"n\">–</td>"))
    #expect(page.contains("<th scope=\"row\">hour 1</th><td class=\"n\">0</td>"))
    #expect(page.contains("<th scope=\"row\">hour 2</th><td class=\"n\">4</td>"))
  }

  @Test func `draws in proportion by whole numbers, at every size of a number`() {
    #expect(BarChart.height(of: 0, most: 9) == 0 && BarChart.height(of: 9, most: 0) == 0)
    #expect(BarChart.height(of: 9, most: 9) == 400 && BarChart.height(of: 1, most: 2) == 200)
    // One of many is still seen.
    #expect(BarChart.height(of: 1, most: 1_000_000) == 16)
    #expect(BarChart.height(of: .max, most: .max) == 400)
    #expect((199...201).contains(BarChart.height(of: .max / 2, most: .max)))
  }

  @Test func `names each row in words, with its sum, for those who see no colour`() {
    let page = chart([
      BarChart.Series("Granted", .ok, values: [1, 2, 3]),
      BarChart.Series("Held", .bad, values: [0, 0, 0]) { "\($0) of them" },
    ])
    #expect(page.contains("aria-label=\"Paid &lt;orders&gt;, Granted: 6\""))
    #expect(page.contains("aria-label=\"Paid &lt;orders&gt;, Held: 0 of them\""))
    #expect(page.contains("<title>hour 2: 3</title>"))
    #expect(!page.contains(" style=") && !page.contains("<script") && !page.contains("<orders>"))
  }

  @Test func `adds up without leaving 64 bits`() {
    #expect(BarChart.Series("x", .ok, values: [.max, .max, nil]).sum == .max)
  }
}

@Suite struct `The charts of the overview` {
  private static func page(
    _ fixture: ConsoleFixture, _ query: String = "", language: String = "en"
  ) async throws -> String {
    try await fixture.browser(as: .viewer, language: language).get("/console/app/shop" + query).page
  }

  @Test func `say that nothing is counted yet`() async throws {
    let page = try await Self.page(try ConsoleFixture())
    #expect(page.contains("No hour is counted yet.") && !page.contains("class=\"charts\""))
  }

  @Test func `show what was paid, granted and told, in hours and in days of the shown zone`() async throws {
    let fixture = try ConsoleFixture()
    for id in ["1001", "1002"] { _ = try await fixture.paidOrder(id) }
    fixture.shop.clock.advance(by: .days(1))
    _ = try await fixture.paidOrder("1003")
    while try await fixture.shop.engine.countHours() {}
    let day = try await Self.page(fixture)
    #expect(day.contains("aria-label=\"Paid orders, Paid: 1\"") && day.contains("Figures exist from "))
    #expect(day.contains("aria-label=\"Outcomes of payments, Granted: 1\""))
    #expect(day.contains("aria-label=\"Outcomes of payments, Held: 0\""))
    #expect(day.contains("aria-label=\"Deliveries by result, pending: 1\""))
    #expect(day.contains("aria-label=\"Amount by currency, Payments without a stated price: 1\""))
    // Noon in UTC is 20:00 there.
    #expect(day.contains("<th scope=\"row\">\(Self.text(fixture, prefix: 13)):00</th><td class=\"n\">1</td>"))
    let week = try await Self.page(fixture, "?span=week")
    #expect(week.contains("aria-label=\"Paid orders, Paid: 3\""))
    #expect(week.contains("<th scope=\"row\">\(Self.text(fixture, prefix: 10))</th><td class=\"n\">1</td>"))
    #expect(week.contains("aria-current=\"page\">7 days<"))
    #expect(week.utf8.count <= 60 << 10)
    let chinese = try await Self.page(fixture, language: "zh")
    #expect(chinese.contains("aria-label=\"已支付订单, 已支付: 1\"") && chinese.contains("以表格显示"))
  }

  @Test func `say until when they are whole while older hours wait`() async throws {
    var limits = EngineLimits()
    limits.rowsPerTotalsStep = 2
    let fixture = ConsoleFixture(over: try EngineFixture(limits: limits))
    for id in ["1001", "1002"] {
      _ = try await fixture.paidOrder(id)
      fixture.shop.clock.advance(by: .hours(3))
    }
    _ = try await fixture.shop.engine.countHours()
    #expect(try await Self.page(fixture).contains("Older hours are still being counted: complete until "))
  }

  /// The present time in the shown zone.
  private static func text(_ fixture: ConsoleFixture, prefix: Int) -> String {
    let text = (fixture.shop.now() + .hours(8)).iso8601.replacing("T", with: " ")
    return String(text.prefix(prefix))
  }
}
