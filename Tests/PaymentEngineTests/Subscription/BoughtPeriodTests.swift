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

@Suite struct `A bought period` {
  @Test func `extends the running end, by user and on every phone, and the backend receives that end`() async throws {
    let shop = try EngineFixture()
    for (id, days) in [("3001", 10.0), ("3002", 100.0)] {
      let order = try await shop.order("season")
      #expect(
        try await shop.submit(
          shop.transaction(id, of: "com.example.season", token: order, type: "Non-Renewing Subscription")
        ).verdict == .fulfilled)
      shop.clock.advance(by: .milliseconds(Int64(days * 86_400_000)))
    }
    // Bought on days 0 and 10, for 90 days each.
    #expect(try await shop.entitlement()?.until == SubscriptionFixture.day(180))
    #expect(try await shop.entitlement()?.state == .active)
    let told = try await shop.database.read { database in
      try ["3001", "3002"].flatMap { id in
        try database.deliveries(of: EngineFixture.key(id)).map { delivery in
          let body = try JSONReader.read(delivery.body.utf8)
          return body["entitlement"]?["expiresAt"]?.string
        }
      }
    }
    #expect(told == [SubscriptionFixture.day(90).iso8601, SubscriptionFixture.day(180).iso8601])
    #expect(try await shop.violations() == [])
  }

  @Test func `refunded shortens the end by its own length`() async throws {
    let shop = try EngineFixture()
    for id in ["3001", "3002"] {
      let order = try await shop.order("season")
      _ = try await shop.submit(
        shop.transaction(id, of: "com.example.season", token: order, type: "Non-Renewing Subscription"))
      shop.clock.advance(by: .days(10))
    }
    let now = shop.now().milliseconds
    let refunded = shop.transaction("3001", of: "com.example.season", type: "Non-Renewing Subscription") {
      $0["purchaseDate"] = .integer(EngineFixture.noon.milliseconds)
      $0["revocationDate"] = .integer(now)
    }
    _ = try await shop.engine.receiveAppStoreNotification(shop.notification("n1", "REFUND", about: refunded), for: nil)
    #expect(try await shop.entitlement()?.until == SubscriptionFixture.day(100))
  }
}
