import AppStoreIntegration
import AppStoreProtocol
import AppStoreSimulator
import Console
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import ShopFixtures
import SimulationKit
import Testing

/// What a customer reads out of Apple's mail, with the simulated App Store beside the console.
@Suite struct `An order number of Apple's mail in the console` {
  private let reason = ("reason", "ticket 58213")
  private static let unknown = "MZZZZZZZ"

  /// A console beside an App Store that sold `alice` coins, of which the shop was told nothing.
  private func sold(
    hasKey: Bool = true,
    _ body: @escaping @Sendable (ConsoleFixture, TransactionIdentifier) async throws -> Void
  ) throws {
    let simulator = SimulatorFixture()
    let dependencies = simulator.dependencies
    try simulator.perform {
      let apple = try await SimulatedAppStore.open(in: dependencies, notifying: .unreachable)
      let bundle = EngineFixture.identity.bundleId
      try await apple.stock(
        SimulatedApp(bundleId: bundle, appAppleId: 1234, notificationURL: nil),
        [("com.example.coins100", .consumable)])
      let owner = AppOwner(account: "alice@example.com", bundleId: bundle)
      try await apple.catalog.setAccount(SimulatedAppleAccount(id: owner.account, environment: .production))
      var access = AppStoreAccess(identity: EngineFixture.identity)
      if hasKey { access.server = try apple.access(of: bundle) }
      var setup = EngineFixture.Setup()
      setup.dependencies = dependencies
      setup.verifier = try apple.verifier()
      setup.outside = apple.serverAPI.network
      let policy = AppPolicy(id: "shop", home: .simulated, catalog: try Catalog(EngineFixture.products))
      let shop = try EngineFixture(serving: [AppSettings(policy, appStore: access)], setup)
      var purchase = SimulatedPurchaseRequest(owner: owner, product: "com.example.coins100")
      purchase.appAccountToken = AppStoreUUID(try await shop.order())
      let id = try await apple.purchases.purchase(purchase).transaction.id
      try await body(ConsoleFixture(over: shop), id)
    }
  }

  /// As the simulated App Store makes it.
  private static func number(_ id: TransactionIdentifier) -> String {
    "M" + String(Int64(id.text) ?? 0, radix: 36, uppercase: true)
  }

  private static func page(_ number: String) -> String { "/console/app/shop/search?q=\(number)" }

  private static func target(_ number: String) -> String {
    "/console/app/shop/order-numbers/\(number)/ask-apple"
  }

  @Test func `is asked about by nobody without the role, a reason, or a number of that form`() throws {
    try sold { fixture, id in
      let number = Self.number(id)
      for role: OperatorRole in [.viewer, .finance] {
        let other = try await fixture.browser(as: role)
        let page = await other.get(Self.page(number))
        #expect(page.status == 200 && page.form(Self.target(number)) == nil, "\(role)")
      }
      let browser = try await fixture.browser(as: .support)
      for term in ["K1234567", "M12345", "nobody"] {
        #expect(!(await browser.get(Self.page(term)).page.contains("/ask-apple")), "\(term)")
      }
      let form = try #require(await browser.get(Self.page(number)).form(Self.target(number)))
      #expect(await browser.post(Self.target(number), form + [("reason", "x")]).status == 422)
      #expect(await browser.post(Self.target("K1234567"), form + [self.reason]).status == 404)
      #expect(try await fixture.entries().isEmpty)
      #expect(await browser.get(Self.page(number)).page.contains("Nothing was found"))
    }
  }

  @Test func `says that Apple does not know it, and enters that`() throws {
    try sold { fixture, _ in
      let target = Self.target(Self.unknown)
      let browser = try await fixture.browser(as: .support)
      let form = try #require(await browser.get(Self.page(Self.unknown)).form(target))
      for _ in 0..<2 {
        let answer = await browser.post(target, form + [self.reason])
        #expect(answer.location == Self.page(Self.unknown) + "&notice=unknown-to-apple")
        #expect(await browser.get(answer.location).page.contains("Apple knows no order of this app"))
      }
      let entries = try await fixture.entries()
      #expect(entries.map(\.action) == ["order.lookUp"])
      #expect(entries.first?.outcome == .refused && entries.first?.problem == "order_number_unknown")
      let chinese = try await fixture.browser(as: .support, language: "zh")
      let page = await chinese.get(Self.page(Self.unknown) + "&notice=unknown-to-apple").page
      #expect(page.contains("Apple 没有该应用的此订单号") && page.contains("向 Apple 查询此订单号"))
    }
  }

  @Test func `says that the app has no key`() throws {
    try sold(hasKey: false) { fixture, id in
      let number = Self.number(id)
      let browser = try await fixture.browser(as: .support)
      let form = try #require(await browser.get(Self.page(number)).form(Self.target(number)))
      let answer = await browser.post(Self.target(number), form + [self.reason])
      #expect(answer.location == Self.page(number) + "&notice=no-apple-key")
      #expect(await browser.get(answer.location).page.contains("Apple was not asked"))
      #expect(try await fixture.entries().first?.problem == "store_not_configured")
    }
  }

  @Test func `leads to the payment that Apple names, which is taken in once`() throws {
    try sold { fixture, id in
      let number = Self.number(id)
      let target = Self.target(number)
      let payment = "/console/app/shop/payments/appStore/simulated/\(id)"
      let browser = try await fixture.browser(as: .support)
      // Lower case, as somebody types it.
      let form = try #require(await browser.get(Self.page(number.lowercased())).form(target))
      let answer = await browser.post(target, form + [self.reason])
      #expect(answer.location == Self.page(number) + "&notice=done")
      let page = await browser.get(answer.location)
      #expect(page.status == 200 && page.page.contains(payment) && page.form(target) == nil)
      #expect(await browser.post(target, form + [self.reason]).location == Self.page(number) + "&notice=repeated")
      #expect(await browser.get(Self.page(number)).location == payment)
      let balances = try await fixture.shop.engine.readBalances(of: "alice", in: EngineFixture.appEnvironment)
      #expect(balances.map(\.amount) == [100])
      let entries = try await fixture.entries()
      #expect(entries.map(\.action) == ["order.lookUp"])
      #expect(entries.first?.objectKind == "appleOrderNumber" && entries.first?.object == number)
      #expect(entries.first?.reason == "ticket 58213" && entries.first?.role == .support)
    }
  }
}
