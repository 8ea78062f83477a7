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

@Suite struct `An app that only observes` {
  private static let appEnvironment = EngineFixture.appEnvironment

  private static func observing(_ storage: InMemoryStorage? = nil) throws -> EngineFixture {
    try EngineFixture({ $0.mode = .observe }, storage: storage)
  }

  /// The live app, which delivers from an hour after noon, over the observed purchases.
  private static func live(after observed: EngineFixture) throws -> EngineFixture {
    let shop = try EngineFixture({ $0.deliverFrom = EngineFixture.noon + .hours(1) }, storage: observed.storage)
    shop.clock.advance(by: .hours(2))
    return shop
  }

  private static func key(_ id: String) -> PaymentKey {
    PaymentKey(app: "shop", store: .appStore, environment: .simulated, transaction: TransactionIdentifier(id))
  }

  private func deliveries(_ shop: EngineFixture) async throws -> Int {
    try await shop.engine.listDeliveries(DeliveryQuery(appEnvironment: Self.appEnvironment, selection: .all, limit: 99))
      .count
  }

  @Test func `grants nothing, delivers nothing, and lets no client finish anything`() async throws {
    let shop = try Self.observing()
    let order = try await shop.order()
    let bought = try await shop.submit(shop.transaction("1001", token: order))
    #expect(bought.verdict == .imported && !bought.finish && bought.order == order)
    let claimed = try await shop.submit(shop.transaction("1002"))
    #expect(claimed.verdict == .imported && !claimed.finish)
    // The earlier system may know a product that this catalog lacks: its client must still find the transaction.
    let unknown = try await shop.submit(shop.transaction("1003", of: "com.example.unknown"))
    #expect(unknown.verdict == .held && !unknown.finish)
    _ = try await shop.engine.receiveAppStoreNotification(
      shop.notification("n1", about: shop.transaction("1004")), for: nil)
    #expect(try await shop.coins() == 0)
    #expect(try await deliveries(shop) == 0)
    #expect(try await shop.violations() == [])
  }

  @Test func `grants nothing by an operator's claim either`() async throws {
    let shop = try Self.observing()
    _ = try await shop.submit(shop.transaction("1003", of: "com.example.unknown"))
    do {
      _ = try await shop.engine.claimUnclaimedPayment(Self.key("1003"), for: "alice", by: "op", reason: "test")
      Issue.record("it was granted")
    } catch let error as CodedError<EngineErrorCode> { #expect(error.code == .paymentNotClaimable) }
  }

  @Test func `shows in journal and metrics which user would have got what, by which rule`() async throws {
    let shop = try Self.observing()
    let order = try await shop.order()
    _ = try await shop.submit(shop.transaction("1001", token: order))
    let journal = try await InMemoryDatabase(shop.storage, now: { EngineFixture.noon }).read {
      try $0.journal(of: Self.key("1001"))
    }
    let entry = try #require(journal.first { $0.what == "payment.imported" })
    let would = try JSONReader.read(entry.details.utf8)["wouldGrant"]
    #expect(would?["userId"] == "alice" && would?["rule"] == "exact")
    #expect(would?["unit"] == "coin" && would?["amount"]?.integer == 100)
    let world = [("app", "shop"), ("environment", "simulated")]
    #expect(shop.engine.metrics.value(.observedGrantsTotal, world + [("rule", "exact")]) == 1)
    #expect(shop.engine.metrics.value(.observedUnitsTotal, world + [("unit", "coin")]) == 100)
    _ = try await shop.submit(shop.transaction("1001", token: order))
    #expect(shop.engine.metrics.value(.observedUnitsTotal, world + [("unit", "coin")]) == 100)
  }

  @Test func `delivers nothing that it observed after it goes live, by any path`() async throws {
    let shop = try Self.observing()
    let order = try await shop.order()
    let evidence = shop.transaction("1001", token: order)
    _ = try await shop.submit(evidence)
    _ = try await shop.engine.receiveAppStoreNotification(
      shop.notification("n2", about: shop.transaction("1002")), for: nil)
    let live = try Self.live(after: shop)
    _ = try await live.engine.receiveAppStoreNotification(live.notification("n3", about: evidence), for: nil)
    _ = try await live.engine.receiveAppStoreNotification(
      live.notification("n4", about: shop.transaction("1002")), for: nil)
    #expect(try await live.coins() == 0)
    #expect(try await deliveries(live) == 0)
    #expect(try await live.violations() == [])
    let fresh = try await live.submit(live.transaction("1005"))
    #expect(fresh.verdict == .fulfilled && fresh.finish)
    #expect(try await live.coins() == 100)
  }

  @Test func `loses nothing: a client's unfinished purchase is held, or goes to its owner by the list`() async throws {
    let shop = try Self.observing()
    let order = try await shop.order()
    let evidence = shop.transaction("1001", token: order)
    _ = try await shop.submit(evidence)
    let live = try Self.live(after: shop)
    // Another user is signed in on that phone: they get nothing, and the owner loses nothing.
    #expect(try await live.submit(evidence, by: "bob").verdict == .held)
    _ = try await live.engine.beginEarlierDeliveries(in: Self.appEnvironment)
    _ = try await live.engine.importEarlierDeliveries(["9"], in: Self.appEnvironment)
    try await live.engine.endEarlierDeliveries(reach: EngineFixture.noon + .hours(1), in: Self.appEnvironment)
    #expect(try await live.submit(evidence, by: "bob").verdict == .fulfilledForAnother)
    #expect(try await live.coins() == 100)
    #expect(try await live.coins(of: "bob") == 0)
    let again = try await live.submit(evidence)
    #expect(again.verdict == .fulfilled && again.order == order)
    #expect(try await live.coins() == 100)
    #expect(try await deliveries(live) == 1)
    #expect(try await live.engine.auditInvariants(atRest: false).violations == [])
  }

  @Test func `leaves purchases in the earlier system's list unchanged, and lets clients finish them`() async throws {
    let shop = try Self.observing()
    let evidence = shop.transaction("1001")
    _ = try await shop.submit(evidence)
    let live = try Self.live(after: shop)
    _ = try await live.engine.importEarlierDeliveries(["1001"], in: Self.appEnvironment)
    try await live.engine.endEarlierDeliveries(reach: EngineFixture.noon + .hours(1), in: Self.appEnvironment)
    let answer = try await live.submit(evidence)
    #expect(answer.verdict == .imported && answer.finish)
    #expect(try await live.coins() == 0)
  }

  @Test func `keeps the lasting entitlements that it observed when it goes live`() async throws {
    let shop = try Self.observing()
    _ = try await shop.submit(shop.transaction("1001", of: "com.example.premium", type: "Non-Consumable"))
    let live = try Self.live(after: shop)
    let entitlements = try await live.engine.readEntitlements(of: "alice", in: Self.appEnvironment)
    #expect(entitlements.map(\.entitlement) == ["premium"] && entitlements.first?.state == .active)
    #expect(try await deliveries(live) == 0)
  }
}
