import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

@Suite struct `The report of revenue over HTTP` {
  private static func ask(_ front: ServerFixture, _ query: String, as key: String? = nil) async -> Answer {
    await front.ask("GET", "/v1/reports/revenue" + query, as: key ?? front.keys.secret)
  }

  private static let march = "?from=2026-03-01&to=2026-03-31"

  @Test(arguments: [
    "", "?from=2026-03-01", "?from=2026-03-02&to=2026-03-01", "?from=2026-02-29&to=2026-03-01", "?from=x&to=y",
    "?from=2025-01-01&to=2026-12-31", march + "&by=week", march + "&by=day,day", march + "&by=,", march + "&format=xml",
    march + "&environment=moon", march + "&store=appStore",
  ])
  func `is refused without days, with unknown words, or over too long a time`(query: String) async throws {
    let answer = await Self.ask(try await ServerFixture.open(), query)
    #expect(answer.status == 400 && ["field_invalid", "field_unknown"].contains(answer.code), "\(answer.code ?? "-")")
  }

  @Test func `is for a secret key and for operators, and never for a phone or another app`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order()
    await front.submit(TestAppStoreSigner().transaction("1001", token: order), as: front.token())
    for credential in [front.token(), front.keys.publishable] {
      #expect(await Self.ask(front, Self.march, as: credential).code == "not_allowed")
    }
    #expect(await Self.ask(front, Self.march, as: front.keys.operator).status == 200)
    let other = await Self.ask(front, Self.march, as: front.keys.otherOperator)
    #expect(other.status == 200 && other["rows"] == .array([]))
  }

  @Test func `has the same sums as JSON and as a table that computes nothing`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order()
    let evidence = TestAppStoreSigner().transaction("1001", token: order) {
      $0["price"] = .integer(6000)
      $0["currency"] = "CNY"
      $0["storefront"] = "CHN"
      $0["purchaseDate"] = .integer(EngineFixture.noon.milliseconds)
    }
    await front.submit(evidence, as: front.token())
    let json = await Self.ask(front, Self.march + "&by=month,product,storefront")
    let row = try #require(json["rows"]?.array?.first)
    #expect(row["period"]?.string == "2026-03" && row["productId"]?.string == "coins.100")
    #expect(row["storefront"]?.string == "CHN" && row["sales"]?["amount"]?.integer == 600)
    #expect(row["net"] == nil, "no commission is configured")
    let csv = await Self.ask(front, Self.march + "&by=month,product,storefront&format=csv")
    #expect(csv.fields["Content-Type"] == "text/csv; charset=utf-8")
    let lines = csv.text.split(separator: "\r\n").map(String.init)
    #expect(lines.contains("row,2026-03,appStore,CNY,coins.100,CHN,1,600,0,0,0,,,,,,,,,,"), "\(csv.text)")
    #expect(lines.contains("total,,appStore,CNY,,,1,600,0,0,0,,,,,,,,,,"), "\(csv.text)")
    #expect(lines.allSatisfy { $0.split(separator: ",", omittingEmptySubsequences: false).count == 21 })
  }

  @Test func `has credits in a list of their own, and no row for them`() async throws {
    let front = try await ServerFixture.open {
      $0.mayCredit = true
      $0.app = { app in app.credits = [CreditCeiling(unit: "coin", perUserAndDay: 100)] }
    }
    let credit = JSONValue.members([("amount", .integer(40)), ("reason", "daily reward"), ("id", "day-7")])
    let given = await front.ask(
      "POST", "/v1/users/alice/balances/coin/credits", as: front.keys.secret, json: credit)
    #expect(given.status == 201, "\(given.text)")
    let json = await Self.ask(front, Self.march + "&by=day,product")
    #expect(json["rows"] == .array([]) && json["totals"] == .array([]) && json["differences"] == .array([]))
    let credits = JSONValue.members([
      ("period", "2026-03-01"), ("unit", "coin"), ("count", .integer(1)), ("amount", .integer(40)),
    ])
    #expect(json["credits"] == .array([credits]), "\(json.text)")
    let csv = await Self.ask(front, Self.march + "&by=day&format=csv")
    #expect(csv.text.contains("\r\ncredit,2026-03-01,,,,,,,,,,,,,,given,1,,,coin,units 40\r\n"), "\(csv.text)")
    #expect(await Self.ask(front, "?from=2026-04-01&to=2026-04-02")["credits"] == .array([]))
  }
}
