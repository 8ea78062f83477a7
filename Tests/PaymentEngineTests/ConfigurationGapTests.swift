import AppStoreIntegration
import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

extension EngineFixture {
  /// What the database has promised and another catalog lacks.
  fileprivate func gaps(_ change: (inout [Product]) -> Void) async throws -> [ConfigurationGap] {
    let apps = AppDirectory([try changed(change).app])
    return try await database.read { try apps.gaps(to: $0) }
  }

  /// As after a start of the server with another catalog.
  fileprivate func restarted(_ change: (inout [Product]) -> Void) async throws -> EngineFixture {
    let apps = AppDirectory([try changed(change).app])
    let going = try await database.read { try apps.goingOn(over: $0) }
    let catalog = going.all[0].catalog
    let shop = try EngineFixture({ $0.catalog = catalog }, storage: storage)
    shop.clock.advance(by: clock.now - Self.noon)
    return shop
  }
}

@Suite struct `A configuration, compared with earlier purchases` {
  /// 100 coins and a subscription of alice, and a subscription that waits for its owner.
  private func bought() async throws -> EngineFixture {
    let shop = try EngineFixture()
    let order = try await shop.order()
    #expect(try await shop.submit(shop.transaction("1001", token: order)).verdict == .fulfilled)
    let subscription = SubscriptionFixture(shop: shop, token: try await shop.order("monthly"))
    try await subscription.receive("n1", "SUBSCRIBED", about: subscription.period("9001", day: 0))
    return shop
  }

  @Test func `lacks nothing if it is unchanged, or if it sells less, other things, or at other prices`() async throws {
    let shop = try await bought()
    #expect(try await shop.gaps { _ in } == [])
    #expect(
      try await shop.gaps {
        $0.remove("season")
        $0.rename("club-plus", of: "monthly")
        $0.edit("coins.100") {
          $0.grant = .units("gem", perPiece: 5)
          $0.appStoreProducts = ["com.example.other"]
        }
      } == [])
  }

  @Test func `lacks a product that was granted`() async throws {
    let gaps = try await bought().gaps {
      $0.remove("coins.100")
      $0.remove("monthly")
    }
    #expect(gaps == [.productMissing("shop", "coins.100"), .productMissing("shop", "monthly")])
    #expect(gaps.allSatisfy { $0.text.english.contains("sold = false") && $0.text.chinese.contains("sold = false") })
  }

  @Test func `lacks a product although all its grants were refunded`() async throws {
    let shop = try await bought()
    let refunded = shop.transaction("1001") { $0["revocationDate"] = .integer(shop.clock.now.milliseconds + 1) }
    _ = try await shop.engine.receiveAppStoreNotification(shop.notification("n9", "REFUND", about: refunded), for: nil)
    #expect(try await shop.gaps { $0.remove("coins.100") } == [.productMissing("shop", "coins.100")])
  }

  @Test func `changes the kind of a product that was granted`() async throws {
    #expect(
      try await bought().gaps {
        $0.edit("coins.100") { $0.kind = .nonConsumable }
        $0.edit("premium") {
          $0.kind = .nonRenewing
          $0.grant = .entitlement("premium", period: .days(1))
        }
      } == [.kindChanged("shop", "coins.100", was: .consumable, configured: .nonConsumable)])
  }

  @Test func `lacks an app with grants`() async throws {
    let shop = try await bought()
    let nothing = AppDirectory([])
    #expect(try await shop.database.read { try nothing.gaps(to: $0) } == [.appMissing("shop")])
  }

  @Test
  func `lacks the App Store product of an unclaimed subscription, not one that was never sold here`() async throws {
    let shop = try EngineFixture()
    let subscription = SubscriptionFixture(shop: shop, originalTransaction: "9101")
    try await subscription.receive("n1", "SUBSCRIBED", about: subscription.period("9101", day: 0))
    let unknown = SubscriptionFixture(shop: shop, originalTransaction: "9201", product: "com.example.elsewhere")
    try await unknown.receive("n2", "SUBSCRIBED", about: unknown.period("9201", day: 0))
    #expect(try await shop.known("9101")?.state == .unclaimed)
    #expect(try await shop.known("9201")?.state == .held(.productUnknown))
    #expect(try await shop.gaps { _ in } == [])
    #expect(
      try await shop.gaps { $0.remove("monthly") } == [.storeProductMissing("shop", "com.example.monthly")])
  }
}

@Suite struct `A start with a catalog that changes the kind of a purchased product` {
  @Test func `keeps the promised kind, rule and debt policy, and grants a new purchase by them`() async throws {
    let first = try EngineFixture()
    let order = try await first.order()
    #expect(try await first.submit(first.transaction("1001", token: order)).verdict == .fulfilled)
    let shop = try await first.restarted {
      $0.edit("coins.100") {
        $0.kind = .nonConsumable
        $0.grant = .units("gem", perPiece: 1)
        $0.debt = .clamp
        $0.appStoreProducts.append("com.example.hundred")
      }
    }
    let product = try #require(shop.app.catalog["coins.100"])
    #expect(product.kind == .consumable && product.grant == .units("coin", perPiece: 100) && product.debt == .negative)
    #expect(product.appStoreProducts == ["com.example.coins100", "com.example.hundred"])
    let next = try await shop.order()
    #expect(try await shop.submit(shop.transaction("1002", token: next)).verdict == .fulfilled)
    #expect(try await shop.coins() == 200)
    #expect(try await shop.violations() == [])
  }
}

@Suite struct `A retired product` {
  private func retired(_ shop: EngineFixture) throws -> EngineFixture {
    let catalog = try Catalog(EngineFixture.products, retired: ["monthly", "coins.100"])
    let other = try EngineFixture({ $0.catalog = catalog }, storage: shop.storage)
    other.clock.advance(by: shop.clock.now - EngineFixture.noon)
    return other
  }

  @Test func `cannot be ordered, and gets no signed offer`() async throws {
    let shop = try retired(try EngineFixture())
    await #expect(throws: CodedError<EngineErrorCode>(.productRetired)) { try await shop.order() }
    #expect(!shop.app.sold.contains { $0.id == "coins.100" } && shop.app.sold.contains { $0.id == "premium" })
  }

  @Test func `in a retired app is every product`() async throws {
    let shop = try EngineFixture { $0.isRetired = true }
    await #expect(throws: CodedError<EngineErrorCode>(.productRetired)) { try await shop.order("premium") }
    #expect(shop.app.sold == [])
  }

  @Test func `is returned if the call that ordered it is repeated`() async throws {
    let shop = try EngineFixture()
    var request = OrderRequest(user: "alice", product: "coins.100", quantity: 1, store: .appStore)
    request.idempotency = .init(key: "k1", digest: "d1")
    let first = try await shop.engine.createOrder(request, for: shop.app, by: .user("alice"))
    let later = try retired(shop)
    let again = try await later.engine.createOrder(request, for: later.app, by: .user("alice"))
    #expect(!again.isNew && again.order.order.key == first.order.order.key)
  }

  @Test func `stays valid: its open order is paid, its subscription renews, its refund is notified`() async throws {
    let first = try EngineFixture()
    let order = try await first.order()
    var subscription = SubscriptionFixture(shop: first, token: try await first.order("monthly"))
    try await subscription.receive("n1", "SUBSCRIBED", about: subscription.period("9001", day: 0))
    first.clock.advance(by: .days(1))
    let shop = try retired(first)
    #expect(try await shop.submit(shop.transaction("1001", token: order)).verdict == .fulfilled)
    shop.clock.advance(by: .days(33))
    subscription = SubscriptionFixture(shop: shop, token: subscription.token)
    try await subscription.receive("n2", "DID_RENEW", about: subscription.period("9002", day: 30))
    let refunded = subscription.period("9002", day: 30, signed: 31) {
      $0["revocationDate"] = .integer(SubscriptionFixture.day(31).milliseconds)
    }
    try await subscription.receive("n3", "REFUND", about: refunded)
    #expect(try await shop.told(of: "9002") == ["created alice", "reversed alice"])
    #expect(try await shop.violations() == [])
  }
}

@Suite struct `A configuration that is loaded while the shop is open` {
  private func apps(_ shop: EngineFixture, _ change: (inout [Product]) -> Void) throws -> AppDirectory {
    AppDirectory([try shop.changed(change).app])
  }

  @Test func `is refused as a whole if it drops a purchased product`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order()
    #expect(try await shop.submit(shop.transaction("1001", token: order)).verdict == .fulfilled)
    let other = try apps(shop) {
      $0.remove("coins.100")
      $0.remove("premium")
    }
    #expect(try await shop.engine.reload(other) == .refused([.productMissing("shop", "coins.100")]))
    #expect(shop.engine.apps["shop"]?.catalog["premium"] != nil)
  }

  @Test func `applies from then on, to orders and to payments held because their product was missing`() async throws {
    let shop = try EngineFixture()
    let subscription = SubscriptionFixture(
      shop: shop, product: "com.example.weekly", token: try await shop.order("monthly"))
    try await subscription.receive("n1", "SUBSCRIBED", about: subscription.period("9001", day: 0))
    #expect(try await shop.known("9001")?.state == .held(.productUnknown))
    let other = try apps(shop) {
      $0.edit("monthly") { $0.appStoreProducts.append("com.example.weekly") }
      $0.edit("coins.100") { $0.grant = .units("coin", perPiece: 120) }
    }
    #expect(try await shop.engine.reload(other) == .taken(needRestart: []))
    #expect(try await shop.known("9001")?.state == .fulfilled)
    let app = try #require(shop.engine.apps["shop"])
    let request = OrderRequest(user: "alice", product: "coins.100", quantity: 1, store: .appStore)
    let made = try await shop.engine.createOrder(request, for: app, by: .user("alice"))
    #expect(made.order.order.product.grant == .units("coin", perPiece: 120))
  }

  @Test func `makes the engine retry stopped changes at once, not at their hour`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.buyCoins("1001")
    try await shop.giveGrant(of: "1001", to: "mallory")
    shop.clock.advance(by: .hours(2))
    try await shop.refund("1001", of: order)
    try await shop.giveGrant(of: "1001", to: "alice")
    #expect(try await shop.stopped().map(\.payment) == [EngineFixture.key("1001")])
    #expect(try await shop.engine.reload(apps(shop) { _ in }) == .taken(needRestart: []))
    #expect(try await shop.stopped() == [])
    #expect(try await shop.coins() == 0)
    #expect(try await shop.violations() == [])
  }

  @Test func `names the added and removed apps: they apply from the next start`() async throws {
    let shop = try EngineFixture()
    var newcomer = shop.app
    newcomer.id = "other"
    #expect(try await shop.engine.reload(AppDirectory([newcomer])) == .taken(needRestart: ["other", "shop"]))
    #expect(shop.engine.apps["shop"] != nil && shop.engine.apps["other"] == nil)
  }
}
