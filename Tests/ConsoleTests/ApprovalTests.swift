import Console
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing

@Suite struct `An action that needs a second operator` {
  private let reason = ("reason", "ticket 58213")
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
      ("token", token), ("press", press.padding(to: 32)), ("digest", digest ?? approval.digest),
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
    #expect(!(await asker.get(Self.list).page.contains("Approve and do it")))
    for role: OperatorRole in [.viewer, .support, .finance] {
      let other = try await fixture.browser(as: role)
      #expect(try await approve(other, approval, press: role.rawValue).status == 403, "\(role)")
    }
    let stranger = try await fixture.browser(as: .admin, in: "other")
    #expect(try await approve(stranger, approval, press: "b").status == 404)
    #expect(try await approve(stranger, approval, press: "c", in: "other").status == 409)
    #expect(try await !isSetAside(fixture))
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
    #expect(entries.allSatisfy { $0.reason == "ticket 58213" || $0.action == "approval.approve" })
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

  @Test func `is a refund above the limit, also in parts or of everything, and no other`() async throws {
    let fixture = try ConsoleFixture(approvals: ApprovalRules(refundMinorUnits: 20_000))
    let browser = try await fixture.browser(as: .finance)
    let token = ("token", try #require(await browser.get("/console/me").hidden("token")))
    let target = "/console/app/shop/payments/weChatPay/simulated/4200/refund"
    for (amount, isAsked) in [("200.01", true), ("200", false), ("", true), ("0.01", false)] {
      let answer = await browser.post(
        target, [token, ("press", amount.padding(to: 32)), reason, ("amount", amount)])
      // Nothing is known of that payment: what is not asked for is refused by the use case.
      #expect(isAsked ? answer.location == Self.list + "?notice=asked" : answer.status >= 404, "\(amount)")
    }
    for wrong in ["-1", "1,00", "1.001", "1e3", "0", "0.00", ".5", "1.", "१"] {
      let answer = await browser.post(target, [token, ("press", "x".padding(to: 32)), reason, ("amount", wrong)])
      #expect(answer.status == 422, "\(wrong)")
    }
    let asked = try await fixture.shop.engine.approvals(of: "shop").compactMap { $0.asked?.arguments["amount"] }
    #expect(asked == ["20001"])
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
