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

@Suite struct `A restore by another user of the same Apple account` {
  private func shop(_ policy: RestorePolicy) throws -> EngineFixture { try EngineFixture { $0.restore = policy } }

  /// A lasting right, as the App Store signs it for this account now.
  private func premium(_ shop: EngineFixture, token: OrderIdentifier? = nil, family: Bool = false) -> String {
    shop.transaction("5001", of: "com.example.premium", token: token, type: "Non-Consumable") {
      $0["purchaseDate"] = .integer(EngineFixture.noon.milliseconds)
      $0["appTransactionId"] = "704000000000001"
      if family { $0["inAppOwnershipType"] = "FAMILY_SHARED" }
    }
  }

  private func bought(_ policy: RestorePolicy) async throws -> EngineFixture {
    let shop = try shop(policy)
    let order = try await shop.order("premium")
    #expect(try await shop.submit(premium(shop, token: order)).verdict == .fulfilled)
    shop.clock.advance(by: .days(2))
    return shop
  }

  @Test(arguments: RestorePolicy.allCases)
  func `by the same user changes nothing: on this phone, after a reinstall, or on another phone`(
    policy: RestorePolicy
  ) async throws {
    let shop = try await bought(policy)
    for _ in 0..<3 {
      let answer = try await shop.submit(premium(shop), restoring: true)
      #expect(answer.verdict == .fulfilled && !answer.firstSeen)
    }
    #expect(try await shop.told(of: "5001") == ["created alice"])
  }

  @Test func `under keepOwner moves nothing and shows the presenter nothing about the owner`() async throws {
    let shop = try await bought(.keepOwner)
    let answer = try await shop.submit(premium(shop), by: "bob", restoring: true)
    #expect(answer.verdict == .fulfilledForAnother && answer.finish)
    #expect(answer.order == nil && answer.reference == nil && answer.metadata == nil)
    #expect(try await shop.allEntitlements(of: "bob") == [])
    #expect(try await shop.entitlement()?.state == .active)
  }

  @Test(arguments: [RestorePolicy.transfer, .share])
  func `is neither a queue's automatic delivery to the next user nor the first update on a purchase`(
    policy: RestorePolicy
  ) async throws {
    let shop = try await bought(policy)
    #expect(try await shop.submit(premium(shop), by: "bob").verdict == .fulfilledForAnother)
    #expect(try await shop.allEntitlements(of: "bob") == [])
    #expect(try await shop.told(of: "5001") == ["created alice"])

    let other = try self.shop(policy)
    let order = try await other.order("premium")
    let first = try await other.submit(premium(other, token: order), by: "bob", restoring: true)
    #expect(first.verdict == .fulfilledForAnother)
    #expect(try await other.told(of: "5001") == ["created alice"])
  }

  @Test func `under transfer moves the right with one reversal and one grant, and only once a day`() async throws {
    let shop = try await bought(.transfer)
    let answer = try await shop.submit(premium(shop), by: "bob", restoring: true)
    #expect(answer.verdict == .fulfilled && answer.order == nil)
    #expect(try await shop.entitlement(of: "bob")?.state == .active)
    #expect(try await shop.allEntitlements() == [])
    #expect(try await shop.told(of: "5001") == ["created alice", "reversed alice", "created bob"])
    shop.clock.advance(by: .hours(20))
    #expect(try await shop.submit(premium(shop), restoring: true).verdict == .fulfilledForAnother)
    #expect(try await shop.entitlement(of: "bob")?.state == .active)
    shop.clock.advance(by: .hours(5))
    #expect(try await shop.submit(premium(shop), restoring: true).verdict == .fulfilled)
    #expect(try await shop.entitlement()?.state == .active)
    #expect(try await shop.told(of: "5001").count == 5)
    let journal = try await shop.database.read { try $0.journal(of: EngineFixture.key("5001")).map(\.what) }
    #expect(journal.count(where: { $0 == "right.moved" }) == 2)
    #expect(try await shop.violations() == [])
    // The order is shown only to its own user.
    let bodies = try await shop.database.read { try $0.deliveries(of: EngineFixture.key("5001")).map(\.body) }
    #expect(try bodies.map { try JSONReader.read($0.utf8)["orderId"] != nil } == [true, true, false, false, true])
  }

  @Test(arguments: [RestorePolicy.transfer, .share])
  func `without a device proof moves nothing if claims are strict`(policy: RestorePolicy) async throws {
    let shop = try EngineFixture {
      $0.restore = policy
      $0.claims.isStrict = true
    }
    let order = try await shop.order("premium")
    _ = try await shop.submit(premium(shop, token: order))
    shop.clock.advance(by: .days(2))
    #expect(try await shop.submit(premium(shop), by: "bob", restoring: true).verdict == .fulfilledForAnother)
    #expect(try await shop.allEntitlements(of: "bob") == [])
  }

  @Test func `under transfer takes a later refund from the current owner`() async throws {
    let shop = try await bought(.transfer)
    _ = try await shop.submit(premium(shop), by: "bob", restoring: true)
    shop.clock.advance(by: .days(1))
    let now = shop.now().milliseconds
    let refunded = shop.transaction("5001", of: "com.example.premium", type: "Non-Consumable") {
      $0["purchaseDate"] = .integer(EngineFixture.noon.milliseconds)
      $0["revocationDate"] = .integer(now)
    }
    _ = try await shop.engine.receiveAppStoreNotification(shop.notification("n1", "REFUND", about: refunded), for: nil)
    #expect(try await shop.entitlement(of: "bob")?.state == .revoked)
    #expect(try await shop.told(of: "5001").last == "reversed bob")
    #expect(try await shop.database.read { try $0.deliveries(of: EngineFixture.key("5001")).last }?.order == nil)
    // A refunded purchase does not move.
    shop.clock.advance(by: .days(2))
    #expect(try await shop.submit(refunded, restoring: true).verdict == .revoked)
    #expect(try await shop.allEntitlements() == [])
  }

  @Test func `under share gives the right to both users`() async throws {
    let shop = try await bought(.share)
    let answer = try await shop.submit(premium(shop), by: "bob", restoring: true)
    #expect(answer.verdict == .fulfilled && answer.order == nil)
    #expect(try await shop.entitlement(of: "bob")?.state == .active)
    #expect(try await shop.entitlement()?.state == .active)
    #expect(try await shop.told(of: "5001") == ["created alice"])
    for number in 0..<20 {
      _ = try await shop.submit(premium(shop), by: UserIdentifier("user\(number)"), restoring: true)
    }
    #expect(try await shop.allEntitlements(of: "user8").count == 1)
    #expect(try await shop.allEntitlements(of: "user9") == [])
    #expect(try await shop.submit(premium(shop), by: "user19", restoring: true).verdict == .fulfilledForAnother)
  }

  @Test(arguments: RestorePolicy.allCases)
  func `never moves or shares units`(policy: RestorePolicy) async throws {
    let shop = try shop(policy)
    let order = try await shop.order()
    _ = try await shop.submit(shop.transaction("1001", token: order))
    #expect(
      try await shop.submit(shop.transaction("1001", token: order), by: "bob", restoring: true).verdict
        == .fulfilledForAnother)
    #expect(try await shop.coins() == 100)
    #expect(try await shop.coins(of: "bob") == 0)
  }

  @Test(arguments: [RestorePolicy.transfer, .share])
  func `from evidence that is not the device's own moves nothing`(policy: RestorePolicy) async throws {
    let shop = try await bought(policy)
    let leaked = shop.transaction("5001", of: "com.example.premium", type: "Non-Consumable") {
      $0["purchaseDate"] = .integer(EngineFixture.noon.milliseconds)
      $0["deviceVerification"] = nil
      $0["deviceVerificationNonce"] = nil
    }
    #expect(try await shop.submit(leaked, by: "mallory", restoring: true).verdict == .fulfilledForAnother)
    #expect(try await shop.allEntitlements(of: "mallory") == [])
    #expect(try await shop.entitlement()?.state == .active)
  }

  @Test
  func `of a subscription moves its running period and renewals, although they repeat the first token`() async throws {
    let shop = try shop(.transfer)
    var subscription = SubscriptionFixture(shop: shop)
    subscription.token = try await shop.order("monthly")
    shop.clock.advance(by: .days(35))
    for (uuid, period) in [("n1", subscription.period("9001", day: 0)), ("n2", subscription.period("9002", day: 30))] {
      try await subscription.receive(uuid, "DID_RENEW", about: period)
    }
    #expect(
      try await shop.submit(subscription.period("9002", day: 30, signed: 35), by: "bob", restoring: true).verdict
        == .fulfilled
    )
    #expect(try await shop.entitlement(of: "bob")?.until == SubscriptionFixture.day(60))
    #expect(try await shop.entitlement()?.state == .expired)
    #expect(try await shop.told(of: "9001") == ["created alice"])
    #expect(try await shop.told(of: "9002") == ["created alice", "reversed alice", "created bob"])
    shop.clock.advance(by: .days(30))
    try await subscription.receive("n3", "DID_RENEW", about: subscription.period("9003", day: 60))
    #expect(try await shop.entitlement(of: "bob")?.until == SubscriptionFixture.day(90))
    #expect(try await shop.told(of: "9003") == ["created bob"])
    // A new order of alice takes the subscription back from then on.
    subscription.token = try await shop.order("monthly")
    shop.clock.advance(by: .days(30))
    try await subscription.receive(
      "n4", "SUBSCRIBED", subtype: "RESUBSCRIBE", about: subscription.period("9004", day: 94))
    #expect(try await shop.entitlement()?.until == SubscriptionFixture.day(124))
    #expect(try await shop.violations() == [])
  }

  /// Alice's subscription from noon, after the notification of its first period.
  private func subscribed() async throws -> (subscription: SubscriptionFixture, first: String) {
    let shop = try shop(.transfer)
    var subscription = SubscriptionFixture(shop: shop)
    subscription.token = try await shop.order("monthly")
    let first = subscription.period("9001", day: 0)
    try await subscription.receive("n1", "SUBSCRIBED", about: first)
    return (subscription, first)
  }

  @Test func `of a subscription moves nothing that a third user has bought on it`() async throws {
    let bought = try await subscribed()
    var subscription = bought.subscription
    let shop = subscription.shop
    shop.clock.advance(by: .days(10))
    subscription.token = try await shop.order("monthly", of: "bob")
    try await subscription.receive(
      "n2", "DID_CHANGE_RENEWAL_PREF", subtype: "UPGRADE", about: subscription.period("9002", day: 10))
    #expect(try await shop.told(of: "9002") == ["created bob"])
    #expect(try await shop.submit(bought.first, by: "carol", restoring: true).verdict == .fulfilled)
    #expect(try await shop.told(of: "9001") == ["created alice", "reversed alice", "created carol"])
    #expect(try await shop.told(of: "9002") == ["created bob"])
    #expect(try await shop.entitlement(of: "bob")?.state == .active)
  }

  @Test func `of a subscription is possible once a day, with any of its periods`() async throws {
    let (subscription, first) = try await subscribed()
    let shop = subscription.shop
    shop.clock.advance(by: .days(29))
    #expect(try await shop.submit(first, by: "bob", restoring: true).verdict == .fulfilled)
    shop.clock.advance(by: .hours(3))
    let second = subscription.period("9002", day: 29.1)
    try await subscription.receive("n2", "DID_RENEW", about: second)
    #expect(try await shop.told(of: "9002") == ["created bob"])
    #expect(try await shop.submit(second, restoring: true).verdict == .fulfilledForAnother)
    #expect(try await shop.told(of: "9002") == ["created bob"])
    shop.clock.advance(by: .days(1))
    #expect(try await shop.submit(second, restoring: true).verdict == .fulfilled)
  }

  @Test func `of a subscription under share shows it to both, including its renewals`() async throws {
    let shop = try shop(.share)
    var subscription = SubscriptionFixture(shop: shop)
    subscription.token = try await shop.order("monthly")
    shop.clock.advance(by: .days(31))
    try await subscription.receive("n1", "SUBSCRIBED", about: subscription.period("9001", day: 0))
    #expect(
      try await shop.submit(subscription.period("9001", day: 0, signed: 31), by: "bob", restoring: true).verdict
        == .fulfilled)
    try await subscription.receive("n2", "DID_RENEW", about: subscription.period("9002", day: 30))
    #expect(try await shop.entitlement(of: "bob")?.until == SubscriptionFixture.day(60))
    #expect(try await shop.entitlement()?.until == SubscriptionFixture.day(60))
  }
}
