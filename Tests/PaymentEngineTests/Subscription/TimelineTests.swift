import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

@Suite struct `The timeline of a subscription` {
  @Test func `shows its beginning, each renewal, its switch-off, and each of its ends`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order("monthly")
    var subscription = SubscriptionFixture(shop: shop)
    subscription.token = order
    func pass(to day: Double) { shop.clock.advance(by: SubscriptionFixture.day(day) - shop.now()) }
    func voluntary(_ payload: inout [String: JSONValue]) { payload["expirationIntent"] = .integer(1) }
    let first = subscription.period("9001", day: 0)
    try await subscription.receive(
      "n1", "SUBSCRIBED", subtype: "INITIAL_BUY", about: first, renewal: subscription.renewal(signed: 0))
    pass(to: 30)
    let second = subscription.period("9002", day: 30)
    try await subscription.receive("n2", "DID_RENEW", about: second, renewal: subscription.renewal(signed: 30))
    pass(to: 40)
    try await subscription.receive(
      "n3", "DID_CHANGE_RENEWAL_STATUS", subtype: "AUTO_RENEW_DISABLED", about: second,
      renewal: subscription.renewal(signed: 40, renews: false))
    pass(to: 61)
    try await subscription.receive(
      "n4", "EXPIRED", subtype: "VOLUNTARY", about: second,
      renewal: subscription.renewal(signed: 61, renews: false, voluntary))
    pass(to: 70)
    // The user comes back; no renewal information arrives until it ends again, for the same reason.
    _ = try await shop.submit(subscription.period("9003", day: 70) { $0["transactionReason"] = "PURCHASE" })
    pass(to: 101)
    try await subscription.receive(
      "n5", "EXPIRED", subtype: "VOLUNTARY", about: subscription.period("9003", day: 70),
      renewal: subscription.renewal(signed: 101, renews: false, voluntary))
    // A repeat of the same end is not another end.
    pass(to: 102)
    try await subscription.receive(
      "n6", "EXPIRED", subtype: "VOLUNTARY", about: nil,
      renewal: subscription.renewal(signed: 102, renews: false, voluntary))
    let entries = try await shop.database.read { database in
      let order = try #require(try database.order(OrderKey(appEnvironment: EngineFixture.appEnvironment, id: order)))
      return try OrderTimeline.entries(of: order, in: database)
    }
    let told = [
      "order.created", "line.began", "line.renewed", "line.endsWithItsPeriod", "line.expired", "line.periodAdded",
    ]
    #expect(
      entries.map(\.what).filter { told.contains($0) } == told + ["line.expired"], "\(entries.map(\.what))")
    #expect(entries.map(\.at) == entries.map(\.at).sorted())
    let renewed = entries.first { $0.what == "line.renewed" }
    #expect(renewed?.payment == EngineFixture.key("9002"))
    #expect(renewed?.details.contains(SubscriptionFixture.day(60).iso8601) == true)
    #expect(try await shop.violations() == [])
  }

  @Test func `is the order's own if there is no subscription`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order()
    _ = try await shop.submit(shop.transaction("1001", token: order))
    let entries = try await shop.database.read { database in
      let order = try #require(try database.order(OrderKey(appEnvironment: EngineFixture.appEnvironment, id: order)))
      return try OrderTimeline.entries(of: order, in: database)
    }
    #expect(entries.first?.what == "order.created" && entries.contains { $0.what == "payment.fulfilled" })
    #expect(entries.allSatisfy { !$0.what.hasPrefix("line.") })
    #expect(Set(entries).count == entries.count)
  }
}
