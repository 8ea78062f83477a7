import AppStoreIntegration
import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Synchronization
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

  @Test func `names what holds it now, once the kind is right: its Apple account is another user's`() async throws {
    let shop = try wrong()
    let account: (inout [String: JSONValue]) -> Void = { $0["appTransactionId"] = "704000000000000001" }
    let order = try await shop.order(of: "bob")
    #expect(try await shop.submit(shop.transaction("1000", token: order, account), by: "bob").verdict == .fulfilled)
    let evidence = shop.transaction("1001", of: Self.premium, type: "Non-Consumable", account)
    #expect(try await shop.submit(evidence).reason == "productKindDiffers")
    #expect(try await shop.engine.reload(apps(shop)) == .taken(needRestart: []))
    #expect(try await shop.known("1001")?.state == .held(.accountOfAnotherUser))
    #expect(try await shop.violations() == [])
  }

  /// Nobody may ever present it again: its phone has finished it.
  @Test func `is decided again until the database can be read, if the reload could not`() throws {
    let world = SimulatedWorld(seed: 1)
    let process = SimulatedProcess("server", number: 1, in: world)
    // The reads since the reload began: the first compares the catalog with what was promised.
    let reads = Mutex<Int?>(nil)
    let faults = DatabaseFaults(read: {
      reads.withLock { count in
        guard let number = count else { return nil }
        count = number + 1
        return (1...3).contains(number) ? .unavailable : nil
      }
    })
    let right = try EngineFixture().app
    var products = EngineFixture.products
    products.edit("premium") {
      $0.kind = .nonRenewing
      $0.grant = .entitlement("premium", period: .days(30))
    }
    let catalog = try Catalog(products)
    let shop = try EngineFixture({ $0.catalog = catalog }, faults: faults, in: process)
    process.spawn { await shop.engine.run() }
    // What is held at the start is decided then.
    world.run(for: .seconds(1))
    let evidence = buy(shop, "1001")
    let (verdict, outcome, looked) = try world.perform(in: process) {
      let verdict = try await shop.submit(evidence).verdict
      reads.withLock { $0 = 0 }
      let outcome = try await shop.engine.reload(AppDirectory([right]))
      return (verdict, outcome, reads.withLock { $0 ?? 0 })
    }
    #expect(verdict == .held && outcome == .taken(needRestart: []))
    #expect(looked >= 2, "the reload could not read what is held")
    world.run(for: .minutes(10))
    let owner = try world.perform(in: process) { try await shop.known("1001")?.owner }
    #expect(owner == "alice")
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
