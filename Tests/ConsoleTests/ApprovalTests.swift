import Console
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing

@Suite struct `An action that needs a second operator` {
  private let reason = ("reason", "ticket 58213")
  private static let decision = ("reason", "seen the receipt")
  private static let payment = "/console/app/shop/payments/appStore/simulated/77"
  private static let list = "/console/app/shop/approvals"

  /// A shop whose payment 77 waits, and the browser of an operator who has asked to set it aside.
  private func asked() async throws -> (fixture: ConsoleFixture, asker: Browser, approval: Approval) {
    let fixture = try ConsoleFixture(approvals: ApprovalRules(refundMinorUnits: 20_000))
    _ = try await fixture.shop.submit(fixture.shop.transaction("77"), by: nil)
    let asker = try await fixture.browser(as: .operator)
    let target = Self.payment + "/set-aside"
    let form = try #require(await asker.get(Self.payment).form(target))
    #expect(await asker.post(target, form + [reason]).location == Self.list + "?notice=asked")
    #expect(await asker.post(target, form + [reason]).location == Self.list + "?notice=repeated")
    let approvals = try await fixture.shop.engine.approvals(of: "shop")
    #expect(approvals.count == 1)
    return (fixture, asker, try #require(approvals.first))
  }

  private func isSetAside(_ fixture: ConsoleFixture) async throws -> Bool {
    try await fixture.shop.engine.tellPayment(EngineFixture.key("77")).payment?.isSetAside == true
  }

  private func fields(
    _ browser: Browser, _ approval: Approval, press: String, digest: String? = nil
  ) async throws -> [(String, String)] {
    let token = try #require(await browser.get("/console/me").hidden("token"))
    return [
      ("token", token), ("press", press.padding(to: 32)), ("digest", digest ?? approval.digest), Self.decision,
    ]
  }

  private func approve(
    _ browser: Browser, _ approval: Approval, press: String, digest: String? = nil, in app: String = "shop"
  ) async throws -> Browser.Answer {
    await browser.post(
      "/console/app/\(app)/approvals/\(approval.id)/approve",
      try await fields(browser, approval, press: press, digest: digest))
  }

  @Test func `is approved neither by who asked, nor from another app, nor without the action's role`() async throws {
    let (fixture, asker, approval) = try await asked()
    #expect(try await approve(asker, approval, press: "a").status == 409)
    let seen = await asker.get(Self.list).page
    #expect(!seen.contains("Approve and do it") && seen.contains("now unclaimed, then held: setAside"))
    for role: OperatorRole in [.viewer, .support, .finance] {
      let other = try await fixture.browser(as: role)
      #expect(try await approve(other, approval, press: role.rawValue).status == 403, "\(role)")
    }
    let stranger = try await fixture.browser(as: .admin, in: "other")
    #expect(try await approve(stranger, approval, press: "b").status == 404)
    #expect(try await approve(stranger, approval, press: "c", in: "other").status == 409)
    #expect(try await !isSetAside(fixture))
  }

  @Test func `is neither approved nor refused without a reason, which pages ask for in both languages`() async throws {
    let (fixture, _, approval) = try await asked()
    let other = try await fixture.browser()
    let token = try #require(await other.get("/console/me").hidden("token"))
    for reason in ["", "  ", "ok", String(repeating: "a", count: 1001)] {
      for word in ["approve", "refuse"] {
        let answer = await other.post(
          Self.list + "/\(approval.id)/\(word)",
          [("token", token), ("press", "a".padding(to: 32)), ("digest", approval.digest), ("reason", reason)])
        #expect(answer.status == 422 && answer.page.contains("State the reason"), "\(word) \(reason.count)")
      }
    }
    #expect(try await fixture.shop.engine.approvals(of: "shop").first?.state(at: fixture.shop.now()) == .asked)
    #expect(try await !isSetAside(fixture))
    for (language, words) in [("en", "Reason</label>"), ("zh", "原因</label>")] {
      let page = try await fixture.browser(language: language).get(Self.list).page
      for word in ["approve", "refuse"] {
        #expect(page.contains("for=\"\(word)-\(approval.id)-reason\">" + words), "\(language) \(word)")
      }
    }
  }

  @Test func `is refused with the reason in the audit log`() async throws {
    let (fixture, _, approval) = try await asked()
    let other = try await fixture.browser()
    _ = await other.post(Self.list + "/\(approval.id)/refuse", try await fields(other, approval, press: "a"))
    let entry = try #require(try await fixture.entries().last)
    #expect(entry.action == "approval.refuse" && entry.reason == "seen the receipt" && entry.object == approval.id)
  }

  @Test func `has two buttons that do not touch each other, however narrow the page`() async throws {
    let (fixture, _, _) = try await asked()
    let page = try await fixture.browser().get(Self.list).page
    #expect(page.contains("<ul class=\"items\">") && page.contains("<div class=\"do\"><details class=\"act\">"))
    let rule = try #require(ConsoleStyles.text.firstRange(of: ".items .do"))
    let declared = String(ConsoleStyles.text[rule.upperBound...].prefix { $0 != "}" })
    #expect(declared.contains("flex-wrap: wrap") && declared.contains("gap: 8px"))
  }

  @Test func `is approved neither in another form than it was seen, nor after a day, nor once refused`() async throws {
    let (fixture, _, approval) = try await asked()
    let other = try await fixture.browser()
    #expect(try await approve(other, approval, press: "a", digest: String(repeating: "0", count: 64)).status == 409)
    let refusal = await other.post(
      Self.list + "/\(approval.id)/refuse", try await fields(other, approval, press: "b"))
    #expect(refusal.location == Self.list + "?notice=done")
    #expect(try await approve(other, approval, press: "c").status == 409)

    let (later, _, old) = try await asked()
    later.shop.clock.advance(by: .hours(24))
    #expect(try await approve(later.browser(), old, press: "d").status == 409)
    #expect(try await later.shop.engine.approvals(of: "shop").first?.state(at: later.shop.now()) == .ended)
    for shop in [fixture, later] { #expect(try await !isSetAside(shop)) }
  }

  @Test func `is done once, with entries of who asked, who approved and what was done`() async throws {
    let (fixture, _, approval) = try await asked()
    let other = try await fixture.browser()
    let page = await other.get(Self.list).page
    #expect(page.contains("Approve and do it") && page.contains("ticket 58213") && page.contains("operator-shop"))
    #expect(page.contains("Approvals<span class=\"count bad\">1</span>"))
    #expect(try await approve(other, approval, press: "a").location == Self.list + "?notice=done")
    #expect(try await approve(other, approval, press: "a").status == 303)
    #expect(try await approve(other, approval, press: "b").status == 409)
    #expect(try await isSetAside(fixture))
    let entries = try await fixture.entries().filter { $0.outcome == .done }
    #expect(entries.map(\.action) == ["approval.ask", "approval.approve", "payment.setAside"])
    #expect(entries.map(\.actor) == ["operator-shop", "admin-shop", "admin-shop"])
    #expect(entries.map(\.reason) == ["ticket 58213", "seen the receipt", "ticket 58213"])
    let story = try await fixture.shop.engine.tellPayment(EngineFixture.key("77"))
    guard case .setAside(let record)? = story.payment?.state else { Issue.record("not set aside"); return }
    #expect(record.by == "operator-shop, approved by admin-shop")
    #expect(try await fixture.shop.engine.approvals(of: "shop").first?.state(at: fixture.shop.now()) == .done)
  }

  @Test func `is done by the next press if the server ended between approving and doing`() async throws {
    let (fixture, _, approval) = try await asked()
    let other = try await fixture.browser()
    let decision = ActionDescription("approval.approve", by: .account, "admin-shop", key: "killed after this")
    _ = try await fixture.shop.engine.decide(
      approval.id, of: "shop", digest: approval.digest, approves: true, decision)
    #expect(try await !isSetAside(fixture))
    #expect(await other.get(Self.list).page.contains("Do it again"))
    #expect(try await approve(other, approval, press: "a").location == Self.list + "?notice=done")
    #expect(try await isSetAside(fixture))
  }

  @Test func `that its use case refuses is shown with the reason, and does not wait any more`() async throws {
    let (fixture, _, approval) = try await asked()
    // Meanwhile somebody has claimed it.
    _ = try await fixture.shop.engine.claimUnclaimedPayment(
      EngineFixture.key("77"), for: "alice", as: nil, by: "tests", reason: "tests")
    let other = try await fixture.browser()
    #expect(try await approve(other, approval, press: "a").status == 409)
    let known = try #require(try await fixture.shop.engine.approvals(of: "shop").first)
    #expect(known.state(at: fixture.shop.now()) == .failed && known.problem == "act_not_possible")
    #expect(await other.get(Self.list).page.contains("act_not_possible"))
  }

  /// Presses *Refund* for a payment.
  private static func refund(
    _ payment: PaymentKey, _ amount: String, press: String, by browser: Browser
  ) async throws -> Browser.Answer {
    let token = ("token", try #require(await browser.get("/console/me").hidden("token")))
    return await browser.post(
      "/console/app/shop/payments/weChatPay/simulated/\(payment.transaction)/refund",
      [token, ("press", press.padding(to: 32)), ("reason", "ticket 58213"), ("amount", amount)])
  }

  @Test(arguments: 1...4)
  func `is one of two refunds that together pass the limit, also pressed at the same moment`(seed: UInt64) throws {
    let world = try WeChatConsoleFixture(seed: seed, approvals: ApprovalRules(refundMinorUnits: 500))
    try world.perform { world in
      let payment = try await world.paid()
      let browsers = [try await world.fixture.browser(as: .finance), try await world.fixture.browser(as: .admin)]
      let answers = try await withThrowingTaskGroup(of: String.self) { group in
        for (index, browser) in browsers.enumerated() {
          group.addTask { try await Self.refund(payment, "3.00", press: "\(index)", by: browser).location }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(answers.filter { $0 == Self.list + "?notice=asked" }.count == 1, "\(answers)")
      let refunds = try await world.shop.engine.read { try $0.refunds(of: payment) }
      #expect(refunds.map(\.amount.minorUnits) == [300])
      #expect(try await world.shop.engine.approvals(of: "shop").count == 1)
    }
  }

  @Test func `is a refund above the limit, also in parts or of everything, and no other`() throws {
    let world = try WeChatConsoleFixture(approvals: ApprovalRules(refundMinorUnits: 500))
    try world.perform { world in
      let payment = try await world.paid()
      let browser = try await world.fixture.browser(as: .finance)
      let done = "/console/app/shop/payments/weChatPay/simulated/\(payment.transaction)?notice=done"
      let asked = Self.list + "?notice=asked"
      for (amount, location) in [("5.01", asked), ("", asked), ("4.99", done), ("0.02", asked), ("0.01", done)] {
        #expect(try await Self.refund(payment, amount, press: amount, by: browser).location == location, "\(amount)")
      }
      // The same press asks once.
      #expect(
        try await Self.refund(payment, "5.01", press: "5.01", by: browser).location == Self.list + "?notice=repeated")
      for wrong in ["-1", "1,00", "1.001", "1e3", "0", "0.00", ".5", "1.", "१"] {
        #expect(try await Self.refund(payment, wrong, press: "x", by: browser).status == 422, "\(wrong)")
      }
      // More than what is left is nobody's to approve.
      #expect(try await Self.refund(payment, "6.01", press: "y", by: browser).status == 409)
      let approvals = try await world.shop.engine.approvals(of: "shop")
      #expect(Set(approvals.map { $0.asked?.arguments["amount"] }) == ["501", nil, "2"])

      // The rest, once another operator agrees.
      let whole = try #require(approvals.first { $0.asked?.arguments["amount"] == nil })
      let other = try await world.fixture.browser()
      #expect(try await approve(other, whole, press: "a").location == Self.list + "?notice=done")
      let refunds = try await world.shop.engine.read { try $0.refunds(of: payment) }
      #expect(refunds.map(\.amount.minorUnits).sorted() == [1, 100, 499])
    }
  }

  @Test func `needs nobody where the configuration says so`() async throws {
    let fixture = try ConsoleFixture()
    let browser = try await fixture.browser()
    #expect(await browser.get(Self.list).status == 404)
  }
}

extension String {
  /// A press of that name.
  fileprivate func padding(to length: Int) -> String { self + String(repeating: "0", count: length - utf8.count) }
}
