import AppStoreIntegration
import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import StrictJSON
import Testing

/// Invariant 3.4: a catalog that names a wrong kind holds what is bought, and loses nothing of it.
@Suite struct `A purchase that is held for the kind of its product` {
  private static let premium = "com.example.premium"

  private func wrong() throws -> EngineFixture {
    try EngineFixture().changed {
      $0.edit("premium") {
        $0.kind = .nonRenewing
        $0.grant = .entitlement("premium", period: .days(30))
      }
    }
  }

  private func apps(_ shop: EngineFixture) throws -> AppDirectory { AppDirectory([try shop.changed { _ in }.app]) }

  private func buy(_ shop: EngineFixture, _ id: String, for order: OrderIdentifier? = nil) -> String {
    shop.transaction(id, of: Self.premium, token: order, type: "Non-Consumable")
  }

  @Test func `grants what the store sold, whatever the order copied, until the kind is corrected`() async throws {
    let shop = try wrong()
    let order = try await shop.order("premium")
    let answer = try await shop.submit(buy(shop, "1001", for: order))
    #expect(answer.verdict == .held && answer.reason == "productKindDiffers")
    #expect(try await shop.engine.reload(apps(shop)) == .taken(needRestart: []))
    let grant = try #require(try await shop.grant(of: "1001"))
    #expect(grant.promise.kind == .nonConsumable && grant.promise.rule == .entitlement("premium", period: nil))
    #expect(try await shop.known("1001")?.order == order)
    // The grant blocks nothing: the kind is the store's, and the next purchase is granted by it.
    #expect(try await shop.engine.reload(apps(shop)) == .taken(needRestart: []))
    #expect(try await shop.violations() == [])
  }

  @Test(arguments: [true, false])
  func `goes to its claimant once the kind is right, though no phone presents it again`(isToldFirst: Bool) async throws
  {
    let shop = try wrong()
    let evidence = buy(shop, "1001")
    if isToldFirst {
      let told = shop.notification("n1", about: evidence)
      _ = try await shop.engine.receiveAppStoreNotification(told, for: nil)
    }
    #expect(try await shop.submit(evidence).verdict == .held)
    #expect(try await shop.engine.reload(apps(shop)) == .taken(needRestart: []))
    #expect(try await shop.known("1001")?.owner == "alice")
    #expect(try await shop.violations() == [])
  }

  @Test func `stays its claimant's if another user presents copied evidence first`() async throws {
    let shop = try wrong()
    let copied = shop.transaction("1001", of: Self.premium, type: "Non-Consumable") { $0["deviceVerification"] = nil }
    #expect(try await shop.submit(copied, by: "mallory").verdict == .held)
    #expect(try await shop.submit(buy(shop, "1001")).verdict == .held)
    let entitlement = try shop.changed { _ in }
    #expect(try await entitlement.submit(copied, by: "mallory").verdict == .fulfilledForAnother)
    #expect(try await shop.known("1001")?.owner == "alice")
    #expect(try await shop.violations() == [])
  }
}
