import Console
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing

@Suite struct `Signing in to the console` {
  @Test func `takes no code that is unknown, was used, or is ten minutes old`() async throws {
    let fixture = try ConsoleFixture()
    let browser = Browser(fixture: fixture)
    _ = try await fixture.shop.engine.setRole(.support, of: "lin", in: "shop", by: "tests")
    for code in ["", "x", String(repeating: "A", count: 43)] {
      let answer = await browser.post("/console/enter", [("code", code)])
      #expect(answer.status == 403 && answer.cookie == nil, "\(code)")
    }
    let used = try #require(try await fixture.shop.engine.makeSignInLink(for: "lin", by: "tests"))
    #expect(await browser.post("/console/enter", [("code", used)]).status == 303)
    #expect(await browser.post("/console/enter", [("code", used)]).status == 403)
    let old = try #require(try await fixture.shop.engine.makeSignInLink(for: "lin", by: "tests"))
    fixture.shop.clock.advance(by: .minutes(10))
    #expect(await browser.post("/console/enter", [("code", old)]).status == 403)
  }

  @Test func `is refused to a disabled account, whose sessions end at once`() async throws {
    let fixture = try ConsoleFixture()
    let browser = try await fixture.browser(as: .support)
    #expect(await browser.get("/console/app/shop").status == 200)
    let code = try #require(try await fixture.shop.engine.makeSignInLink(for: "support-shop", by: "tests"))
    _ = try await fixture.shop.engine.disableAccount("support-shop", by: "tests")
    #expect(await browser.get("/console/app/shop").location == "/console/enter")
    #expect(await Browser(fixture: fixture).post("/console/enter", [("code", code)]).status == 403)
    #expect(try await fixture.shop.engine.makeSignInLink(for: "support-shop", by: "tests") == nil)
    #expect(try await fixture.shop.engine.makeSignInLink(for: "nobody", by: "tests") == nil)
  }

  @Test func `ends the oldest of five sessions, and all with another role`() async throws {
    let fixture = try ConsoleFixture()
    var browsers: [Browser] = []
    for _ in 0..<6 {
      browsers.append(try await fixture.browser(as: .support))
      fixture.shop.clock.advance(by: .seconds(1))
    }
    for (place, browser) in browsers.enumerated() {
      #expect((await browser.get("/console/app/shop").status == 200) == (place > 0), "\(place)")
    }
    _ = try await fixture.shop.engine.setRole(.viewer, of: "support-shop", in: "shop", by: "tests")
    for browser in browsers { #expect(await browser.get("/console/app/shop").location == "/console/enter") }
  }

  @Test func `is ended everywhere, or everywhere else, by its operator`() async throws {
    let fixture = try ConsoleFixture()
    let (first, second, third) = (
      try await fixture.browser(as: .support), try await fixture.browser(as: .support),
      try await fixture.browser(as: .support)
    )
    let token = try #require(await first.get("/console/me").form("/console/leave")?.first)
    #expect(await second.post("/console/me/end-sessions", [token, ("which", "others")]).status == 403)
    #expect(await first.post("/console/me/end-sessions", [token, ("which", "others")]).status == 303)
    #expect(await first.get("/console/app/shop").status == 200)
    #expect(await second.get("/console/app/shop").location == "/console/enter")
    #expect(await first.post("/console/me/end-sessions", [token, ("which", "all")]).status == 303)
    for browser in [first, third] { #expect(await browser.get("/console/app/shop").location == "/console/enter") }
    #expect(try await fixture.entries().map(\.action) == ["form.refused", "session.endAll", "session.endAll"])
  }

  @Test func `is not taken from a page of another origin`() async throws {
    let fixture = try ConsoleFixture()
    _ = try await fixture.shop.engine.setRole(.admin, of: "lin", in: "*", by: "tests")
    let code = try #require(try await fixture.shop.engine.makeSignInLink(for: "lin", by: "tests"))
    for (origin, site) in [(nil, nil), ("https://evil.test", nil), (ConsoleFixture.origin, "cross-site")]
      as [(
        String?, String?
      )]
    {
      var browser = Browser(fixture: fixture)
      (browser.origin, browser.site) = (origin, site)
      #expect(await browser.post("/console/enter", [("code", code)]).status == 403)
    }
    #expect(await Browser(fixture: fixture).post("/console/enter", [("code", code)]).status == 303)
  }

  @Test func `is tried ten times a minute from one address, and then no more`() async throws {
    let fixture = try ConsoleFixture()
    var browser = Browser(fixture: fixture)
    for _ in 0..<10 { #expect(await browser.post("/console/enter", [("code", "x")]).status == 403) }
    #expect(await browser.post("/console/enter", [("code", "x")]).status == 429)
    browser.address = "192.0.2.2"
    #expect(await browser.post("/console/enter", [("code", "x")]).status == 403)
    fixture.shop.clock.advance(by: .minutes(1))
    browser.address = "192.0.2.1"
    #expect(await browser.post("/console/enter", [("code", "x")]).status == 403)
  }

  @Test func `ends after an hour without a call, after twelve hours, and with signing out`() async throws {
    let fixture = try ConsoleFixture()
    let idle = try await fixture.browser(as: .support)
    fixture.shop.clock.advance(by: .minutes(59))
    #expect(await idle.get("/console/app/shop").status == 200)
    fixture.shop.clock.advance(by: .minutes(60))
    #expect(await idle.get("/console/app/shop").location == "/console/enter")

    let busy = try await fixture.browser(as: .support)
    for _ in 0..<13 {
      fixture.shop.clock.advance(by: .minutes(54))
      #expect(await busy.get("/console/app/shop").status == 200)
    }
    fixture.shop.clock.advance(by: .minutes(54))
    #expect(await busy.get("/console/app/shop").location == "/console/enter")

    let leaving = try await fixture.browser(as: .support)
    let form = try #require(await leaving.get("/console/app/shop").form("/console/leave"))
    let answer = await leaving.post("/console/leave", form)
    #expect(answer.location == "/console/enter" && answer.cookie == "")
    #expect(await leaving.get("/console/app/shop").location == "/console/enter")
  }

  @Test func `sets a cookie for this host alone, which no script reads, and keeps its digest only`() async throws {
    let fixture = try ConsoleFixture()
    _ = try await fixture.shop.engine.setRole(.viewer, of: "lin", in: "shop", by: "tests")
    let code = try #require(try await fixture.shop.engine.makeSignInLink(for: "lin", by: "tests"))
    let answer = await Browser(fixture: fixture).post("/console/enter", [("code", code)])
    let field = try #require(answer.response.fields["Set-Cookie"])
    #expect(field.hasSuffix("; Path=/; Secure; HttpOnly; SameSite=Lax"))
    let token = try #require(answer.cookie)
    let isKept = try await fixture.shop.engine.read { reader in
      let links = [code, token].flatMap { text in [try? reader.signInLink(digest: text)] }
      return try links.contains { $0 != nil } || reader.consoleSession(digest: token) != nil
    }
    #expect(!isKept)
    #expect(try await fixture.shop.engine.read { try $0.consoleSession(digest: APIKeyText.digest(of: token)) } != nil)
  }
}
