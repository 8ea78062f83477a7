import AppStoreIntegration
import AppStoreProtocol
import AppStoreSimulator
import Console
import CounterfoilAPI
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import ShopFixtures
import SimulationKit
import SimulatorCore
import Testing
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

/// Extensions of renewal dates and redirected refunds, with the simulated stores beside the console.
@Suite struct `An action in the console that a store carries out` {
  private let reason = ("reason", "ticket 58213")
  private static let extensions = "/console/app/shop/extensions"

  // MARK: extensions

  /// A console beside an App Store that sold `alice` a monthly subscription.
  private func subscribed(
    approvals: ApprovalRules? = nil,
    _ body: @escaping @Sendable (ConsoleFixture, TransactionIdentifier) async throws -> Void
  ) throws {
    let simulator = SimulatorFixture()
    let dependencies = simulator.dependencies
    try simulator.perform {
      let apple = try await SimulatedAppStore.open(in: dependencies, notifying: .unreachable)
      let bundle = EngineFixture.identity.bundleId
      try await apple.stock(
        SimulatedApp(bundleId: bundle, appAppleId: 1234, notificationURL: nil),
        [("com.example.monthly", .autoRenewable(group: "21752814", period: .month))])
      let owner = AppOwner(account: "alice@example.com", bundleId: bundle)
      try await apple.catalog.setAccount(SimulatedAppleAccount(id: owner.account, environment: .production))
      var access = AppStoreAccess(identity: EngineFixture.identity)
      access.server = try apple.access(of: bundle)
      var setup = EngineFixture.Setup()
      setup.dependencies = dependencies
      setup.verifier = try apple.verifier()
      setup.outside = apple.serverAPI.network
      let policy = AppPolicy(id: "shop", home: .simulated, catalog: try Catalog(EngineFixture.products))
      let shop = try EngineFixture(serving: [AppSettings(policy, appStore: access)], setup)
      var purchase = SimulatedPurchaseRequest(owner: owner, product: "com.example.monthly")
      purchase.appAccountToken = AppStoreUUID(try await shop.order("monthly"))
      let id = try await apple.purchases.purchase(purchase).transaction.id
      var request = SubmitAppStorePayment.Request(evidence: "")
      (request.evidence, request.transaction) = (nil, id)
      _ = try await shop.engine.submitAppStorePayment(request, from: "alice", for: shop.app)
      // Of two statements that Apple signs in one millisecond, the first counts.
      try await dependencies.sleep(.seconds(1))
      try await body(ConsoleFixture(over: shop, approvals: approvals), id)
    }
  }

  private static func page(of id: TransactionIdentifier) -> String {
    "/console/app/shop/subscriptions/\(id)?environment=simulated"
  }

  private static func target(of id: TransactionIdentifier) -> String {
    "/console/app/shop/subscriptions/simulated/\(id)/extend"
  }

  private static func periodEnd(_ id: TransactionIdentifier, _ fixture: ConsoleFixture) async throws -> Timestamp? {
    try await fixture.shop.engine.read { try $0.subscription(EngineFixture.key(id))?.periodEnd }
  }

  @Test func `puts off no date with a field that cannot be, and shows no form to roles that may not`() throws {
    try subscribed { fixture, id in
      let target = Self.target(of: id)
      let browser = try await fixture.browser(as: .operator)
      let page = await browser.get(Self.page(of: id))
      let form = try #require(page.form(target))
      let end = try #require(page.hidden("periodEnd"))
      let usual = [("days", "30"), ("cause", "serviceIssue"), ("periodEnd", end)]
      for (name, value) in [
        ("days", "0"), ("days", "91"), ("days", "x"), ("days", ""), ("cause", "fun"), ("cause", ""),
        ("periodEnd", ""), ("periodEnd", "tomorrow"),
      ] {
        let fields = form + [self.reason] + usual.map { $0.0 == name ? (name, value) : $0 }
        #expect(await browser.post(target, fields).status == 422, "\(name) \(value)")
      }
      #expect(try await fixture.entries().isEmpty)
      for role: OperatorRole in [.viewer, .support, .finance] {
        let other = try await fixture.browser(as: role)
        #expect(await other.get(Self.page(of: id)).form(target) == nil, "\(role)")
      }
      #expect(try await Self.periodEnd(id, fixture)?.iso8601 == end)
    }
  }

  @Test func `puts off the date that the page showed, once, and then sends nothing for the old date`() throws {
    try subscribed { fixture, id in
      let target = Self.target(of: id)
      let browser = try await fixture.browser(as: .operator)
      let page = await browser.get(Self.page(of: id))
      let form = try #require(page.form(target))
      let end = try #require(page.hidden("periodEnd").flatMap(Timestamp.init(iso8601:)))
      let fields = [self.reason, ("days", "30"), ("cause", "serviceIssue"), ("periodEnd", end.iso8601)]
      #expect(await browser.post(target, form + fields).location == Self.page(of: id) + "&notice=done")
      try await fixture.shop.dependencies.sleep(.seconds(1))
      #expect(await browser.post(target, form + fields).location == Self.page(of: id) + "&notice=repeated")
      // The press of another page that still shows the old date.
      let press = ("press", String(repeating: "2", count: 32))
      let late = await browser.post(target, [form[0], press] + fields)
      #expect(late.location == Self.page(of: id) + "&notice=not-sent")
      #expect(await browser.get(late.location).page.contains("Nothing was sent"))
      #expect(try await Self.periodEnd(id, fixture) == end + .days(30))
      let entry = try #require(try await fixture.entries().first)
      #expect(entry.action == "subscription.extend" && entry.object == id.text && entry.role == .operator)
      #expect(entry.reason == "ticket 58213" && entry.objectKind == "subscription")
      let chinese = try await fixture.browser(as: .operator, language: "zh").get(Self.page(of: id)).page
      #expect(chinese.contains("延长续订日期") && chinese.contains("天数（1 到 90）"))
    }
  }

  @Test func `puts off the dates of all subscribers, and shows how far Apple is`() throws {
    try subscribed { fixture, id in
      let target = "/console/app/shop/app-store-products/com.example.monthly/extend-all"
      for role in OperatorRole.allCases where role != .admin {
        let other = try await fixture.browser(as: role)
        let page = await other.get(Self.extensions)
        #expect(page.status == 200 && page.form(target) == nil, "\(role)")
      }
      let browser = try await fixture.browser()
      let form = try #require(await browser.get(Self.extensions).form(target))
      let end = try #require(try await Self.periodEnd(id, fixture))
      let usual = [self.reason, ("days", "7"), ("cause", "other"), ("identifier", "outage 1")]
      for wrong in [("storefronts", "China"), ("storefronts", "CHN, us")] {
        #expect(await browser.post(target, form + usual + [wrong]).status == 422)
      }
      let answer = await browser.post(target, form + usual + [("storefronts", "CHN, USA")])
      #expect(
        answer.location
          == Self.extensions + "?product=com.example.monthly&identifier=outage%201&notice=done")
      let page = await browser.get(answer.location).page
      #expect(page.contains("complete") && page.contains("outage 1"))
      _ = try await fixture.shop.engine.extendSubscription(
        id, endingAt: end, by: 1, .other, in: nil, for: fixture.shop.app,
        reason: OperatorReason(name: "olga", text: "it asks Apple for the end"))
      #expect(try await Self.periodEnd(id, fixture) == end + .days(7))
      let unknown = await browser.get(Self.extensions + "?product=com.example.monthly&identifier=never")
      #expect(unknown.status == 200 && unknown.page.contains("Apple knows no extension"))
      #expect(try await fixture.entries().map(\.action) == ["product.extend"])
    }
  }

  @Test func `for all subscribers waits for a second operator where two decide`() throws {
    try subscribed(approvals: ApprovalRules(refundMinorUnits: 20_000)) { fixture, id in
      let target = "/console/app/shop/app-store-products/com.example.monthly/extend-all"
      let browser = try await fixture.browser()
      let form = try #require(await browser.get(Self.extensions).form(target))
      let fields = [self.reason, ("days", "7"), ("cause", "other"), ("identifier", "outage 1")]
      #expect(await browser.post(target, form + fields).location.hasSuffix("?notice=asked"))
      let product: StoreProductIdentifier = "com.example.monthly"
      await #expect(throws: CodedError<EngineErrorCode>.self) {
        _ = try await fixture.shop.engine.massExtension(
          of: product, identifier: "outage 1", in: nil, for: fixture.shop.app)
      }
      let approval = try #require(try await fixture.shop.engine.approvals(of: "shop").first)
      let other = try await fixture.browser(in: "*")
      let token = try #require(await other.get("/console/me").hidden("token"))
      let decided = await other.post(
        "/console/app/shop/approvals/\(approval.id)/approve",
        [
          ("token", token), ("press", String(repeating: "3", count: 32)), ("digest", approval.digest),
          ("reason", "a day without service"),
        ])
      #expect(decided.location.hasSuffix("notice=done"), "\(decided.status)")
      let status = try await fixture.shop.engine.massExtension(
        of: product, identifier: "outage 1", in: nil, for: fixture.shop.app)
      #expect(status.succeededCount == 1)
    }
  }

  // MARK: refunds

  /// A console beside a WeChat Pay whose refund could not reach its payer.
  private func stuckRefund(
    _ body: @escaping @Sendable (ConsoleFixture, Refund, SimulatedWeChatPay) async throws -> Void
  ) throws {
    let simulator = SimulatorFixture()
    let dependencies = simulator.dependencies
    let (shop, weChatPay, order) = try simulator.perform {
      let weChatPay = try await TestMerchant().openWeChatPay(in: dependencies, notifying: .unreachable)
      var app = AppSettings(
        id: "shop", home: .simulated, identity: EngineFixture.identity, catalog: try Catalog(TestCatalog.weChatPay))
      app.weChatPay = try await TestMerchant().access(to: weChatPay)
      var setup = EngineFixture.Setup()
      (setup.dependencies, setup.anywhere) = (dependencies, weChatPay.api.network)
      let shop = try EngineFixture(serving: [app], setup)
      var request = OrderRequest(user: "alice", product: "coins.100", quantity: 1, store: .weChatPay)
      request.platform = "android"
      let details = try await shop.engine.createOrder(request, for: shop.app, by: .user("alice")).order
      let visit = try CashierVisit(handedOver: try #require(details.handOff))
      _ = try await weChatPay.cashier.visit(visit, openid: "o-alice", .pay)
      let order = OrderName.id(details.order.key.id)
      _ = try await shop.engine.checkWeChatPay(order, in: EngineFixture.appEnvironment, of: "alice", for: shop.app)
      try await weChatPay.control.plan(PlannedFault(.abnormalRefund, of: .refund))
      _ = try await shop.engine.refundOrder(
        order, in: EngineFixture.appEnvironment,
        RefundRequest(amount: nil, reason: nil, idempotencyKey: "all", askedBy: "test"), for: shop.app)
      return (shop, weChatPay, order)
    }
    simulator.process.spawn { await shop.engine.run() }
    simulator.world.run(for: .minutes(10))
    try simulator.perform {
      let refunds = try await shop.engine.refunds(of: order, in: EngineFixture.appEnvironment, user: nil)
      try await body(ConsoleFixture(over: shop), try #require(refunds.first), weChatPay)
    }
  }

  @Test func `sends a stuck refund nowhere without a destination, a whole card, or the role`() throws {
    try stuckRefund { fixture, refund, weChatPay in
      let path = "/console/app/shop/payments/weChatPay/simulated/\(refund.payment.transaction)"
      let target = "/console/app/shop/refunds/\(refund.number)/redirect"
      let stranger = try await fixture.browser(as: .operator)
      #expect(await stranger.get(path).form(target) == nil)
      let browser = try await fixture.browser(as: .finance)
      let form = try #require(await browser.get(path).form(target))
      for fields in [
        [], [("destination", "elsewhere")], [("destination", "payerCard")],
        [("destination", "payerCard"), ("bank", "CMB_DEBIT"), ("account", "6225 8801"), ("holder", "张三")],
      ] as [[(String, String)]] {
        #expect(await browser.post(target, form + [self.reason] + fields).status == 422, "\(fields)")
      }
      #expect(await weChatPay.refunds().map(\.status) == [.abnormal])
      #expect(try await fixture.entries().isEmpty)
    }
  }

  @Test func `sends a stuck refund to the payer's card once, and the card stands nowhere`() throws {
    try stuckRefund { fixture, refund, weChatPay in
      let path = "/console/app/shop/payments/weChatPay/simulated/\(refund.payment.transaction)"
      let target = "/console/app/shop/refunds/\(refund.number)/redirect"
      let browser = try await fixture.browser(as: .finance)
      let form = try #require(await browser.get(path).form(target))
      let card = [
        ("destination", "payerCard"), ("bank", "CMB_DEBIT"), ("account", "6225880123456789"), ("holder", "张三"),
      ]
      #expect(await browser.post(target, form + [self.reason] + card).location == path + "?notice=done")
      #expect(await weChatPay.refunds().first?.receivedAccount == "招商银行借记卡6789")
      // It is under way: the page has no form any more, and another press sends nothing.
      #expect(await browser.get(path).form(target) == nil)
      let press = ("press", String(repeating: "2", count: 32))
      let again = await browser.post(
        target, [form[0], press, self.reason, ("destination", "merchantAccount")])
      #expect(again.location == path + "?notice=not-sent")
      #expect(await weChatPay.refunds().first?.receivedAccount == "招商银行借记卡6789")
      let entries = try await fixture.entries()
      #expect(entries.first?.action == "refund.redirect" && entries.first?.object == refund.number)
      let order = try #require(refund.order)
      let key = PaymentModel.OrderKey(appEnvironment: EngineFixture.appEnvironment, id: order)
      let journal = try await fixture.shop.engine.read { try $0.journal(of: key).map(\.details).joined() }
      let page = await browser.get(path).page
      for text in ["6225880123456789", "张三"] {
        #expect(!journal.contains(text) && !page.contains(text) && !"\(entries)".contains(text))
      }
    }
  }
}
