import Console
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

/// What operators give users without a payment, and what users may spend.
@Suite struct `On the page of a user, an operator` {
  private static let reason = ("reason", "ticket 58213")
  private static let path = "/console/app/shop/users/alice?environment=simulated"
  private static let base = "/console/app/shop/users/simulated/alice"

  private static func fixture(approvals: ApprovalRules? = nil) throws -> ConsoleFixture {
    try ConsoleFixture(approvals: approvals) { app in
      app.credits = [CreditCeiling(unit: "coin", perUserAndDay: 50)]
    }
  }

  /// Presses the button of an action on the page of alice.
  private static func press(
    _ action: String, _ browser: Browser, _ fields: [(String, String)], on path: String = ""
  ) async -> Browser.Answer? {
    let target = "\(base)\(path)/\(action)"
    guard let form = await browser.get(self.path).form(target) else { return nil }
    return await browser.post(target, form + [reason] + fields)
  }

  private static func given(_ fixture: ConsoleFixture) async throws -> [PromotionalEntitlement] {
    try await fixture.shop.engine.readPromotionalEntitlements(of: "alice", in: EngineFixture.appEnvironment).promotional
  }

  @Test func `gives no entitlement longer than the role allows, or that no product gives, and leaves an entry`()
    async throws
  {
    let fixture = try Self.fixture()
    let support = try await fixture.browser(as: .support)
    let long = await Self.press("give-entitlement", support, [("entitlement", "club"), ("duration", "8")])
    #expect(long?.status == 403)
    #expect(try await fixture.entries().last?.action == "access.refused")
    for wrong in [("club", "0"), ("club", "367"), ("club", "x"), ("", "3")] {
      let answer = await Self.press("give-entitlement", support, [("entitlement", wrong.0), ("duration", wrong.1)])
      #expect(answer?.status == 422, "\(wrong)")
    }
    let unknown = await Self.press("give-entitlement", support, [("entitlement", "gold"), ("duration", "3")])
    #expect(unknown?.status == 409 && unknown?.page.contains("club, premium, season") == true)
    #expect(try await fixture.entries().last?.problem == "entitlement_unknown")
    #expect(try await Self.given(fixture).isEmpty)
  }

  @Test func `gives an entitlement once for one press, sees it with its reason, and takes it back`() async throws {
    let fixture = try Self.fixture()
    let support = try await fixture.browser(as: .support)
    let target = "\(Self.base)/give-entitlement"
    let form = try #require(await support.get(Self.path).form(target))
    for notice in ["done", "repeated"] {
      let answer = await support.post(target, form + [Self.reason, ("entitlement", "club"), ("duration", "7")])
      #expect(answer.location == Self.path + "&notice=\(notice)")
    }
    let given = try await Self.given(fixture)
    #expect(given.count == 1 && given.first?.until == fixture.shop.now() + .days(7))
    #expect(given.first?.givenBy == "support-shop" && given.first?.reason == "ticket 58213")
    let page = await support.get(Self.path).page
    #expect(page.contains("Given without a payment") && page.contains("active, until"))
    let chinese = try await fixture.browser(as: .support, language: "zh").get(Self.path).page
    #expect(chinese.contains("赠送的权益") && chinese.contains("有效"))
    let key = try #require(given.first?.key)
    let name = RequestTarget.encode(key)
    let back = await Self.press("revoke", support, [], on: "/promotional-entitlements/\(name)")
    #expect(back?.location == Self.path + "&notice=done")
    #expect(try await Self.given(fixture).first?.end?.by == "support-shop")
    #expect(
      try await fixture.entries().map(\.action) == ["promotionalEntitlement.give", "promotionalEntitlement.revoke"])
    let admin = try await fixture.browser()
    let long = await Self.press("give-entitlement", admin, [("entitlement", "club"), ("duration", "8")])
    #expect(long?.location == Self.path + "&notice=done")
    #expect(try await fixture.shop.engine.auditInvariants(atRest: false).violations.isEmpty)
  }

  @Test func `credits only by finance, within the ceiling of the day, and with a second operator`() async throws {
    let fixture = try Self.fixture(approvals: ApprovalRules(refundMinorUnits: 20_000))
    let support = try await fixture.browser(as: .support)
    #expect(await Self.press("credit", support, [("units", "5")], on: "/coin") == nil)
    let finance = try await fixture.browser(as: .finance)
    for wrong in ["0", "-5", "1.5", "x", ""] {
      #expect(await Self.press("credit", finance, [("units", wrong)], on: "/coin")?.status == 422, "\(wrong)")
    }
    let asked = await Self.press("credit", finance, [("units", "30")], on: "/coin")
    #expect(asked?.location.hasPrefix("/console/app/shop/approvals") == true)
    #expect(try await fixture.shop.coins() == 0)
    let approval = try #require(try await fixture.shop.engine.approvals(of: "shop").first)
    // Nobody approves what they asked for; support may not, either.
    let approve = "/console/app/shop/approvals/\(approval.id)/approve"
    #expect(await finance.get("/console/app/shop/approvals").form(approve) == nil)
    // Neither with a form of their own, nor with the second press of it, which only repeats the refusal.
    let own = try #require(await finance.get(Self.path).form(Self.base + "/coin/credit"))
    for _ in 1...2 {
      _ = await finance.post(approve, own + [("digest", approval.digest), Self.reason])
      #expect(try await fixture.shop.coins() == 0)
    }
    let admin = try await fixture.browser()
    let form = try #require(await admin.get("/console/app/shop/approvals").form(approve))
    for notice in ["done", "repeated"] {
      let answer = await admin.post(approve, form + [("digest", approval.digest), Self.reason])
      #expect(answer.location.hasSuffix(notice), "\(answer.status) \(answer.location)")
    }
    #expect(try await fixture.shop.coins() == 30)
    #expect(try await fixture.shop.engine.auditInvariants(atRest: false).violations.isEmpty)
  }

  /// Approves what waits, with two presses of one form.
  private static func approve(_ fixture: ConsoleFixture, _ browser: Browser) async throws -> [Browser.Answer] {
    let now = fixture.shop.now()
    let waiting = try await fixture.shop.engine.approvals(of: "shop").filter { $0.state(at: now) == .asked }
    let approval = try #require(waiting.first)
    let path = "/console/app/shop/approvals/\(approval.id)/approve"
    let form = try #require(await browser.get("/console/app/shop/approvals").form(path))
    var answers: [Browser.Answer] = []
    for _ in 1...2 { answers.append(await browser.post(path, form + [("digest", approval.digest), reason])) }
    return answers
  }

  @Test func `merges and erases with a second operator, and then nothing names the users any more`() async throws {
    let fixture = try Self.fixture(approvals: ApprovalRules(refundMinorUnits: 20_000))
    let (engine, app) = (fixture.shop.engine, fixture.shop.app)
    let guest: UserIdentifier = "guest-77"
    _ = try await fixture.shop.order(of: "alice")
    _ = try await fixture.shop.order(of: guest)
    let finance = try await fixture.browser(as: .finance)
    let (admin, other) = (try await fixture.browser(), try await fixture.browser(in: "*"))

    let merge = await Self.press("merge", finance, [("user", guest.text)])
    #expect(merge?.location.hasPrefix("/console/app/shop/approvals") == true)
    #expect(try await engine.read { try $0.merge(of: guest, in: app.homeEnvironment) } == nil)
    #expect(try await Self.approve(fixture, admin).map { $0.location.hasSuffix("approvals?notice=done") }.first == true)
    #expect(try await engine.read { try $0.merge(of: guest, in: app.homeEnvironment) }?.into == "alice")

    #expect(await Self.press("erase", finance, []) == nil, "only an admin may")
    let erase = await Self.press("erase", admin, [])
    #expect(erase?.location.hasPrefix("/console/app/shop/approvals") == true)
    #expect(try await engine.read { try $0.erasure(of: "alice", in: app.homeEnvironment) } == nil)
    let answers = try await Self.approve(fixture, other)
    #expect(answers.first?.location.hasSuffix("notice=done") == true, "\(String(describing: answers.first))")
    #expect(answers.allSatisfy { $0.status < 500 })

    let approvals = try await engine.approvals(of: "shop")
    #expect(approvals.map { $0.state(at: fixture.shop.now()) } == [.done, .done])
    let (page, entries) = (await other.get("/console/app/shop/approvals").page, try await fixture.entries())
    for name in ["alice", guest.text] {
      #expect(!"\(approvals)".contains(name) && !page.contains(name) && !"\(entries)".contains(name), "\(name)")
    }
    #expect(try await engine.auditInvariants(atRest: false).violations.isEmpty)
  }

  @Test(arguments: [nil, ApprovalRules(refundMinorUnits: 20_000)] as [ApprovalRules?])
  func `erases a user who owes units only after FORCE was typed, and the debt stays under the alias`(
    approvals: ApprovalRules?
  ) async throws {
    let fixture = try Self.fixture(approvals: approvals)
    let shop = fixture.shop
    let order = try await fixture.paidOrder()
    let debit = DebitRequest(user: "alice", unit: "coin", amount: 80, key: "sword", digest: "d")
    _ = try await shop.engine.debitBalance(debit, in: EngineFixture.appEnvironment)
    let refunded = shop.transaction("1001", token: order) {
      $0["revocationDate"] = .integer(shop.now().milliseconds)
      $0["revocationReason"] = .integer(0)
      $0["signedDate"] = .integer(shop.now().milliseconds + 1)
    }
    _ = try await shop.submit(refunded)
    for delivery in try await shop.database.read({ try $0.deliveries(of: EngineFixture.key("1001")) }) {
      _ = try await shop.engine.acknowledge(delivery.id, in: "shop")
    }
    try #require(try await shop.coins() == -80)
    let (admin, other) = (try await fixture.browser(), try await fixture.browser(in: "*"))
    for wrong in ["force", "yes", "FORCE it"] {
      #expect(await Self.press("erase", admin, [("force", wrong)])?.status == 422, "\(wrong)")
    }
    let refused = await Self.press("erase", admin, [("force", "")])
    if approvals == nil {
      #expect(refused?.status == 409 && refused?.page.contains("debt") == true)
    } else {
      #expect(try await Self.approve(fixture, other).allSatisfy { !$0.location.hasSuffix("notice=done") })
    }
    #expect(try await shop.coins() == -80)
    let forced = await Self.press("erase", admin, [("force", "FORCE")])
    if approvals == nil {
      #expect(forced?.location == Self.path + "&notice=done", "\(String(describing: forced))")
    } else {
      #expect(await other.get("/console/app/shop/approvals").page.contains("FORCE"), "the second operator sees it")
      #expect(try await Self.approve(fixture, other).first?.location.hasSuffix("notice=done") == true)
    }
    let alias = try #require(try await shop.payment("1001")?.owner)
    #expect(alias.text.hasPrefix("erased_"))
    #expect(try await shop.coins(of: alias) == -80)
    #expect(try await shop.coins() == 0)
    #expect(try await shop.engine.auditInvariants(atRest: false).violations.isEmpty)
  }

  @Test func `credits nothing above the ceiling, also where nobody else is asked`() async throws {
    let fixture = try Self.fixture()
    let finance = try await fixture.browser(as: .finance)
    let above = await Self.press("credit", finance, [("units", "51")], on: "/coin")
    #expect(above?.status == 409 && above?.page.contains("50 of 50 coin are left") == true)
    #expect(await Self.press("credit", finance, [("units", "50")], on: "/coin")?.location.hasSuffix("done") == true)
    #expect(try await fixture.shop.coins() == 50)
  }

  @Test func `sets a spending limit and lifts it, by finance alone`() async throws {
    let fixture = try Self.fixture()
    let support = try await fixture.browser(as: .support)
    #expect(await Self.press("set-limit", support, [("currency", "CNY"), ("limit", "0")]) == nil)
    let finance = try await fixture.browser(as: .finance)
    for wrong in [("yuan", "1"), ("CNY", "-1"), ("CNY", ""), ("", "1")] {
      let answer = await Self.press("set-limit", finance, [("currency", wrong.0), ("limit", wrong.1)])
      #expect(answer?.status == 422, "\(wrong)")
    }
    let set = await Self.press("set-limit", finance, [("currency", "CNY"), ("limit", "20000")])
    #expect(set?.location == Self.path + "&notice=done")
    func limit() async throws -> Int64? {
      try await fixture.shop.engine.readSpending(of: "alice", in: fixture.shop.app).first?.limit.minorUnits
    }
    #expect(try await limit() == 20_000)
    #expect(await finance.get(Self.path).page.contains("of ¥200.00 spent this month"))
    let lifted = await Self.press("lift-limit", finance, [], on: "/spending-limits/CNY")
    #expect(lifted?.location == Self.path + "&notice=done")
    #expect(try await limit() == nil)
    #expect(try await fixture.entries().map(\.action) == ["spendingLimit.set", "spendingLimit.lift"])
  }
}
