import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

@Suite struct `A renewal of a plan that is no longer in the catalog` {
  private func subscribed() async throws -> SubscriptionFixture {
    let shop = try EngineFixture()
    var subscription = SubscriptionFixture(shop: shop)
    subscription.token = try await shop.order("monthly")
    shop.clock.advance(by: .days(35))
    try await subscription.receive("n1", "SUBSCRIBED", about: subscription.period("9001", day: 0))
    return subscription
  }

  private func retired(_ subscription: SubscriptionFixture, _ change: (inout [Product]) -> Void) throws
    -> SubscriptionFixture
  {
    SubscriptionFixture(shop: try subscription.shop.changed(change), token: subscription.token)
  }

  @Test func `is granted by the promise of its subscription's newest grant, and notified`() async throws {
    let subscription = try await retired(subscribed()) { $0.remove("monthly") }
    try await subscription.receive("n2", "DID_RENEW", about: subscription.period("9002", day: 30))
    #expect(try await subscription.shop.known("9002")?.state == .fulfilled)
    #expect(try await subscription.shop.told(of: "9002") == ["created alice"])
    #expect(try await subscription.shop.productsTold(of: "9002") == ["monthly"])
    #expect(try await subscription.shop.entitlement()?.until == SubscriptionFixture.day(60))
    #expect(try await subscription.shop.violations() == [])
  }

  @Test func `is granted by the newest grant by purchase date, not by arrival`() async throws {
    // 9002 is granted under another name than 9001; then the plan is removed, and 9003 follows 9002.
    let first = try await subscribed()
    let second = try retired(first) { $0.rename("club-plus", of: "monthly") }
    try await second.receive("n2", "DID_RENEW", about: second.period("9002", day: 30))
    second.shop.clock.advance(by: .days(30))
    let third = try retired(second) { $0.remove("monthly") }
    try await third.receive("n3", "DID_RENEW", about: third.period("9003", day: 60))
    guard case .entitlement(let name, _, _) = try await third.shop.grant(of: "9003")?.content else {
      return #expect(Bool(false), "nothing was granted")
    }
    #expect(name == "club-plus")
    #expect(try await third.shop.violations() == [])
  }

  @Test func `is granted although its App Store id was taken from the product`() async throws {
    let subscription = try await retired(subscribed()) {
      $0.edit("monthly") { $0.appStoreProducts = ["com.example.monthly2"] }
    }
    try await subscription.receive("n2", "DID_RENEW", about: subscription.period("9002", day: 30))
    #expect(try await subscription.shop.known("9002")?.state == .fulfilled)
  }

  @Test func `is held if the subscription has no grant of that App Store product`() async throws {
    let subscription = try await retired(subscribed()) { $0.remove("monthly") }
    try await subscription.receive(
      "n2", "DID_RENEW", about: subscription.period("9002", day: 30, product: "com.example.monthly3"))
    #expect(try await subscription.shop.known("9002")?.state == .held(.productUnknown))
    #expect(try await subscription.shop.violations() == [])
  }

  @Test func `that was held is granted at a start with its product, once`() async throws {
    let subscription = try await retired(subscribed()) { $0.remove("monthly") }
    let weekly = SubscriptionFixture(shop: subscription.shop, originalTransaction: "9301", token: subscription.token)
    try await weekly.receive("n2", "SUBSCRIBED", about: weekly.period("9301", day: 0, product: "com.example.weekly"))
    #expect(try await subscription.shop.known("9301")?.state == .held(.productUnknown))
    try await subscription.shop.engine.decideHeldAgain()
    #expect(try await subscription.shop.known("9301")?.state == .held(.productUnknown))
    let back = try retired(subscription) { $0.edit("monthly") { $0.appStoreProducts.append("com.example.weekly") } }
      .shop
    for _ in 0..<2 { try await back.engine.decideHeldAgain() }
    #expect(try await back.known("9301")?.state == .fulfilled)
    #expect(try await back.told(of: "9301") == ["created alice"])
    #expect(try await back.violations() == [])
  }

  @Test func `that an earlier version held is granted with the next one`() async throws {
    // The subscription's first period is not granted yet when its renewal arrives: it has no promise.
    let shop = try EngineFixture()
    let order = try await shop.order("monthly")
    shop.clock.advance(by: .days(35))
    var subscription = SubscriptionFixture(shop: try shop.changed { $0.remove("monthly") })
    try await subscription.receive("n1", "DID_RENEW", about: subscription.period("9002", day: 30))
    #expect(try await subscription.shop.known("9002")?.state == .held(.productUnknown))
    subscription.token = order
    try await subscription.receive("n2", "SUBSCRIBED", about: subscription.period("9001", day: 0))
    #expect(try await subscription.shop.known("9002")?.state == .fulfilled)
    #expect(try await subscription.shop.told(of: "9002") == ["created alice"])
    #expect(try await subscription.shop.violations() == [])
  }

  @Test func `is granted as before if the catalog names another kind`() async throws {
    let subscription = try await retired(subscribed()) { $0.edit("monthly") { $0.kind = .nonConsumable } }
    try await subscription.receive("n2", "DID_RENEW", about: subscription.period("9002", day: 30))
    #expect(try await subscription.shop.known("9002")?.state == .fulfilled)
    #expect(try await subscription.shop.violations() == [])
  }

  @Test func `is granted by its order if that was made while the plan was sold`() async throws {
    // Nothing of the subscription was known: its first update arrives after the plan was removed.
    let shop = try EngineFixture()
    let order = try await shop.order("monthly")
    shop.clock.advance(by: .days(1))
    let subscription = SubscriptionFixture(shop: try shop.changed { $0.remove("monthly") }, token: order)
    try await subscription.receive("n1", "SUBSCRIBED", about: subscription.period("9001", day: 0))
    #expect(try await subscription.shop.known("9001")?.state == .fulfilled)
    #expect(try await subscription.shop.productsTold(of: "9001") == ["monthly"])
    #expect(try await subscription.shop.violations() == [])
  }
}
