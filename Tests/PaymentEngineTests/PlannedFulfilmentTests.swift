import AppStoreIntegration
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import SQLiteDatabase
import ServerConfiguration
import ShopFixtures
import TestDatabases
import TestDoubles
import Testing

/// Fulfilments that run over a snapshot, before the writer takes them.
@Suite struct `A planned fulfilment` {
  private let storage: SQLiteInMemoryStorage

  init() throws {
    storage = try SQLiteInMemoryStorage(
      profile: .simulated, installationSecret: Array(repeating: 0x0A, count: 32), checksPlans: true)
  }

  /// A key that each of them reads and writes would let the second one run again on the writer, one after the other.
  @Test func `of one user does not outdate that of another payment of theirs`() async throws {
    let waiting = WaitingCount()
    let isGathering = SharedValue(false)
    var setup = EngineFixture.Setup()
    setup.database = SQLiteInMemoryDatabase(storage, batchMax: 16, now: { EngineFixture.noon }) { point in
      if point == .beforeRun, isGathering.value { await waiting.wait(for: 2) }
    }
    let app = try EngineFixture().app
    let settings = AppSettings(app, appStore: AppStoreAccess(identity: EngineFixture.identity))
    let shop = try EngineFixture(serving: [settings], setup)
    // With the first purchase the server notes the chain of certificates.
    _ = try await shop.submit(shop.transaction("1", token: shop.order()))
    let orders = [try await shop.order(), try await shop.order()]
    let bought = orders.enumerated().map { shop.transaction("\($0.offset + 2)", token: $0.element) }

    let before = storage.planCounts
    isGathering.value = true
    async let one = shop.submit(bought[0])
    async let other = shop.submit(bought[1])
    _ = try await (one, other)
    isGathering.value = false
    for order in orders {
      let details = try await shop.engine.readOrder(.id(order), in: shop.app.userEnvironments, of: nil)
      #expect(details.payment != nil)
    }
    let counts = storage.planCounts
    #expect(counts.outdated == before.outdated && counts.withoutPlan == before.withoutPlan)
    #expect(counts.applied == before.applied + 2)
  }
}
