import Console
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing
import WeChatPayIntegration

@Suite struct `A list of the console as a file` {
  @Test func `never lets a spreadsheet compute a text from outside`() async throws {
    let fixture = try ConsoleFixture()
    for (place, user) in ["=1+1", "+1", "-1+cmd|' /C calc'!B", "@SUM(1)", "a\"b,c"].enumerated() {
      _ = try await fixture.paidOrder("\(1001 + place)", of: UserIdentifier(user))
    }
    let browser = try await fixture.browser(as: .finance)
    let answer = await browser.get("/console/app/shop/payments.csv")
    let lines = answer.page.split(separator: "\r\n").dropFirst()
    #expect(
      answer.response.fields["Content-Type"] == "text/csv; charset=utf-8"
        && answer.response.body.prefix(3) == [0xEF, 0xBB, 0xBF])
    #expect(lines.count == 5)
    for shown in [",'=1+1,", ",'+1,", ",'-1+cmd|' /C calc'!B,", ",'@SUM(1),", ",\"a\"\"b,c\","] {
      #expect(lines.contains { $0.contains(shown) }, "\(shown)")
    }
    #expect(try await fixture.entries().map(\.action) == ["export.payments"])
  }

  @Test func `has every row once, over all pages`() async throws {
    let fixture = try ConsoleFixture()
    for number in 0..<7 { _ = try await fixture.paidOrder("\(2000 + number)", of: "alice") }
    let browser = try await fixture.browser(as: .finance)
    for list in ["orders", "payments"] {
      let lines = await browser.get("/console/app/shop/\(list).csv").page.split(separator: "\r\n")
      #expect(lines.count == 8 && Set(lines).count == 8, "\(list)")
    }
    #expect(await browser.get("/console/app/shop/orders.csv?state=closed").page.split(separator: "\r\n").count == 1)
    #expect(await browser.get("/console/app/shop/refunds.csv").page.split(separator: "\r\n").count == 1)
    #expect(await browser.get("/console/app/shop/orders").page.contains("/console/app/shop/orders.csv"))
    let other = try await fixture.browser(as: .operator)
    #expect(!(await other.get("/console/app/shop/orders").page.contains(".csv")))
  }

  @Test func `that has not every row ends with one that says so, and any other does not`() async throws {
    let fixture = try ConsoleFixture(fileRowsMax: 3)
    let browser = try await fixture.browser(as: .finance)
    for count in 1...5 {
      _ = try await fixture.paidOrder("\(2000 + count)", of: "alice")
      for list in ["orders", "payments"] {
        let lines = await browser.get("/console/app/shop/\(list).csv").page.split(separator: "\r\n")
        let isCut = count > 3
        #expect(lines.count == 1 + min(count, 3) + (isCut ? 1 : 0), "\(count) \(list)")
        #expect(lines.contains { $0.hasPrefix("cut after 3 rows; narrow the filter,") } == isCut, "\(count) \(list)")
        #expect(lines.last?.hasPrefix("cut after") == isCut, "\(count) \(list)")
        #expect(Set(lines.map { line in line.count { $0 == "," } }).count == 1, "Each row has every cell.")
      }
    }
  }

  @Test func `says beside its link how many rows it has at most`() async throws {
    let fixture = try ConsoleFixture()
    for (language, words) in [("en", "at most 10000 rows"), ("zh", "最多 10000 行")] {
      let browser = try await fixture.browser(as: .finance, language: language)
      let other = try await fixture.browser(as: .support, language: language)
      for list in ["orders", "payments", "refunds"] {
        #expect(await browser.get("/console/app/shop/\(list)").page.contains(words), "\(list)")
        #expect(!(await other.get("/console/app/shop/\(list)").page.contains(words)), "\(list)")
      }
    }
  }

  @Test func `has the refunds that the filter of their list shows`() throws {
    let world = try WeChatConsoleFixture()
    try world.perform { world in
      let payment = try await world.paid()
      _ = try await world.shop.engine.refundPayment(
        payment, RefundRequest(amount: nil, reason: nil, idempotencyKey: "a", askedBy: "tests"))
      let browser = try await world.fixture.browser(as: .finance)
      for (state, lines) in [("failed", 1), ("underWay", 2), ("nothing", 2)] {
        let file = await browser.get("/console/app/shop/refunds.csv?state=\(state)").page
        #expect(file.split(separator: "\r\n").count == lines, "\(state)")
      }
    }
  }
}
