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
  /// The same database under another catalog, at the same time: as after a restart with another configuration.
  func changed(
    restore: RestorePolicy = .keepOwner, _ change: (inout [Product]) -> Void
  ) throws -> EngineFixture {
    var products = Self.products
    change(&products)
    let catalog = try Catalog(products)
    let shop = try EngineFixture(
      {
        $0.catalog = catalog
        $0.restore = restore
      }, storage: storage)
    shop.clock.advance(by: clock.now - Self.noon)
    return shop
  }

  /// The products in the deliveries of a payment, in order.
  func productsTold(of id: String) async throws -> [String] {
    try await database.read { database in
      try database.deliveries(of: Self.key(id)).map { try JSONReader.read($0.body.utf8)["productId"]?.string ?? "" }
    }
  }

  func grant(of id: String) async throws -> Grant? { try await database.read { try $0.grant(Self.key(id)) } }
}

extension [Product] {
  /// Changes one product of a catalog.
  mutating func edit(_ id: ProductIdentifier, _ change: (inout Product) -> Void) {
    for index in indices where self[index].id == id { change(&self[index]) }
  }

  mutating func rename(_ entitlement: EntitlementName, of id: ProductIdentifier) {
    edit(id) { $0.grant = .entitlement(entitlement, period: nil) }
  }

  mutating func remove(_ id: ProductIdentifier) { removeAll { $0.id == id } }
}

@Suite struct `What happens to an old subscription after its entitlement was renamed` {
  /// A subscription of alice: the first period has an order, the renewal has none; then `club` becomes `club-plus`.
  private func renamed() async throws -> SubscriptionFixture {
    let shop = try EngineFixture()
    var subscription = SubscriptionFixture(shop: shop)
    subscription.token = try await shop.order("monthly")
    shop.clock.advance(by: .days(35))
    try await subscription.receive("n1", "SUBSCRIBED", about: subscription.period("9001", day: 0))
    try await subscription.receive("n2", "DID_RENEW", about: subscription.period("9002", day: 30))
    #expect(try await shop.told(of: "9002") == ["created alice"])
    var changed = SubscriptionFixture(shop: try shop.changed { $0.rename("club-plus", of: "monthly") })
    changed.token = subscription.token
    return changed
  }

  private func refunded(_ subscription: SubscriptionFixture) -> String {
    subscription.period("9002", day: 30, signed: 33) {
      $0["revocationDate"] = .integer(SubscriptionFixture.day(33).milliseconds)
    }
  }

  @Test func `REFUND of a renewal takes the old entitlement back, and the backend is notified`() async throws {
    let subscription = try await renamed()
    try await subscription.receive("n3", "REFUND", about: refunded(subscription))
    #expect(try await subscription.shop.known("9002")?.state == .reversed(amount: 1))
    #expect(try await subscription.shop.told(of: "9002") == ["created alice", "reversed alice"])
    #expect(try await subscription.shop.entitlement()?.entitlement == "club")
    #expect(try await subscription.shop.entitlement()?.state == .revoked)
    #expect(try await subscription.shop.violations() == [])
  }

  @Test func `REFUND_REVERSED of a renewal returns the old entitlement, and the backend is notified`() async throws {
    let subscription = try await renamed()
    try await subscription.receive("n3", "REFUND", about: refunded(subscription))
    try await subscription.receive("n4", "REFUND_REVERSED", about: subscription.period("9002", day: 30, signed: 34))
    #expect(try await subscription.shop.told(of: "9002") == ["created alice", "reversed alice", "reinstated alice"])
    #expect(try await subscription.shop.entitlement()?.entitlement == "club")
    #expect(try await subscription.shop.entitlement()?.state == .active)
    #expect(try await subscription.shop.violations() == [])
  }

  @Test func `an extended period of a renewal ends later`() async throws {
    let subscription = try await renamed()
    let extended = subscription.period("9002", day: 30, signed: 34) {
      $0["expiresDate"] = .integer(SubscriptionFixture.day(75).milliseconds)
    }
    try await subscription.receive("n3", "RENEWAL_EXTENDED", about: extended)
    #expect(try await subscription.shop.entitlement()?.until == SubscriptionFixture.day(75))
    #expect(try await subscription.shop.violations() == [])
  }

  @Test func `a refund of its first period takes back the promise of its order, too`() async throws {
    let subscription = try await renamed()
    let refunded = subscription.period("9001", day: 0, signed: 33) {
      $0["revocationDate"] = .integer(SubscriptionFixture.day(33).milliseconds)
    }
    try await subscription.receive("n3", "REFUND", about: refunded)
    #expect(try await subscription.shop.told(of: "9001") == ["created alice", "reversed alice"])
    #expect(try await subscription.shop.violations() == [])
  }

  @Test func `the next renewal follows the catalog`() async throws {
    let subscription = try await renamed()
    subscription.shop.clock.advance(by: .days(30))
    try await subscription.receive("n3", "DID_RENEW", about: subscription.period("9003", day: 60))
    #expect(try await subscription.shop.allEntitlements().map(\.entitlement) == ["club", "club-plus"])
    #expect(try await subscription.shop.violations() == [])
  }
}

@Suite struct `What happens to a family-shared purchase after its entitlement was renamed` {
  private func evidence(
    _ shop: EngineFixture, signed day: Double = 0, _ change: (inout [String: JSONValue]) -> Void = { _ in }
  ) -> String {
    SubscriptionFixture(shop: shop, originalTransaction: "9101").period("9101", day: 0, signed: day, named: false) {
      $0["inAppOwnershipType"] = "FAMILY_SHARED"
      change(&$0)
    }
  }

  private func renamed() async throws -> SubscriptionFixture {
    let shop = try EngineFixture()
    #expect(try await shop.submit(evidence(shop), by: "bob").verdict == .fulfilled)
    shop.clock.advance(by: .days(10))
    return SubscriptionFixture(
      shop: try shop.changed { $0.rename("club-plus", of: "monthly") }, originalTransaction: "9101")
  }

  @Test func `REVOKE takes it back, and the backend is notified`() async throws {
    let subscription = try await renamed()
    let revoked = evidence(subscription.shop, signed: 5) {
      $0["revocationDate"] = .integer(SubscriptionFixture.day(5).milliseconds)
    }
    try await subscription.receive("n1", "REVOKE", about: revoked)
    #expect(try await subscription.shop.entitlement(of: "bob")?.state == .revoked)
    #expect(try await subscription.shop.told(of: "9101") == ["created bob", "reversed bob"])
    #expect(try await subscription.shop.violations() == [])
  }

  @Test func `an extended period ends later`() async throws {
    let subscription = try await renamed()
    let extended = evidence(subscription.shop, signed: 5) {
      $0["expiresDate"] = .integer(SubscriptionFixture.day(44).milliseconds)
    }
    try await subscription.receive("n1", "RENEWAL_EXTENDED", about: extended)
    #expect(try await subscription.shop.entitlement(of: "bob")?.until == SubscriptionFixture.day(44))
    #expect(try await subscription.shop.violations() == [])
  }
}

@Suite struct `The audit of a grant without an order` {
  @Test(arguments: [
    GrantContent.entitlement("vip", from: EngineFixture.noon, until: SubscriptionFixture.day(30)),
    .entitlement("club", from: EngineFixture.noon, until: SubscriptionFixture.day(31)),
    .entitlement("club", from: EngineFixture.noon - .days(1), until: SubscriptionFixture.day(30)),
  ])
  func `notices a content that differs from the promise`(content: GrantContent) async throws {
    let shop = try EngineFixture()
    let evidence = SubscriptionFixture(shop: shop, originalTransaction: "9101").period("9101", day: 0, named: false) {
      $0["inAppOwnershipType"] = "FAMILY_SHARED"
    }
    #expect(try await shop.submit(evidence, by: "bob").verdict == .fulfilled)
    #expect(try await shop.violations() == [])
    // A manual change in the database.
    try await shop.database.transact { transaction in
      var grant = try #require(try transaction.grant(EngineFixture.key("9101")))
      grant.content = content
      try transaction.update(grant)
    }.get()
    #expect(try await shop.violations().map(\.invariant) == [.grantHasPayment])
  }
}

@Suite struct `What happens to an old purchase without an order` {
  /// 100 coins for 100, claimed by alice without an order; the text of its derived order does not matter.
  private func bought() async throws -> EngineFixture {
    let shop = try EngineFixture()
    var subscription = SubscriptionFixture(shop: shop)
    subscription.token = try await shop.order("monthly")
    shop.clock.advance(by: .days(35))
    try await subscription.receive("n1", "SUBSCRIBED", about: subscription.period("9001", day: 0))
    try await subscription.receive("n2", "DID_RENEW", about: subscription.period("9002", day: 30))
    return shop
  }

  private func refund(_ shop: EngineFixture) async throws {
    let subscription = SubscriptionFixture(shop: shop)
    let refunded = subscription.period("9002", day: 30, signed: 33, named: false) {
      $0["revocationDate"] = .integer(SubscriptionFixture.day(33).milliseconds)
    }
    try await subscription.receive("n9", "REFUND", about: refunded)
  }

  @Test func `its refund is notified although its product was removed from the catalog`() async throws {
    let shop = try await bought().changed { $0.remove("monthly") }
    try await refund(shop)
    #expect(try await shop.entitlement()?.state == .revoked)
    #expect(try await shop.told(of: "9002") == ["created alice", "reversed alice"])
    #expect(try await shop.productsTold(of: "9002") == ["monthly", "monthly"])
    #expect(try await shop.violations() == [])
  }

  @Test func `its refund is notified although its App Store product was renamed`() async throws {
    let shop = try await bought().changed {
      $0.edit("monthly") { $0.appStoreProducts = ["com.example.monthly2"] }
    }
    try await refund(shop)
    #expect(try await shop.told(of: "9002") == ["created alice", "reversed alice"])
    #expect(try await shop.violations() == [])
  }

  @Test func `its refund names its own product although its App Store id means another one today`() async throws {
    let shop = try await bought().changed {
      $0.edit("monthly") {
        $0.id = "vip"
        $0.grant = .entitlement("vip", period: nil)
      }
    }
    try await refund(shop)
    #expect(try await shop.entitlement()?.entitlement == "club")
    #expect(try await shop.productsTold(of: "9002") == ["monthly", "monthly"])
    #expect(try await shop.violations() == [])
  }

  @Test func `its refund takes effect although the kind of its product was changed`() async throws {
    let shop = try await bought().changed {
      $0.edit("monthly") { $0.kind = .nonConsumable }
    }
    try await refund(shop)
    #expect(try await shop.told(of: "9002") == ["created alice", "reversed alice"])
    #expect(try await shop.violations() == [])
  }

  @Test func `a restore that moves it makes deliveries for both users although its product was removed`() async throws {
    let shop = try await bought().changed(restore: .transfer) { $0.remove("monthly") }
    let subscription = SubscriptionFixture(shop: shop)
    let answer = try await shop.submit(
      subscription.period("9002", day: 30, named: false), by: "bob", restoring: true)
    #expect(answer.verdict == .fulfilled)
    #expect(try await shop.told(of: "9002") == ["created alice", "reversed alice", "created bob"])
    #expect(try await shop.productsTold(of: "9002") == ["monthly", "monthly", "monthly"])
    #expect(try await shop.violations() == [])
  }
}

@Suite struct `What happens to old units after the catalog was changed` {
  /// Without family sharing, units always have an order; it is made from the catalog of that day.
  private func refund(_ id: String, of product: String, in shop: EngineFixture) async throws {
    let now = shop.clock.now.milliseconds
    let refunded = shop.transaction(id, of: product) {
      $0["purchaseDate"] = .integer(EngineFixture.noon.milliseconds)
      $0["quantity"] = .integer(3)
      $0["revocationDate"] = .integer(now)
    }
    _ = try await shop.engine.receiveAppStoreNotification(
      shop.notification("n9", "REFUND", about: refunded), for: nil)
  }

  private func bought() async throws -> EngineFixture {
    let shop = try EngineFixture()
    let evidence = shop.transaction("1001", of: "com.example.coin") { $0["quantity"] = .integer(3) }
    #expect(try await shop.submit(evidence).verdict == .fulfilled)
    shop.clock.advance(by: .days(1))
    return shop
  }

  @Test func `a refund takes back the granted amount, not today's amount per piece`() async throws {
    let shop = try await bought().changed { $0.edit("coin") { $0.grant = .units("coin", perPiece: 5) } }
    try await refund("1001", of: "com.example.coin", in: shop)
    #expect(try await shop.coins() == 0)
    #expect(try await shop.told(of: "1001") == ["created alice", "reversed alice"])
    #expect(try await shop.violations() == [])
  }

  @Test func `a refund takes back the granted unit, although the product gives another one today`() async throws {
    let shop = try await bought().changed {
      $0.edit("coin") {
        $0.grant = .units("gem", perPiece: 1)
        $0.debt = .clamp
      }
    }
    try await refund("1001", of: "com.example.coin", in: shop)
    #expect(try await shop.coins() == 0)
    #expect(try await shop.violations() == [])
  }
}
