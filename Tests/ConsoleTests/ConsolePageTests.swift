import Console
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing

@Suite struct `A page of the console` {
  private static let paths = [
    "", "/search", "/search?q=alice", "/search?q=nothing-here", "/orders", "/orders?state=paid", "/payments",
    "/needs-attention", "/needs-attention?kind=payment", "/users/alice?environment=simulated",
    "/users/alice/balances/coin?environment=simulated", "/deliveries",
    "/deliveries?state=pending",
  ]

  @Test func `is shown to nobody who has not signed in`() async throws {
    let browser = Browser(fixture: try ConsoleFixture())
    for path in Self.paths + ["/orders/x"] {
      let answer = await browser.get("/console/app/shop" + path)
      #expect(answer.status == 303 && answer.location == "/console/enter")
    }
    #expect(await browser.get("/console/audit-log").location == "/console/enter")
    #expect(await browser.get("/").location == "/console")
    #expect(await browser.get("/v1/orders").status == 404)
  }

  @Test func `of another app looks as if that app did not exist`() async throws {
    let fixture = try ConsoleFixture()
    let order = try await fixture.paidOrder()
    let stranger = try await fixture.browser(as: .admin, in: "other")
    for path in Self.paths + ["/orders/\(order)", "/payments/appStore/simulated/1001"] {
      #expect(await stranger.get("/console/app/shop" + path).status == 404)
    }
    #expect(await stranger.get("/console/app/other/orders/\(order)").status == 404)
    #expect(await stranger.get("/console/app/other/payments/appStore/simulated/1001").status == 404)
    #expect(await stranger.get("/console/app/missing").status == 404)
  }

  @Test(arguments: ["en", "zh-CN"])
  func `is HTML in the caller's language, which no cache keeps, and under a strict policy`(
    language: String
  ) async throws {
    let fixture = try ConsoleFixture()
    let order = try await fixture.paidOrder()
    let delivery = try await fixture.delivery(of: order)
    let browser = try await fixture.browser(in: "*", language: language)
    let own = ["/orders/\(order)", "/payments/appStore/simulated/1001", "/deliveries/\(delivery)"]
    for path in (Self.paths + own).map({ "/console/app/shop" + $0 }) + ["/console", "/console/audit-log"] {
      let answer = await browser.get(path)
      if answer.status == 303 {
        #expect(path == "/console/app/shop/search?q=alice" && answer.location.contains("/users/alice"), "\(path)")
        continue
      }
      #expect(answer.status == 200, "\(path)")
      #expect(answer.page.hasPrefix("<!doctype html>\n<html lang=\"\(language == "en" ? "en" : "zh-Hans")\">"))
      #expect(answer.response.fields["Cache-Control"] == "no-store")
      let policy = try #require(answer.response.fields["Content-Security-Policy"])
      #expect(policy.hasPrefix("default-src 'none'; ") && !policy.contains("unsafe"))
      #expect(!answer.page.contains(" style=") && !answer.page.contains("<style") && !answer.page.contains(" onclick"))
      #expect(answer.page.components("<h1").count == 2, "\(path) has one heading of the first level")
      #expect(answer.response.body.count <= 60 << 10)
    }
  }

  @Test func `shows a customer's texts as texts`() async throws {
    let attack = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
    let fixture = try ConsoleFixture()
    let user = UserIdentifier(attack)
    let order = try await fixture.paidOrder(of: user)
    let browser = try await fixture.browser()
    for path in ["", "/orders", "/orders/\(order)", "/users/" + RequestTarget.encode(attack), "/payments"] {
      let answer = await browser.get("/console/app/shop" + path)
      #expect(answer.status == 200 && answer.page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "\(path)")
      #expect(!answer.page.contains("<script>") && !answer.page.contains("<img"), "\(path)")
    }
    let search = await browser.get("/console/app/shop/search?q=" + RequestTarget.encode("<script>x</script>"))
    #expect(search.page.contains("&lt;script&gt;x") && !search.page.contains("<script>x"))
  }

  @Test func `of an order answers first what happened and what to tell the customer`() async throws {
    let fixture = try ConsoleFixture()
    let order = try await fixture.paidOrder()
    let page = try await fixture.browser(as: .support).get(fixture.pagePath(of: order)).page
    #expect(page.contains("Paid and granted; your backend is being told."))
    #expect(page.contains("100 coin is recorded for you."))
    let chinese = try await fixture.browser(as: .support, language: "zh").get(fixture.pagePath(of: order)).page
    #expect(chinese.contains("已支付并入账，正在通知您的后端。") && chinese.contains("可以这样答复用户："))
  }

  @Test func `hides personal data and every action from a viewer`() async throws {
    let fixture = try ConsoleFixture()
    let order = try await fixture.paidOrder()
    let delivery = try await fixture.delivery(of: order)
    let viewer = try await fixture.browser(as: .viewer)
    for path in ["/orders/\(order)", "/deliveries/\(delivery)", "/payments/appStore/simulated/1001"] {
      let answer = await viewer.get("/console/app/shop" + path)
      #expect(answer.status == 200 && !answer.page.contains("class=\"act\"") && !answer.page.contains("<pre"))
    }
    #expect(await viewer.get("/console/audit-log").status == 403)
    #expect(try await fixture.entries().map(\.action) == ["access.refused"])
  }

  @Test func `names its style sheet and script by their content, and browsers keep them`() async throws {
    let browser = Browser(fixture: try ConsoleFixture())
    let page = await browser.get("/console/enter").page
    var sizes: [String: Int] = [:]
    for ending in ["css", "js", "svg"] {
      let name = try #require(
        page.components("\"/console/assets/").dropFirst().compactMap { part in
          let name = String(part.prefix { $0 != "\"" })
          return name.hasSuffix("." + ending) ? name : nil
        }.first)
      let answer = await browser.get("/console/assets/" + name)
      #expect(answer.status == 200)
      #expect(answer.response.fields["Cache-Control"] == "public, max-age=31536000, immutable")
      sizes[ending] = answer.response.body.count
    }
    #expect(sizes["css", default: 0] <= 24 << 10 && sizes["js", default: 0] <= 8 << 10)
    #expect(await browser.get("/console/assets/console.00000000.css").status == 404)
  }

  @Test func `changes its language by a form, and leads back to a page of the console alone`() async throws {
    let fixture = try ConsoleFixture()
    let browser = try await fixture.browser()
    let answer = await browser.post(
      "/console/language", [("language", "zh-Hans"), ("to", "/console/app/shop/orders?state=paid")])
    #expect(answer.location == "/console/app/shop/orders?state=paid")
    #expect(answer.response.fields["Set-Cookie"]?.hasPrefix("__Host-counterfoil-language=zh-Hans; ") == true)
    for elsewhere in ["//evil.test/console", "https://evil.test/", "/v1/orders", "console"] {
      let answer = await browser.post("/console/language", [("language", "en"), ("to", elsewhere)])
      #expect(answer.location == "/console", "\(elsewhere)")
    }
  }
}

extension String {
  fileprivate func components(_ separator: String) -> [Substring] {
    var parts: [Substring] = []
    var rest = self[...]
    while let found = rest.firstRange(of: separator) {
      parts.append(rest[..<found.lowerBound])
      rest = rest[found.upperBound...]
    }
    return parts + [rest]
  }
}
