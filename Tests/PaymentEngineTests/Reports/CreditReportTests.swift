import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

@Suite struct `Credits in a report of revenue` {
  private static func shop() throws -> EngineFixture {
    try EngineFixture { app in
      app.credits = [CreditCeiling(unit: "coin", perUserAndDay: 100), CreditCeiling(unit: "gem", perUserAndDay: 9)]
    }
  }

  private static func give(
    _ amount: Int64, _ key: String, of unit: UnitName = "coin", to user: UserIdentifier = "alice",
    in shop: EngineFixture
  ) async throws {
    _ = try await shop.engine.creditBalance(
      CreditRequest(user: user, unit: unit, amount: amount, key: key, digest: "d\(amount)", reason: "daily reward"),
      in: EngineFixture.appEnvironment)
  }

  private static func report(
    _ shop: EngineFixture, to last: String = "2026-03-31", by dimensions: Set<RevenueReport.Dimension> = []
  ) async throws -> JSONValue {
    let days = try #require(ReportDays(from: "2026-03-01", to: last))
    let request = RevenueReport.Request(days, by: dimensions, in: EngineFixture.appEnvironment)
    return try await shop.engine.readRevenueReport(request, of: shop.app).json
  }

  private static func credits(_ report: JSONValue) -> [[String]] {
    (report["credits"]?.array ?? []).map { row in
      [row["period"]?.string ?? "-", row["unit"]?.string ?? "-"]
        + ["count", "amount"].map { row[$0]?.integer.map(String.init) ?? "-" }
    }
  }

  @Test func `never count as revenue, however many there are beside a sale`() async throws {
    let shop = try Self.shop()
    let order = try await shop.order()
    let evidence = shop.transaction("1001", token: order) {
      $0["price"] = .integer(6000)
      $0["currency"] = "CNY"
      $0["purchaseDate"] = .integer(EngineFixture.noon.milliseconds)
    }
    _ = try await shop.submit(evidence, by: "alice", orders: [order])
    let dimensions = Set(RevenueReport.Dimension.allCases)
    let before = try await Self.report(shop, by: dimensions)
    for number in 0..<5 { try await Self.give(20, "a\(number)", in: shop) }
    try await Self.give(9, "b", of: "gem", to: "bob", in: shop)
    // Spending what was given is no refund either.
    _ = try await shop.engine.debitBalance(
      DebitRequest(user: "bob", unit: "gem", amount: 4, key: "sword", digest: "d"), in: EngineFixture.appEnvironment)
    let after = try await Self.report(shop, by: dimensions)
    for list in ["rows", "totals", "differenceSums", "differences", "promotional"] {
      #expect(after[list] == before[list], "\(list): \(after.text)")
    }
    #expect(after["totals"]?.array?.first?["sales"]?["amount"]?.integer == 600, "\(after.text)")
    #expect(Self.credits(before).isEmpty && Self.credits(after).count == 2)
  }

  @Test func `of other days or of a user's repeated request are not there`() async throws {
    let shop = try Self.shop()
    for _ in 0..<3 { try await Self.give(10, "a", in: shop) }
    shop.clock.advance(by: .days(31))
    try await Self.give(10, "later", in: shop)
    #expect(try await Self.credits(Self.report(shop)) == [["-", "coin", "1", "10"]])
  }

  @Test func `stand apart by unit, in the periods of the rows, and as lines without money`() async throws {
    let shop = try Self.shop()
    try await Self.give(10, "a", in: shop)
    try await Self.give(30, "b", to: "bob", in: shop)
    // 20:00 Beijing time: five hours later is the next day.
    shop.clock.advance(by: .hours(5))
    try await Self.give(5, "c", in: shop)
    try await Self.give(2, "d", of: "gem", in: shop)
    let byDay = try await Self.report(shop, by: [.day])
    #expect(
      Self.credits(byDay) == [
        ["2026-03-01", "coin", "2", "40"], ["2026-03-02", "coin", "1", "5"], ["2026-03-02", "gem", "1", "2"],
      ])
    #expect(
      try await Self.credits(Self.report(shop, to: "2026-04-02", by: [.month])) == [
        ["2026-03", "coin", "3", "45"], ["2026-03", "gem", "1", "2"],
      ])
    // A product gives no credit, so products divide none.
    #expect(
      try await Self.credits(Self.report(shop, by: [.product])) == [["-", "coin", "3", "45"], ["-", "gem", "1", "2"]])
    let lines = RevenueReport.lines(of: byDay)
    #expect(lines.count == 3 && lines.allSatisfy { $0.count == RevenueReport.columns.count })
    let money = ["sales", "refunds", "deferred", "fees", "coupons", "net", "ours", "theirs"]
    let places = money.compactMap { RevenueReport.columns.firstIndex(of: $0) }
    #expect(places.count == money.count && lines.allSatisfy { line in places.allSatisfy { line[$0].isEmpty } })
    #expect(lines[0].filter { !$0.isEmpty } == ["credit", "2026-03-01", "given", "2", "coin", "units 40"])
  }
}
