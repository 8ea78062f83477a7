import AppStoreIntegration
import AppStoreProtocol
import AppStoreSimulator
import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

@Suite struct `Notifications that an earlier version stored without an effect` {
  /// The behaviour of an earlier version: the notification was verified and stored, not applied.
  private func keep(_ subscription: SubscriptionFixture, _ uuid: String, type: String, body: [UInt8]) async throws {
    let signed = try #require(try JSONReader.read(body)["signedPayload"]?.string)
    let now = subscription.shop.now()
    _ = await subscription.shop.database.transact { transaction in
      try transaction.insert(
        ReceivedNotification(
          appEnvironment: EngineFixture.appEnvironment, id: uuid, type: type, subtype: nil, signedDate: now,
          transaction: "9001",
          signedPayload: signed,
          receivedAt: now, effect: .kept))
    }
  }

  private func subscription() async throws -> SubscriptionFixture {
    var subscription = SubscriptionFixture(shop: try EngineFixture())
    subscription.token = try await subscription.shop.order("monthly")
    subscription.shop.clock.advance(by: .days(20))
    return subscription
  }

  @Test func `take effect once, by what Apple signed and when, in any order of storage`() async throws {
    let subscription = try await subscription()
    let refund = subscription.period("9001", day: 0, signed: 9) {
      $0["revocationDate"] = .integer(SubscriptionFixture.day(9).milliseconds)
    }
    try await keep(subscription, "a", type: "REFUND", body: subscription.notification("a", "REFUND", about: refund))
    try await keep(
      subscription, "b", type: "SUBSCRIBED",
      body: subscription.notification(
        "b", "SUBSCRIBED", about: subscription.period("9001", day: 0), renewal: subscription.renewal(signed: 0)))
    try await keep(
      subscription, "c", type: "METADATA_UPDATE", body: subscription.notification("c", "METADATA_UPDATE", about: nil))
    try await subscription.shop.engine.applyKeptNotifications()
    #expect(try await subscription.shop.entitlement()?.state.givesAccess != true)
    #expect(try await subscription.shop.known("9001")?.facts.revocation != nil)
    func effect(_ id: String) async throws -> ReceivedNotification.Effect? {
      try await subscription.shop.database.read { try $0.notification(id, in: EngineFixture.appEnvironment)?.effect }
    }
    #expect(try await effect("a") == .applied)
    #expect(try await effect("b") == .applied)
    #expect(try await effect("c") == .kept)
    // They were applied once: notifications stored from now on belong to this version.
    try await keep(subscription, "d", type: "REFUND", body: subscription.notification("d", "REFUND", about: refund))
    try await subscription.shop.engine.applyKeptNotifications()
    #expect(try await effect("d") == .kept)
    #expect(try await subscription.shop.violations() == [])
  }

  @Test func `stay stored if they do not verify any more, and the others take effect`() async throws {
    let subscription = try await subscription()
    try await keep(subscription, "a", type: "SUBSCRIBED", body: JSONValue.members([("signedPayload", "x.y.z")]).bytes)
    try await keep(
      subscription, "b", type: "SUBSCRIBED",
      body: subscription.notification("b", "SUBSCRIBED", about: subscription.period("9001", day: 0)))
    try await subscription.shop.engine.applyKeptNotifications()
    #expect(try await subscription.shop.entitlement()?.state == .active)
    #expect(
      try await subscription.shop.database.read { try $0.notification("a", in: EngineFixture.appEnvironment)?.effect }
        == .kept)
  }

  @Test func `still state the renewal status if Apple must confirm the purchase`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let order = try await fixture.order("monthly")
      let originalTransaction = try await fixture.buy("com.example.monthly", token: order)
      try await fixture.apple.subscriptions.setAutoRenew(originalTransaction, to: false)
      let told = try #require(await fixture.apple.notifications().last)
      #expect(told.renewalInfo != nil && told.facts.transaction == originalTransaction)
      let payload = try await fixture.apple.signedPayload(of: told.facts.uuid)
      let now = fixture.now()
      _ = await fixture.database.transact { transaction in
        try transaction.insert(
          ReceivedNotification(
            appEnvironment: EngineFixture.appEnvironment, id: told.facts.uuid.text,
            type: told.facts.type.rawValue, subtype: nil,
            signedDate: now, transaction: originalTransaction, signedPayload: payload, receivedAt: now, effect: .kept))
      }
    }
    fixture.world.run(for: .days(2))
    try fixture.perform { fixture async throws in
      try await fixture.engine.applyKeptNotifications()
      #expect(fixture.calls.count("/inApps/") > 0)
      let entitlement = try await fixture.engine.readEntitlements(of: "alice", in: EngineFixture.appEnvironment)
        .first
      #expect(entitlement?.state == .active)
      #expect(entitlement?.willRenew == false)
    }
  }
}
