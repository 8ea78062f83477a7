import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

@Suite struct `Each row of Apple's table of notifications` {
  /// A shop with a subscription of alice, bought on day 0, without any notification yet.
  private func subscription(at day: Double) async throws -> SubscriptionFixture {
    let shop = try EngineFixture()
    var subscription = SubscriptionFixture(shop: shop)
    subscription.token = try await shop.order("monthly")
    shop.clock.advance(by: SubscriptionFixture.day(day) - EngineFixture.noon)
    return subscription
  }

  @Test(arguments: [
    "RENEWAL_EXTENSION", "RESCIND_CONSENT", "EXTERNAL_PURCHASE_TOKEN", "METADATA_UPDATE", "MIGRATION", "PRICE_CHANGE",
    "UNCLAIM_SEATS", "SOMETHING_NEW",
  ])
  func `without an effect here is stored, counted and grants nothing`(type: String) async throws {
    let subscription = try await subscription(at: 1)
    let receipt = try await subscription.receive("n1", type, about: subscription.period("9001", day: 0))
    #expect(receipt.effect == "kept" && receipt.isNew)
    #expect(try await !subscription.receive("n1", type, about: nil).isNew)
    #expect(try await subscription.shop.known("9001") == nil)
    #expect(
      subscription.shop.engine.metrics.value(
        .notificationsTotal,
        [("app", "shop"), ("type", type), ("effect", "kept"), ("environment", "simulated")]) == 1)
  }

  @Test(arguments: [("SUBSCRIBED", "INITIAL_BUY"), ("OFFER_REDEEMED", nil), ("DID_CHANGE_RENEWAL_PREF", "UPGRADE")])
  func `that begins a subscription grants its period to the order's user, once`(
    type: String, subtype: String?
  ) async throws {
    let subscription = try await subscription(at: 1)
    let order = try #require(subscription.token)
    for uuid in ["n1", "n1", "n2"] {
      try await subscription.receive(
        uuid, type, subtype: subtype, about: subscription.period("9001", day: 0),
        renewal: subscription.renewal(signed: 0))
    }
    let entitlement = try await subscription.shop.entitlement()
    #expect(
      entitlement?.state == .active && entitlement?.willRenew == true
        && entitlement?.until == SubscriptionFixture.day(30))
    #expect(entitlement?.renewsTo == "com.example.monthly")
    #expect(try await subscription.shop.told(of: "9001") == ["created alice"])
    #expect(try await subscription.shop.known("9001")?.order == order)
    #expect(try await subscription.shop.violations() == [])
  }

  @Test(arguments: [true, false])
  func `DID_RENEW grants the new period to the subscription's owner, with and without token`(named: Bool) async throws {
    let subscription = try await subscription(at: 31)
    try await subscription.receive(
      "n1", "SUBSCRIBED", subtype: "INITIAL_BUY", about: subscription.period("9001", day: 0))
    #expect(try await subscription.shop.entitlement()?.state == .expired)
    try await subscription.receive(
      "n2", "DID_RENEW", about: subscription.period("9002", day: 30, named: named),
      renewal: subscription.renewal(signed: 30))
    #expect(try await subscription.shop.entitlement()?.until == SubscriptionFixture.day(60))
    #expect(try await subscription.shop.known("9002")?.owner == "alice")
    #expect(try await subscription.shop.known("9002")?.match?.rule == .subscription)
  }

  @Test func `DID_RENEW without a known owner waits, and goes to the user that the first purchase names`() async throws
  {
    let subscription = try await subscription(at: 61)
    try await subscription.receive("n3", "DID_RENEW", about: subscription.period("9003", day: 60, named: false))
    try await subscription.receive(
      "n2", "DID_RENEW", subtype: "BILLING_RECOVERY", about: subscription.period("9002", day: 30, named: false))
    #expect(try await subscription.shop.known("9003")?.state == .unclaimed)
    try await subscription.receive(
      "n1", "SUBSCRIBED", subtype: "INITIAL_BUY", about: subscription.period("9001", day: 0))
    #expect(try await subscription.shop.known("9002")?.owner == "alice")
    #expect(try await subscription.shop.entitlement()?.until == SubscriptionFixture.day(90))
    #expect(try await subscription.shop.told(of: "9003") == ["created alice"])
    #expect(try await subscription.shop.violations() == [])
  }

  @Test func `DID_CHANGE_RENEWAL_STATUS changes the renewal status, not the paid period`() async throws {
    let subscription = try await subscription(at: 10)
    try await subscription.receive(
      "n1", "SUBSCRIBED", subtype: "INITIAL_BUY", about: subscription.period("9001", day: 0),
      renewal: subscription.renewal(signed: 0))
    let off = try await subscription.receive(
      "n2", "DID_CHANGE_RENEWAL_STATUS", subtype: "AUTO_RENEW_DISABLED",
      about: subscription.period("9001", day: 0, signed: 5),
      renewal: subscription.renewal(signed: 5, renews: false))
    #expect(off.effect == "applied")
    #expect(try await subscription.shop.entitlement()?.willRenew == false)
    #expect(try await subscription.shop.entitlement()?.state == .active)
    try await subscription.receive(
      "n3", "DID_CHANGE_RENEWAL_STATUS", subtype: "AUTO_RENEW_ENABLED",
      about: subscription.period("9001", day: 0, signed: 6),
      renewal: subscription.renewal(signed: 6))
    // Six days late: it contains nothing new.
    try await subscription.receive(
      "n4", "DID_CHANGE_RENEWAL_STATUS", subtype: "AUTO_RENEW_DISABLED",
      about: subscription.period("9001", day: 0, signed: 4),
      renewal: subscription.renewal(signed: 4, renews: false))
    #expect(try await subscription.shop.entitlement()?.willRenew == true)
  }

  @Test func `DID_CHANGE_RENEWAL_PREF DOWNGRADE names the next product, and leaves the running period`() async throws {
    let subscription = try await subscription(at: 10)
    try await subscription.receive(
      "n1", "SUBSCRIBED", about: subscription.period("9001", day: 0), renewal: subscription.renewal(signed: 0))
    try await subscription.receive(
      "n2", "DID_CHANGE_RENEWAL_PREF", subtype: "DOWNGRADE", about: subscription.period("9001", day: 0, signed: 5),
      renewal: subscription.renewal(signed: 5) { $0["autoRenewProductId"] = "com.example.smaller" })
    let entitlement = try await subscription.shop.entitlement()
    #expect(entitlement?.renewsTo == "com.example.smaller" && entitlement?.until == SubscriptionFixture.day(30))
  }

  @Test func `DID_FAIL_TO_RENEW with a grace period keeps the access, GRACE_PERIOD_EXPIRED ends it`() async throws {
    let subscription = try await subscription(at: 31)
    try await subscription.receive("n1", "SUBSCRIBED", about: subscription.period("9001", day: 0))
    try await subscription.receive(
      "n2", "DID_FAIL_TO_RENEW", subtype: "GRACE_PERIOD", about: subscription.period("9001", day: 0, signed: 30),
      renewal: subscription.renewal(signed: 30) {
        $0["isInBillingRetryPeriod"] = .bool(true)
        $0["gracePeriodExpiresDate"] = .integer(SubscriptionFixture.day(46).milliseconds)
        $0["expirationIntent"] = .integer(2)
      })
    #expect(try await subscription.shop.entitlement()?.state == .gracePeriod)
    #expect(try await subscription.shop.entitlement()?.gracePeriodExpiresDate == SubscriptionFixture.day(46))
    subscription.shop.clock.advance(by: .days(16))
    try await subscription.receive(
      "n3", "GRACE_PERIOD_EXPIRED", about: subscription.period("9001", day: 0, signed: 46),
      renewal: subscription.renewal(signed: 46) { $0["isInBillingRetryPeriod"] = .bool(true) })
    #expect(try await subscription.shop.entitlement()?.state == .billingRetry)
  }

  @Test func `DID_FAIL_TO_RENEW without a grace period ends the access, and BILLING_RECOVERY brings it back`()
    async throws
  {
    let subscription = try await subscription(at: 41)
    try await subscription.receive("n1", "SUBSCRIBED", about: subscription.period("9001", day: 0))
    try await subscription.receive(
      "n2", "DID_FAIL_TO_RENEW", about: subscription.period("9001", day: 0, signed: 30),
      renewal: subscription.renewal(signed: 30) { $0["isInBillingRetryPeriod"] = .bool(true) })
    #expect(try await subscription.shop.entitlement()?.state == .billingRetry)
    try await subscription.receive(
      "n3", "DID_RENEW", subtype: "BILLING_RECOVERY", about: subscription.period("9002", day: 40),
      renewal: subscription.renewal(signed: 40))
    #expect(try await subscription.shop.entitlement()?.state == .active)
  }

  @Test(arguments: [
    ("VOLUNTARY", 1, Entitlement.Reason.cancelled), ("BILLING_RETRY", 2, .billingError),
    ("PRICE_INCREASE", 3, .priceIncrease),
    ("PRODUCT_NOT_FOR_SALE", 4, .productUnavailable), ("", 5, .other),
  ])
  func `EXPIRED ends the access and states the reason`(
    subtype: String, intent: Int64, reason: Entitlement.Reason
  ) async throws {
    let subscription = try await subscription(at: 31)
    try await subscription.receive(
      "n1", "SUBSCRIBED", about: subscription.period("9001", day: 0), renewal: subscription.renewal(signed: 0))
    try await subscription.receive(
      "n2", "EXPIRED", subtype: subtype.isEmpty ? nil : subtype,
      about: subscription.period("9001", day: 0, signed: 30.5),
      renewal: subscription.renewal(signed: 30.5, renews: false) { $0["expirationIntent"] = .integer(intent) })
    let entitlement = try await subscription.shop.entitlement()
    #expect(entitlement?.state == .expired && entitlement?.reason == reason && entitlement?.willRenew == false)
    #expect(try await subscription.shop.told(of: "9001") == ["created alice"])
  }

  @Test func `SUBSCRIBED RESUBSCRIBE after an end gives access again to the subscription's owner`() async throws {
    let subscription = try await subscription(at: 101)
    try await subscription.receive(
      "n1", "SUBSCRIBED", subtype: "INITIAL_BUY", about: subscription.period("9001", day: 0))
    try await subscription.receive(
      "n2", "EXPIRED", subtype: "VOLUNTARY", about: subscription.period("9001", day: 0, signed: 31),
      renewal: subscription.renewal(signed: 31, renews: false) { $0["expirationIntent"] = .integer(1) })
    try await subscription.receive(
      "n3", "SUBSCRIBED", subtype: "RESUBSCRIBE", about: subscription.period("9002", day: 100, named: false),
      renewal: subscription.renewal(signed: 100)
    )
    let entitlement = try await subscription.shop.entitlement()
    #expect(entitlement?.state == .active && entitlement?.reason == nil && entitlement?.willRenew == true)
  }

  @Test func `DID_CHANGE_RENEWAL_PREF UPGRADE ends the entitlement of the former product at once`() async throws {
    let subscription = try await subscription(at: 11)
    try await subscription.receive("n1", "SUBSCRIBED", about: subscription.period("9001", day: 0))
    try await subscription.receive(
      "n2", "DID_CHANGE_RENEWAL_PREF", subtype: "UPGRADE",
      about: subscription.period("9001", day: 0, signed: 10) { $0["isUpgraded"] = .bool(true) })
    #expect(try await subscription.shop.entitlement()?.reason == .upgraded)
    #expect(try await subscription.shop.entitlement()?.state == .expired)
  }
}
