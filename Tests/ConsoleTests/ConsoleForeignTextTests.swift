import Console
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing

/// What comes from outside and stands in a page.
@Suite struct `A foreign text in the console` {
  @Test func `is recognised by this suite when it is not text`() {
    let head = "<!doctype html>\n"
    for bad in [
      "<script>alert(1)</script>", "<img src=\"/x\">", "<p onclick=\"x\">", "<a href=\"//evil.test\">",
      "<a href=\"javascript:x\">", "<p style=\"x\">", "<form action=\"https://evil.test\">",
    ] {
      #expect(!ForeignText.wrong(in: head + bad).isEmpty, "\(bad)")
    }
    #expect(
      ForeignText.wrong(in: head + "<p class=\"a\">x &lt;script&gt;</p><script src=\"/a\" defer></script>").isEmpty)
  }

  @Test(arguments: ForeignText.attacks)
  func `is shown as text, whatever it is and wherever it stands`(attack: String) async throws {
    let fixture = try ConsoleFixture(approvals: ApprovalRules(refundMinorUnits: 20_000))
    let user = UserIdentifier(attack)
    var request = OrderRequest(user: user, product: "coins.100", quantity: 1, store: .appStore)
    (request.reference, request.scene) = (String(attack.prefix(64)), String(attack.prefix(32)))
    request.metadata = "{\"note\":\"x\"}"
    let made = try await fixture.shop.engine.createOrder(
      request, for: fixture.shop.app, by: .backend("cfs_tests"))
    let order = made.order.order.key.id
    _ = try await fixture.shop.submit(fixture.shop.transaction("1001", token: order), by: user, orders: [order])
    _ = try await fixture.shop.submit(fixture.shop.transaction("77"), by: nil)
    let delivery = try await fixture.delivery(of: order)
    try await fixture.shop.engine.transact { transaction in
      var attempt = DeliveryAttempt(
        delivery, of: EngineFixture.key("1001"), number: 1, at: transaction.now, endpoint: "backend", milliseconds: 3)
      attempt.problem = attack
      attempt.answer = Array(attack.utf8)
      try transaction.insert(attempt)
    }
    // An operator's own words: a reason, and what another one asks for.
    let asker = try await fixture.browser(as: .operator, in: "*")
    let target = "/console/app/shop/payments/appStore/simulated/77/set-aside"
    let token = ("token", try #require(await asker.get("/console/me").hidden("token")))
    let press = ("press", String(repeating: "0", count: 32))
    #expect(await asker.post(target, [token, press, ("reason", attack)]).status == 303)

    let browser = try await fixture.browser(in: "*")
    let base = "/console/app/shop"
    let named = RequestTarget.encode(attack)
    let paths = [
      "/orders", "/orders/\(order)", "/users/\(named)?environment=simulated", "/payments",
      "/payments/appStore/simulated/1001", "/deliveries/\(delivery)", "/approvals", "/needs-attention",
      "/search?q=\(RequestTarget.encode(String(attack.prefix(64))))", "", "/orders?store=\(named)&after=\(named)",
    ]
    var shown = 0
    for path in paths.map({ base + $0 }) + ["/console/audit-log", "/console/prove?to=\(named)"] {
      let answer = await browser.get(path)
      #expect([200, 303].contains(answer.status), "\(path)")
      guard answer.status == 200 else { continue }
      #expect(ForeignText.wrong(in: answer.page).isEmpty, "\(path): \(ForeignText.wrong(in: answer.page))")
      if answer.page.contains(ForeignText.escaped(attack)) { shown += 1 }
    }
    #expect(shown >= 6, "The text stands in \(shown) pages.")
  }
}
