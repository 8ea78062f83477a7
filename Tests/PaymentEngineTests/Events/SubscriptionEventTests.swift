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

/// Which events follow which notification of Apple's: docs/events.md has the same table.
@Suite struct `Of a subscription` {
  private static func subscription(at day: Double = 100) async throws -> SubscriptionFixture {
    let shop = try EngineFixture { $0.events = true }
    var subscription = SubscriptionFixture(shop: shop)
    subscription.token = try await shop.order("monthly")
    shop.clock.advance(by: SubscriptionFixture.day(day) - EngineFixture.noon)
    try await subscription.receive(
      "n0", "SUBSCRIBED", subtype: "INITIAL_BUY", about: subscription.period("9001", day: 0, Self.priced),
      renewal: subscription.renewal(signed: 0))
    return subscription
  }

  private static func priced(_ payload: inout [String: JSONValue]) {
    (payload["price"], payload["currency"], payload["storefront"]) = (.integer(18_000), "CNY", "CHN")
  }

  /// What a notification adds, although it comes twice.
  private static func told(
    _ subscription: SubscriptionFixture, _ type: String, _ subtype: String? = nil, about transaction: String,
    renewal: String? = nil
  ) async throws -> [JSONValue] {
    let before = try await subscription.shop.events().count
    for uuid in ["n1", "n1", "n2"] {
      try await subscription.receive(uuid, type, subtype: subtype, about: transaction, renewal: renewal)
    }
    return Array(try await subscription.shop.events().dropFirst(before))
  }

  private static func types(_ events: [JSONValue]) -> [String] { events.compactMap { $0["type"]?.string } }

  @Test func `the first period is told with its price and its end, and that it renews`() async throws {
    let subscription = try await Self.subscription()
    let events = try await subscription.shop.events()
    #expect(Self.types(events) == ["subscription.purchased", "subscription.renewalTurnedOn"])
    #expect(events[0]["price"]?["milliunits"]?.integer == 18_000 && events[0]["storefront"] == "CHN")
    #expect(events[0]["expiresDate"]?.string == SubscriptionFixture.day(30).iso8601)
    #expect(events.allSatisfy { $0["userId"] == "alice" && $0["productId"] == "monthly" })
    #expect(events[1]["renewal"]?["willRenew"]?.bool == true)
  }

  @Test func `DID_RENEW tells the renewal with its price, once`() async throws {
    let subscription = try await Self.subscription()
    let events = try await Self.told(
      subscription, "DID_RENEW", about: subscription.period("9002", day: 30, Self.priced),
      renewal: subscription.renewal(signed: 30))
    #expect(Self.types(events) == ["subscription.renewed"])
    #expect(events[0]["price"]?["milliunits"]?.integer == 18_000 && events[0]["transactionId"] == "9002")
    #expect(events[0]["originalTransactionId"] == "9001" && events[0]["userId"] == "alice")
  }

  @Test func `DID_CHANGE_RENEWAL_STATUS tells that it ends with its period, and that it renews again`() async throws {
    let subscription = try await Self.subscription()
    let off = try await Self.told(
      subscription, "DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED",
      about: subscription.period("9001", day: 0, signed: 5, Self.priced),
      renewal: subscription.renewal(signed: 5, renews: false))
    #expect(Self.types(off) == ["subscription.renewalTurnedOff"])
    let before = try await subscription.shop.events().count
    try await subscription.receive(
      "n9", "DID_CHANGE_RENEWAL_STATUS", about: subscription.period("9001", day: 0, signed: 6, Self.priced),
      renewal: subscription.renewal(signed: 6))
    // What is older than what is known tells nothing.
    try await subscription.receive(
      "n10", "DID_CHANGE_RENEWAL_STATUS", about: subscription.period("9001", day: 0, signed: 4, Self.priced),
      renewal: subscription.renewal(signed: 4, renews: false))
    let later = Array(try await subscription.shop.events().dropFirst(before))
    #expect(Self.types(later) == ["subscription.renewalTurnedOn"])
  }

  @Test func `RENEWAL_EXTENDED tells the new end of the period`() async throws {
    let subscription = try await Self.subscription()
    let extended = subscription.period("9001", day: 0, signed: 5) {
      Self.priced(&$0)
      $0["expiresDate"] = .integer(SubscriptionFixture.day(40).milliseconds)
    }
    let events = try await Self.told(subscription, "RENEWAL_EXTENDED", about: extended)
    #expect(Self.types(events) == ["subscription.periodChanged"])
    #expect(events[0]["expiresDate"]?.string == SubscriptionFixture.day(40).iso8601)
  }

  @Test func `DID_CHANGE_RENEWAL_PREF tells the next plan`() async throws {
    let subscription = try await Self.subscription()
    let events = try await Self.told(
      subscription, "DID_CHANGE_RENEWAL_PREF", "DOWNGRADE",
      about: subscription.period("9001", day: 0, signed: 5, Self.priced),
      renewal: subscription.renewal(signed: 5) { $0["autoRenewProductId"] = "com.example.smaller" })
    #expect(Self.types(events) == ["subscription.planChanged"])
    #expect(events[0]["renewal"]?["renewsToStoreProductId"] == "com.example.smaller")
  }

  @Test func `DID_FAIL_TO_RENEW tells billing retry and the grace period, and a renewal the recovery`() async throws {
    let subscription = try await Self.subscription()
    let grace = SubscriptionFixture.day(46)
    let failed = try await Self.told(
      subscription, "DID_FAIL_TO_RENEW", "GRACE_PERIOD",
      about: subscription.period("9001", day: 0, signed: 30, Self.priced),
      renewal: subscription.renewal(signed: 30) {
        $0["isInBillingRetryPeriod"] = .bool(true)
        $0["gracePeriodExpiresDate"] = .integer(grace.milliseconds)
      })
    #expect(Self.types(failed) == ["subscription.billingRetryBegan", "subscription.gracePeriodBegan"])
    #expect(failed[1]["renewal"]?["gracePeriodExpiresDate"]?.string == grace.iso8601)
    let before = try await subscription.shop.events().count
    try await subscription.receive(
      "n9", "DID_RENEW", subtype: "BILLING_RECOVERY", about: subscription.period("9002", day: 40, Self.priced),
      renewal: subscription.renewal(signed: 40))
    let recovered = Array(try await subscription.shop.events().dropFirst(before))
    #expect(Self.types(recovered) == ["subscription.renewed", "subscription.billingRecovered"])
  }

  @Test(arguments: [true, false])
  func `GRACE_PERIOD_EXPIRED tells nothing: its moment was told when it began`(statesGrace: Bool) async throws {
    let subscription = try await Self.subscription()
    func failed(signed day: Double, grace: Bool) -> String {
      subscription.renewal(signed: day) {
        $0["isInBillingRetryPeriod"] = .bool(true)
        if grace { $0["gracePeriodExpiresDate"] = .integer(SubscriptionFixture.day(46).milliseconds) }
      }
    }
    try await subscription.receive(
      "n8", "DID_FAIL_TO_RENEW", subtype: "GRACE_PERIOD",
      about: subscription.period("9001", day: 0, signed: 30, Self.priced), renewal: failed(signed: 30, grace: true))
    let events = try await Self.told(
      subscription, "GRACE_PERIOD_EXPIRED", about: subscription.period("9001", day: 0, signed: 46, Self.priced),
      renewal: failed(signed: 46, grace: statesGrace))
    #expect(Self.types(events) == [])
    #expect(try await subscription.shop.eventTypes().last == "subscription.gracePeriodBegan")
  }

  @Test func `EXPIRED tells the end and its cause, also without the transaction`() async throws {
    let subscription = try await Self.subscription()
    let before = try await subscription.shop.events().count
    try await subscription.receive(
      "n9", "EXPIRED", subtype: "VOLUNTARY", about: nil,
      renewal: subscription.renewal(signed: 30, renews: false) { $0["expirationIntent"] = .integer(1) })
    let events = Array(try await subscription.shop.events().dropFirst(before))
    #expect(Self.types(events) == ["subscription.renewalTurnedOff", "subscription.expired"])
    #expect(events[1]["renewal"]?["expiration"] == "cancelled" && events[1]["userId"] == "alice")
  }

  @Test func `PRICE_INCREASE tells the question with its price, and the consent`() async throws {
    let subscription = try await Self.subscription()
    func increase(_ status: Int64, day: Double) async throws -> [JSONValue] {
      let before = try await subscription.shop.events().count
      try await subscription.receive(
        "p\(status)", "PRICE_INCREASE", about: subscription.period("9001", day: 0, signed: day, Self.priced),
        renewal: subscription.renewal(signed: day) {
          $0["priceIncreaseStatus"] = .integer(status)
          ($0["renewalPrice"], $0["currency"]) = (.integer(25_000), "CNY")
        })
      return Array(try await subscription.shop.events().dropFirst(before))
    }
    let asked = try await increase(0, day: 5)
    #expect(Self.types(asked) == ["subscription.priceIncreaseAsked"])
    #expect(asked[0]["renewal"]?["renewalPrice"]?["milliunits"]?.integer == 25_000)
    #expect(Self.types(try await increase(1, day: 6)) == ["subscription.priceIncreaseAccepted"])
  }

  @Test func `OFFER_REDEEMED tells the offer with its first period, not with the next of the same`() async throws {
    let subscription = try await Self.subscription()
    func offered(_ payload: inout [String: JSONValue]) {
      Self.priced(&payload)
      (payload["offerType"], payload["offerIdentifier"]) = (.integer(2), "winter")
      (payload["offerDiscountType"], payload["offerPeriod"]) = ("PAY_AS_YOU_GO", "P1M")
    }
    let first = try await Self.told(
      subscription, "OFFER_REDEEMED", about: subscription.period("9002", day: 30, offered),
      renewal: subscription.renewal(signed: 30))
    #expect(Self.types(first) == ["subscription.renewed", "offer.redeemed"])
    let offer = try #require(first[1]["offer"])
    #expect(offer["type"] == "promotional" && offer["id"] == "winter" && offer["discountType"] == "PAY_AS_YOU_GO")
    let before = try await subscription.shop.events().count
    try await subscription.receive("n9", "DID_RENEW", about: subscription.period("9003", day: 60, offered))
    let next = Array(try await subscription.shop.events().dropFirst(before))
    #expect(Self.types(next) == ["subscription.renewed"] && next[0]["offer"]?["id"] == "winter")
  }

  @Test func `REFUND_DECLINED tells that the refund was declined, once for each notification`() async throws {
    let subscription = try await Self.subscription()
    let period = subscription.period("9001", day: 0, Self.priced)
    let before = try await subscription.shop.events().count
    for uuid in ["n1", "n1"] { try await subscription.receive(uuid, "REFUND_DECLINED", about: period) }
    let events = Array(try await subscription.shop.events().dropFirst(before))
    #expect(Self.types(events) == ["refund.declined"])
    #expect(events[0]["transactionId"] == "9001" && events[0]["price"] != nil)
  }
}
