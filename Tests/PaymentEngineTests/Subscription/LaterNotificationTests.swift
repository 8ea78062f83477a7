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

@Suite struct `Each later row of Apple's table of notifications` {
  /// A shop with a subscription of alice, bought on day 0, without any notification yet.
  private func subscription(at day: Double) async throws -> SubscriptionFixture {
    let shop = try EngineFixture()
    var subscription = SubscriptionFixture(shop: shop)
    subscription.token = try await shop.order("monthly")
    shop.clock.advance(by: SubscriptionFixture.day(day) - EngineFixture.noon)
    return subscription
  }

  @Test func `PRICE_INCREASE is recorded in the subscription's journal, and changes no access`() async throws {
    let subscription = try await subscription(at: 11)
    try await subscription.receive(
      "n1", "SUBSCRIBED", about: subscription.period("9001", day: 0), renewal: subscription.renewal(signed: 0))
    try await subscription.receive(
      "n2", "PRICE_INCREASE", subtype: "PENDING", about: subscription.period("9001", day: 0, signed: 5),
      renewal: subscription.renewal(signed: 5) { $0["priceIncreaseStatus"] = .integer(0) })
    try await subscription.receive(
      "n3", "PRICE_INCREASE", subtype: "ACCEPTED", about: subscription.period("9001", day: 0, signed: 6),
      renewal: subscription.renewal(signed: 6) { $0["priceIncreaseStatus"] = .integer(1) })
    let journal = try await subscription.shop.database.read {
      try $0.journal(of: EngineFixture.key("9001")).map(\.what)
    }
    #expect(journal.contains("line.priceIncreasePending") && journal.contains("line.priceIncreaseAccepted"))
    #expect(try await subscription.shop.entitlement()?.state == .active)
  }

  @Test func `RENEWAL_EXTENDED moves the end of the running period, and an older end does not move it back`()
    async throws
  {
    let subscription = try await subscription(at: 35)
    try await subscription.receive("n1", "SUBSCRIBED", about: subscription.period("9001", day: 0))
    let extended = subscription.period("9001", day: 0, signed: 20) {
      $0["expiresDate"] = .integer(SubscriptionFixture.day(40).milliseconds)
    }
    try await subscription.receive("n2", "RENEWAL_EXTENDED", about: extended)
    try await subscription.receive(
      "n3", "DID_CHANGE_RENEWAL_STATUS", about: subscription.period("9001", day: 0, signed: 10),
      renewal: subscription.renewal(signed: 10))
    #expect(try await subscription.shop.entitlement()?.until == SubscriptionFixture.day(40))
    #expect(try await subscription.shop.entitlement()?.state == .active)
    #expect(try await subscription.shop.violations() == [])
  }

  @Test func `REFUND takes a right back, REFUND_DECLINED keeps it, REFUND_REVERSED returns it: each notified once`()
    async throws
  {
    let subscription = try await subscription(at: 20)
    try await subscription.receive("n1", "SUBSCRIBED", about: subscription.period("9001", day: 0))
    try await subscription.receive("n2", "REFUND_DECLINED", about: subscription.period("9001", day: 0, signed: 2))
    #expect(try await subscription.shop.entitlement()?.state == .active)
    let refunded = subscription.period("9001", day: 0, signed: 5) {
      $0["revocationDate"] = .integer(SubscriptionFixture.day(5).milliseconds)
    }
    for uuid in ["n3", "n3", "n4"] { try await subscription.receive(uuid, "REFUND", about: refunded) }
    #expect(try await subscription.shop.entitlement()?.state == .revoked)
    #expect(try await subscription.shop.entitlement()?.reason == .refunded)
    for uuid in ["n5", "n6"] {
      try await subscription.receive(uuid, "REFUND_REVERSED", about: subscription.period("9001", day: 0, signed: 9))
    }
    #expect(try await subscription.shop.entitlement()?.state == .active)
    #expect(try await subscription.shop.told(of: "9001") == ["created alice", "reversed alice", "reinstated alice"])
    let again = subscription.period("9001", day: 0, signed: 15) {
      $0["revocationDate"] = .integer(SubscriptionFixture.day(15).milliseconds)
    }
    try await subscription.receive("n7", "REFUND", about: again)
    // The first refund arrives once more, late: its reversal stays.
    try await subscription.receive("n8", "REFUND", about: refunded)
    #expect(try await subscription.shop.told(of: "9001").count == 4)
    #expect(try await subscription.shop.entitlement()?.state == .revoked)
    #expect(try await subscription.shop.violations() == [])
  }

  @Test func `REVOKE ends a family member's shared access`() async throws {
    let shop = try EngineFixture()
    let shared = shop.transaction("7001", of: "com.example.premium", type: "Non-Consumable") {
      $0["inAppOwnershipType"] = "FAMILY_SHARED"
    }
    #expect(try await shop.submit(shared, by: "bob").verdict == .fulfilled)
    #expect(try await shop.entitlement(of: "bob")?.state == .active)
    shop.clock.advance(by: .days(3))
    let now = shop.now().milliseconds
    let ended = shop.transaction("7001", of: "com.example.premium", type: "Non-Consumable") {
      $0["inAppOwnershipType"] = "FAMILY_SHARED"
      $0["purchaseDate"] = .integer(EngineFixture.noon.milliseconds)
      $0["revocationDate"] = .integer(now)
      $0["revocationType"] = "FAMILY_REVOKE"
    }
    _ = try await shop.engine.receiveAppStoreNotification(shop.notification("n1", "REVOKE", about: ended), for: nil)
    #expect(try await shop.entitlement(of: "bob")?.state == .revoked)
    #expect(try await shop.entitlement(of: "bob")?.reason == .familySharingEnded)
    #expect(try await shop.told(of: "7001") == ["created bob", "reversed bob"])
  }

  @Test func `with renewal info of another subscription changes nothing in this one`() async throws {
    let subscription = try await subscription(at: 10)
    var other = subscription
    other.originalTransaction = "8001"
    try await subscription.receive(
      "n1", "SUBSCRIBED", about: subscription.period("9001", day: 0), renewal: subscription.renewal(signed: 0))
    try await subscription.receive(
      "n2", "DID_CHANGE_RENEWAL_STATUS", about: subscription.period("9001", day: 0, signed: 5),
      renewal: other.renewal(signed: 5, renews: false))
    #expect(try await subscription.shop.entitlement()?.willRenew == true)
  }

  @Test func `with only renewal info counts for its subscription`() async throws {
    let subscription = try await subscription(at: 10)
    try await subscription.receive("n1", "SUBSCRIBED", about: subscription.period("9001", day: 0))
    #expect(
      try await subscription.receive(
        "n2", "DID_CHANGE_RENEWAL_STATUS", about: nil, renewal: subscription.renewal(signed: 5, renews: false)
      )
      .effect == "applied")
    #expect(try await subscription.shop.entitlement()?.willRenew == false)
  }

  @Test func `with a late update on an earlier change of owner changes no grant, and the journal records it`()
    async throws
  {
    var subscription = try await subscription(at: 30)
    subscription.token = try await subscription.shop.order("monthly", of: "bob")
    subscription.shop.clock.advance(by: .days(35))
    // Alice claims the subscription with her phone's evidence; bob's earlier purchase on it becomes known later.
    #expect(
      try await subscription.shop.submit(subscription.period("9003", day: 60, named: false)).verdict == .fulfilled)
    try await subscription.receive(
      "n1", "SUBSCRIBED", subtype: "RESUBSCRIBE", about: subscription.period("9002", day: 30))
    #expect(try await subscription.shop.known("9003")?.owner == "alice")
    #expect(try await subscription.shop.known("9002")?.owner == "bob")
    let journal = try await subscription.shop.database.read {
      try $0.journal(of: EngineFixture.key("9003")).map(\.what)
    }
    #expect(journal.count(where: { $0 == "payment.ownerLearnedLate" }) == 1)
    #expect(try await subscription.shop.violations() == [])
  }

  @Test func `with a late update on an earlier period changes nothing for the owner of later periods`() async throws {
    var subscription = try await subscription(at: 30)
    let alice = subscription.token
    subscription.token = try await subscription.shop.order("monthly", of: "bob")
    subscription.shop.clock.advance(by: .days(35))
    try await subscription.receive(
      "n2", "SUBSCRIBED", subtype: "RESUBSCRIBE", about: subscription.period("9002", day: 30))
    subscription.token = alice
    try await subscription.receive("n1", "SUBSCRIBED", about: subscription.period("9001", day: 0))
    #expect(try await subscription.shop.known("9001")?.owner == "alice")
    #expect(try await subscription.shop.known("9002")?.owner == "bob")
    let journal = try await subscription.shop.database.read {
      try $0.journal(of: EngineFixture.key("9002")).map(\.what)
    }
    #expect(!journal.contains("payment.ownerLearnedLate"))
  }
}
