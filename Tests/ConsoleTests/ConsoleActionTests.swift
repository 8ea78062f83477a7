import Console
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PaymentServer
import ShopFixtures
import SimulationKit
import Testing

@Suite struct `An action in the console` {
  private let reason = ("reason", "ticket 58213")

  @Test func `is refused without the session's form, from elsewhere, by GET, or without a reason`() async throws {
    let fixture = try ConsoleFixture()
    let order = try await fixture.paidOrder()
    let target = "/console/app/shop/deliveries/\(try await fixture.delivery(of: order))/redrive"
    let browser = try await fixture.browser(as: .support)
    let stranger = try await fixture.browser(as: .operator)
    let form = try #require(await browser.get(fixture.pagePath(of: order)).form(target))
    let foreign = try #require(await stranger.get(fixture.pagePath(of: order)).form(target))
    #expect(form.count == 2)

    #expect(await browser.get(target).status == 405)
    #expect(await browser.post(target, [form[1], reason]).status == 403)
    #expect(await browser.post(target, [foreign[0], form[1], reason]).status == 403)
    for (origin, site) in [(nil, "same-origin"), ("https://evil.test", nil), (ConsoleFixture.origin, "cross-site")]
      as [(String?, String?)]
    {
      var elsewhere = browser
      (elsewhere.origin, elsewhere.site) = (origin, site)
      #expect(await elsewhere.post(target, form + [reason]).status == 403)
    }
    for text in ["", "  ", "ab", String(repeating: "x", count: 1001)] {
      #expect(await browser.post(target, form + [("reason", text)]).status == 422)
    }
    #expect(await browser.post(target, [form[0], reason]).status == 422)
    var nobody = browser
    nobody.cookie = ""
    #expect(await nobody.post(target, form + [reason]).status == 403)
    #expect(try await fixture.entries().allSatisfy { $0.outcome == .refused && $0.action == "form.refused" })
    #expect(try await fixture.entries().count == 5)
  }

  @Test func `is refused to roles without its permission, each time with an entry`() async throws {
    let fixture = try ConsoleFixture()
    let order = try await fixture.paidOrder()
    let delivery = try await fixture.delivery(of: order)
    let objects: [ConsoleAction: String] = [
      .redrive: "deliveries/\(delivery)", .claim: "payments/appStore/simulated/1001",
      .retry: "payments/appStore/simulated/1001", .release: "payments/appStore/simulated/1001",
      .setAside: "payments/appStore/simulated/1001", .closeOrder: "orders/simulated/\(order)",
      .askStore: "orders/simulated/\(order)", .refund: "payments/weChatPay/simulated/1001",
      .writeOff: "users/simulated/alice/coin", .extend: "subscriptions/simulated/1001",
      .extendAll: "app-store-products/com.example.monthly", .redirect: "refunds/missing",
      .mergeUser: "users/simulated/alice", .eraseUser: "users/simulated/alice", .answerComplaint: "complaints/2002",
      .approveComplaintRefund: "complaints/2002", .refuseComplaintRefund: "complaints/2002",
      .completeComplaint: "complaints/2002", .note: "orders/simulated/\(order)",
      .notePayment: "payments/appStore/simulated/1001", .retryAll: "needs-attention",
      .redriveAll: "deliveries/simulated", .reconcile: "reconciliation",
      .decideRefund: "payments/appStore/simulated/1001", .pauseEndpoint: "endpoints/none",
      .resumeEndpoint: "endpoints/none", .applyNotification: "notifications/simulated/none",
      .creditBalance: "users/simulated/alice/coin", .giveEntitlement: "users/simulated/alice",
      .revokeEntitlement: "users/simulated/alice/promotional-entitlements/missing",
      .assign: "needs-attention/simulated/missing", .setLimit: "users/simulated/alice",
      .liftLimit: "users/simulated/alice/spending-limits/CNY", .askApple: "order-numbers/MK5TTT123H",
    ]
    for role in OperatorRole.allCases {
      let browser = try await fixture.browser(as: role)
      let token = try #require(await browser.get("/console/app/shop").form("/console/leave")?.first)
      for (number, action) in ConsoleAction.allCases.enumerated() {
        let before = try await fixture.entries().count
        let press = String(repeating: "0", count: 24) + role.rawValue.prefix(4) + String(1000 + number)
        let answer = await browser.post(
          "/console/app/shop/\(objects[action] ?? "")/\(action.rawValue)",
          [
            token, ("press", press), reason, ("user", "alice"), ("days", "7"), ("cause", "other"), ("text", "hello"),
            ("periodEnd", "2026-04-01T12:00:00Z"), ("identifier", "outage"), ("destination", "merchantAccount"),
            ("store", "appStore"), ("stands", "yes"),
            ("units", "5"), ("entitlement", "club"), ("duration", "3"), ("currency", "CNY"), ("limit", "100"),
          ])
        let isAllowed = role.permissions.contains(action.permission)
        #expect((answer.status == 403) == !isAllowed, "\(role) \(action): \(answer.status)")
        let new = try await fixture.entries().dropFirst(before)
        #expect(new.count == 1, "\(role) \(action)")
        #expect(isAllowed || new.first?.action == "access.refused", "\(role) \(action)")
      }
    }
  }

  @Test func `needs the permission that the API asks for the same use case`() {
    for action in ConsoleAction.allCases {
      guard let useCase = action.useCase else { continue }
      #expect(OperatorPermissions.ofRoutes[useCase] == action.permission)
    }
  }

  @Test func `is done once for one press, with one entry that tells who, what, on what and why`() async throws {
    let fixture = try ConsoleFixture()
    let order = try await fixture.paidOrder()
    let delivery = try await fixture.delivery(of: order)
    let target = "/console/app/shop/deliveries/\(delivery)/redrive"
    let browser = try await fixture.browser(as: .support)
    let form = try #require(await browser.get(fixture.pagePath(of: order)).form(target))
    let first = await browser.post(target, form + [reason])
    #expect(first.location == fixture.pagePath(of: order) + "&notice=done")
    #expect(await browser.get(first.location).page.contains("It stands in the audit log."))
    let second = await browser.post(target, form + [reason])
    #expect(second.location == fixture.pagePath(of: order) + "&notice=repeated")

    let entries = try await fixture.entries()
    #expect(entries.count == 1)
    let entry = try #require(entries.first)
    #expect(entry.actor == "support-shop" && entry.role == .support && entry.action == "delivery.redrive")
    #expect(entry.objectKind == "delivery" && entry.object == delivery.text && entry.reason == "ticket 58213")
    #expect(entry.app == "shop" && entry.environment == .simulated && entry.outcome == .done)
    let story = try await fixture.shop.engine.tellOrder(.id(order), in: fixture.shop.app.userEnvironments)
    #expect(story.journal.entries.filter { $0.what == "delivery.redriven" }.count == 1)
    #expect(try await fixture.shop.engine.auditInvariants(atRest: false).violations.isEmpty)
  }

  @Test func `that the state forbids changes nothing and is entered as refused`() async throws {
    let fixture = try ConsoleFixture()
    let order = try await fixture.paidOrder()
    let browser = try await fixture.browser()
    let token = try #require(await browser.get("/console/app/shop").form("/console/leave")?.first)
    let answer = await browser.post(
      "/console/app/shop/payments/appStore/simulated/1001/set-aside",
      [token, ("press", String(repeating: "1", count: 32)), reason])
    #expect(answer.status == 409)
    #expect(try await fixture.shop.state(of: order).payment != nil)
    let entry = try #require(try await fixture.entries().first)
    #expect(entry.outcome == .refused && entry.problem == "act_not_possible" && entry.action == "payment.setAside")
  }

  @Test func `gives a payment without an owner to its buyer, sets it aside and releases it`() async throws {
    let fixture = try ConsoleFixture()
    _ = try await fixture.shop.submit(fixture.shop.transaction("77"), by: nil)
    let browser = try await fixture.browser()
    let path = "/console/app/shop/payments/appStore/simulated/77"
    for (action, state) in [("set-aside", "setAside"), ("release", "held"), ("claim", "fulfilled")] {
      let page = await browser.get(path)
      let form = try #require(page.form("\(path)/\(action)"), "\(action) is offered")
      let answer = await browser.post("\(path)/\(action)", form + [reason, ("user", "alice")])
      #expect(answer.location == path + "?notice=done", "\(action): \(answer.status)")
      let story = try await fixture.shop.engine.tellPayment(EngineFixture.key("77"))
      if action != "release" { #expect(story.payment?.state.name == state) }
    }
    #expect(
      try await fixture.entries().map(\.action) == ["payment.setAside", "payment.release", "payment.claim"])
    #expect(try await fixture.shop.engine.auditInvariants(atRest: false).violations.isEmpty)
  }

  @Test func `closes an open order`() async throws {
    let fixture = try ConsoleFixture()
    let order = try await fixture.shop.order()
    let browser = try await fixture.browser(as: .support)
    let target = "/console/app/shop/orders/simulated/\(order)/close"
    let form = try #require(await browser.get(fixture.pagePath(of: order)).form(target))
    #expect(await browser.post(target, form + [reason]).location.hasSuffix("notice=done"))
    #expect(try await fixture.shop.state(of: order) == .closed(.closedByBackend, at: fixture.shop.now()))
    #expect(await browser.get(fixture.pagePath(of: order)).page.contains("Closed without a payment."))
  }
}
