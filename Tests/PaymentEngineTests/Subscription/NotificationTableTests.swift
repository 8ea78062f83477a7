import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import SimulationKit
import StrictJSON
import Testing

@Suite struct `Each row of Apple's table of notifications` {
  /// A shop with a subscription of alice, bought on day 0, without any notification yet.
  private func story(at day: Double) async throws -> SubscriptionStory {
    let shop = try Shop()
    var story = SubscriptionStory(shop: shop)
    story.token = try await shop.order("monthly")
    shop.clock.advance(by: SubscriptionStory.day(day) - Shop.noon)
    return story
  }

  @Test(arguments: [
    "RENEWAL_EXTENSION", "RESCIND_CONSENT", "EXTERNAL_PURCHASE_TOKEN", "METADATA_UPDATE", "MIGRATION", "PRICE_CHANGE",
    "UNCLAIM_SEATS", "SOMETHING_NEW",
  ])
  func `without an effect here is stored, counted and grants nothing`(type: String) async throws {
    let story = try await story(at: 1)
    let receipt = try await story.receive("n1", type, about: story.period("9001", day: 0))
    #expect(receipt.effect == "kept" && receipt.isNew)
    #expect(try await !story.receive("n1", type, about: nil).isNew)
    #expect(try await story.shop.known("9001") == nil)
    #expect(
      story.shop.engine.metrics.counter(
        "counterfoil_notifications_total", [("type", type), ("effect", "kept"), ("environment", "simulated")]) == 1)
  }

  @Test(arguments: [("SUBSCRIBED", "INITIAL_BUY"), ("OFFER_REDEEMED", nil), ("DID_CHANGE_RENEWAL_PREF", "UPGRADE")])
  func `that begins a subscription grants its period to the order's user, once`(
    type: String, subtype: String?
  ) async throws {
    let story = try await story(at: 1)
    let order = try #require(story.token)
    for uuid in ["n1", "n1", "n2"] {
      try await story.receive(uuid, type, subtype, about: story.period("9001", day: 0), story.renewal(signed: 0))
    }
    let right = try await story.shop.right()
    #expect(right?.state == .active && right?.willRenew == true && right?.until == SubscriptionStory.day(30))
    #expect(right?.renewsTo == "com.example.monthly")
    #expect(try await story.shop.told(of: "9001") == ["created alice"])
    #expect(try await story.shop.known("9001")?.order == order)
    #expect(try await story.shop.violations() == [])
  }

  @Test(arguments: [true, false])
  func `DID_RENEW grants the new period to the subscription's owner, with and without token`(named: Bool) async throws {
    let story = try await story(at: 31)
    try await story.receive("n1", "SUBSCRIBED", "INITIAL_BUY", about: story.period("9001", day: 0))
    #expect(try await story.shop.right()?.state == .expired)
    try await story.receive(
      "n2", "DID_RENEW", about: story.period("9002", day: 30, named: named), story.renewal(signed: 30))
    #expect(try await story.shop.right()?.until == SubscriptionStory.day(60))
    #expect(try await story.shop.known("9002")?.owner == "alice")
    #expect(try await story.shop.known("9002")?.match?.rule == .line)
  }

  @Test func `DID_RENEW without a known owner waits, and goes to the user that the first purchase names`() async throws
  {
    let story = try await story(at: 61)
    try await story.receive("n3", "DID_RENEW", about: story.period("9003", day: 60, named: false))
    try await story.receive("n2", "DID_RENEW", "BILLING_RECOVERY", about: story.period("9002", day: 30, named: false))
    #expect(try await story.shop.known("9003")?.state == .unclaimed)
    try await story.receive("n1", "SUBSCRIBED", "INITIAL_BUY", about: story.period("9001", day: 0))
    #expect(try await story.shop.known("9002")?.owner == "alice")
    #expect(try await story.shop.right()?.until == SubscriptionStory.day(90))
    #expect(try await story.shop.told(of: "9003") == ["created alice"])
    #expect(try await story.shop.violations() == [])
  }

  @Test func `DID_CHANGE_RENEWAL_STATUS changes the renewal status, not the paid period`() async throws {
    let story = try await story(at: 10)
    try await story.receive(
      "n1", "SUBSCRIBED", "INITIAL_BUY", about: story.period("9001", day: 0), story.renewal(signed: 0))
    let off = try await story.receive(
      "n2", "DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", about: story.period("9001", day: 0, signed: 5),
      story.renewal(signed: 5, renews: false))
    #expect(off.effect == "applied")
    #expect(try await story.shop.right()?.willRenew == false)
    #expect(try await story.shop.right()?.state == .active)
    try await story.receive(
      "n3", "DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED", about: story.period("9001", day: 0, signed: 6),
      story.renewal(signed: 6))
    // Six days late: it contains nothing new.
    try await story.receive(
      "n4", "DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", about: story.period("9001", day: 0, signed: 4),
      story.renewal(signed: 4, renews: false))
    #expect(try await story.shop.right()?.willRenew == true)
  }

  @Test func `DID_CHANGE_RENEWAL_PREF DOWNGRADE names the next product, and leaves the running period`() async throws {
    let story = try await story(at: 10)
    try await story.receive("n1", "SUBSCRIBED", about: story.period("9001", day: 0), story.renewal(signed: 0))
    try await story.receive(
      "n2", "DID_CHANGE_RENEWAL_PREF", "DOWNGRADE", about: story.period("9001", day: 0, signed: 5),
      story.renewal(signed: 5) { $0["autoRenewProductId"] = "com.example.smaller" })
    let right = try await story.shop.right()
    #expect(right?.renewsTo == "com.example.smaller" && right?.until == SubscriptionStory.day(30))
  }

  @Test func `DID_FAIL_TO_RENEW with a grace period keeps the access, GRACE_PERIOD_EXPIRED ends it`() async throws {
    let story = try await story(at: 31)
    try await story.receive("n1", "SUBSCRIBED", about: story.period("9001", day: 0))
    try await story.receive(
      "n2", "DID_FAIL_TO_RENEW", "GRACE_PERIOD", about: story.period("9001", day: 0, signed: 30),
      story.renewal(signed: 30) {
        $0["isInBillingRetryPeriod"] = .bool(true)
        $0["gracePeriodExpiresDate"] = .integer(SubscriptionStory.day(46).milliseconds)
        $0["expirationIntent"] = .integer(2)
      })
    #expect(try await story.shop.right()?.state == .gracePeriod)
    #expect(try await story.shop.right()?.gracePeriodExpiresDate == SubscriptionStory.day(46))
    story.shop.clock.advance(by: .days(16))
    try await story.receive(
      "n3", "GRACE_PERIOD_EXPIRED", about: story.period("9001", day: 0, signed: 46),
      story.renewal(signed: 46) { $0["isInBillingRetryPeriod"] = .bool(true) })
    #expect(try await story.shop.right()?.state == .billingRetry)
  }

  @Test func `DID_FAIL_TO_RENEW without a grace period ends the access, and BILLING_RECOVERY brings it back`()
    async throws
  {
    let story = try await story(at: 41)
    try await story.receive("n1", "SUBSCRIBED", about: story.period("9001", day: 0))
    try await story.receive(
      "n2", "DID_FAIL_TO_RENEW", about: story.period("9001", day: 0, signed: 30),
      story.renewal(signed: 30) { $0["isInBillingRetryPeriod"] = .bool(true) })
    #expect(try await story.shop.right()?.state == .billingRetry)
    try await story.receive(
      "n3", "DID_RENEW", "BILLING_RECOVERY", about: story.period("9002", day: 40), story.renewal(signed: 40))
    #expect(try await story.shop.right()?.state == .active)
  }

  @Test(arguments: [
    ("VOLUNTARY", 1, Entitlement.Reason.cancelled), ("BILLING_RETRY", 2, .billingError),
    ("PRICE_INCREASE", 3, .priceIncrease),
    ("PRODUCT_NOT_FOR_SALE", 4, .productUnavailable), ("", 5, .other),
  ])
  func `EXPIRED ends the access and states the reason`(
    subtype: String, intent: Int64, reason: Entitlement.Reason
  ) async throws {
    let story = try await story(at: 31)
    try await story.receive("n1", "SUBSCRIBED", about: story.period("9001", day: 0), story.renewal(signed: 0))
    try await story.receive(
      "n2", "EXPIRED", subtype.isEmpty ? nil : subtype, about: story.period("9001", day: 0, signed: 30.5),
      story.renewal(signed: 30.5, renews: false) { $0["expirationIntent"] = .integer(intent) })
    let right = try await story.shop.right()
    #expect(right?.state == .expired && right?.reason == reason && right?.willRenew == false)
    #expect(try await story.shop.told(of: "9001") == ["created alice"])
  }

  @Test func `SUBSCRIBED RESUBSCRIBE after an end gives access again to the subscription's owner`() async throws {
    let story = try await story(at: 101)
    try await story.receive("n1", "SUBSCRIBED", "INITIAL_BUY", about: story.period("9001", day: 0))
    try await story.receive(
      "n2", "EXPIRED", "VOLUNTARY", about: story.period("9001", day: 0, signed: 31),
      story.renewal(signed: 31, renews: false) { $0["expirationIntent"] = .integer(1) })
    try await story.receive(
      "n3", "SUBSCRIBED", "RESUBSCRIBE", about: story.period("9002", day: 100, named: false), story.renewal(signed: 100)
    )
    let right = try await story.shop.right()
    #expect(right?.state == .active && right?.reason == nil && right?.willRenew == true)
  }

  @Test func `DID_CHANGE_RENEWAL_PREF UPGRADE ends the entitlement of the former product at once`() async throws {
    let story = try await story(at: 11)
    try await story.receive("n1", "SUBSCRIBED", about: story.period("9001", day: 0))
    try await story.receive(
      "n2", "DID_CHANGE_RENEWAL_PREF", "UPGRADE",
      about: story.period("9001", day: 0, signed: 10) { $0["isUpgraded"] = .bool(true) })
    #expect(try await story.shop.right()?.reason == .upgraded)
    #expect(try await story.shop.right()?.state == .expired)
  }
}
