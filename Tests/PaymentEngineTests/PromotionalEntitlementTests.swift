import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

@Suite struct `A promotional entitlement` {
  private static let place = EngineFixture.appEnvironment

  private static func request(
    _ key: String = "a", _ name: EntitlementName = "club", days: Int64 = 7, of user: UserIdentifier = "alice",
    after moment: Timestamp = EngineFixture.noon
  ) -> PromotionalRequest {
    PromotionalRequest(
      user: user, entitlement: name, until: moment + .days(days), key: key, reason: "no service", by: "cfs_a")
  }

  @discardableResult
  private static func give(_ request: PromotionalRequest, _ shop: EngineFixture) async throws -> PromotionalAnswer {
    try await shop.engine.giveEntitlement(request, in: place)
  }

  @discardableResult
  private static func revoke(
    _ key: String = "a", _ shop: EngineFixture, of user: UserIdentifier = "alice", because reason: String = "mistake"
  ) async throws -> PromotionalAnswer {
    try await shop.engine.revokeEntitlement(key, of: user, in: place, reason: reason, by: "cfs_a")
  }

  private static func refusal(_ body: () async throws -> Void) async -> CodedError<EngineErrorCode>? {
    do { try await body() } catch { return error as? CodedError<EngineErrorCode> }
    return nil
  }

  private static func has(_ shop: EngineFixture, of user: UserIdentifier = "alice") async throws -> UserEntitlements {
    try await shop.engine.readAllEntitlements(of: user, in: place)
  }

  @Test func `that no product gives is refused by name, with those that there are`() async throws {
    let shop = try EngineFixture()
    let refused = await Self.refusal { try await Self.give(Self.request("a", "gold"), shop) }
    #expect(refused?.code == .entitlementUnknown)
    #expect(refused?.details == "No product gives gold; configured: club, premium, season.")
    #expect(try await Self.has(shop).promotional.isEmpty)
  }

  @Test func `that ends now, before, or more than 366 days ahead is refused with the last possible end`() async throws {
    let shop = try EngineFixture()
    for days: Int64 in [0, -1, 367] {
      let refused = await Self.refusal { try await Self.give(Self.request(days: days, after: shop.now()), shop) }
      #expect(refused?.code == .promotionalEndNotAllowed)
      #expect(refused?.details.contains((shop.now() + .days(366)).iso8601) == true)
    }
    #expect(try await Self.give(Self.request(days: 366, after: shop.now()), shop).isNew)
  }

  @Test func `of an erased user goes to the alias without its reasons, and its id stays taken`() async throws {
    let shop = try EngineFixture()
    try await Self.give(Self.request(), shop)
    try await Self.give(Self.request("b", "premium"), shop)
    try await Self.revoke("b", shop)
    let alias = try await shop.engine.eraseUser("alice", of: shop.app).erasure.alias
    #expect(try await Self.has(shop).promotional.isEmpty)
    let given = try await shop.engine.readPromotionalEntitlements(of: alias, in: Self.place).promotional
    #expect(given.map(\.key).sorted() == ["a", "b"])
    #expect(given.allSatisfy { $0.reason == "erased" && ($0.end?.reason ?? "erased") == "erased" })
    #expect(await Self.refusal { try await Self.give(Self.request(), shop) }?.code == .idempotencyKeyReused)
  }

  @Test func `with a known id is the same one, and with another request it is refused`() async throws {
    let shop = try EngineFixture()
    let first = try await Self.give(Self.request(), shop)
    shop.clock.advance(by: .days(30))
    // It has ended. The repetition still is the same one, and not a new one.
    let again = try await Self.give(Self.request(), shop)
    #expect(first.isNew && !again.isNew && again.promotional == first.promotional)
    for other in [Self.request(days: 8), Self.request("a", "premium"), Self.request(of: "bob")] {
      #expect(await shop.code { try await Self.give(other, shop) } == .idempotencyKeyReused)
    }
  }

  @Test func `beyond those that a user may have is refused, until some have ended`() async throws {
    var limits = EngineLimits()
    limits.promotionalPerUser = 2
    let shop = try EngineFixture(limits: limits)
    try await Self.give(Self.request("a", days: 1, after: shop.now()), shop)
    try await Self.give(Self.request("b", after: shop.now()), shop)
    let third = Self.request("c", days: 9, after: shop.now())
    #expect(await shop.code { try await Self.give(third, shop) } == .promotionalLimitReached)
    try await Self.give(Self.request("d", of: "bob", after: shop.now()), shop)
    shop.clock.advance(by: .days(1))
    #expect(try await Self.give(third, shop).isNew)
  }

  @Test func `of many at once stays within those that a user may have`() throws {
    var limits = EngineLimits()
    limits.promotionalPerUser = 3
    let fixture = try WorldEngineFixture(limits: limits)
    let given = try fixture.perform { shop in
      await withTaskGroup(of: Bool.self) { group in
        for number in 0..<12 {
          group.addTask {
            let request = Self.request("k\(number)", after: shop.now())
            return (try? await Self.give(request, shop)) != nil
          }
        }
        return await group.reduce(0) { $1 ? $0 + 1 : $0 }
      }
    }
    #expect(given == 3)
  }

  @Test func `is taken back only under its id, its user and its environment`() async throws {
    let shop = try EngineFixture()
    try await Self.give(Self.request(), shop)
    #expect(await shop.code { try await Self.revoke("b", shop) } == .promotionalUnknown)
    #expect(await shop.code { try await Self.revoke("a", shop, of: "bob") } == .promotionalUnknown)
    let sandbox = AppEnvironment(app: "shop", environment: .sandbox)
    let elsewhere = await shop.code {
      _ = try await shop.engine.revokeEntitlement("a", of: "alice", in: sandbox, reason: "x", by: "cfs_a")
    }
    #expect(elsewhere == .promotionalUnknown)
    #expect(try await Self.has(shop).promotional.first?.state(at: shop.now()) == .active)
  }

  @Test func `gives access until its date, and ends without anything that runs`() async throws {
    let shop = try EngineFixture()
    try await Self.give(Self.request(days: 7, after: shop.now()), shop)
    shop.clock.advance(by: .milliseconds(TimeSpan.days(7).milliseconds - 1))
    #expect(try await Self.has(shop).promotional.first?.state(at: shop.now()) == .active)
    shop.clock.advance(by: .milliseconds(1))
    #expect(try await Self.has(shop).promotional.first?.state(at: shop.now()) == .expired)
  }

  @Test func `of several shows the one that holds longest, and never one that was taken back instead`() async throws {
    let shop = try EngineFixture { $0.events = true }
    let now = shop.now()
    for (key, days) in [("a", 3), ("b", 9), ("c", 5)] as [(String, Int64)] {
      try await Self.give(Self.request(key, days: days, after: now), shop)
    }
    #expect(try await Self.has(shop).promotional.map(\.key) == ["b"])
    let first = try await Self.revoke("b", shop)
    shop.clock.advance(by: .hours(1))
    let again = try await Self.revoke("b", shop, because: "another reason")
    #expect(first.isNew && !again.isNew && again.promotional == first.promotional)
    #expect(first.promotional.end?.reason == "mistake")
    #expect(try await Self.has(shop).promotional.map(\.key) == ["c"])
    let types = try await shop.eventTypes()
    #expect(types.filter { $0 == "promotionalEntitlement.given" }.count == 3)
    #expect(types.filter { $0 == "promotionalEntitlement.revoked" }.count == 1)
  }

  @Test func `moves no paid period and replaces none, whichever comes first`() async throws {
    let (with, without) = (try EngineFixture(), try EngineFixture())
    for (shop, gives) in [(with, true), (without, false)] {
      if gives { try await Self.give(Self.request("a", "season", days: 200, after: shop.now()), shop) }
      for id in ["1001", "1002"] {
        let order = try await shop.order("season")
        _ = try await shop.submit(
          shop.transaction(id, of: "com.example.season", token: order, type: "Non-Renewing Subscription"))
      }
      if gives { try await Self.give(Self.request("b", "season", days: 300, after: shop.now()), shop) }
    }
    let paid = try await Self.has(with).paid
    #expect(paid.first?.until == EngineFixture.noon + .days(180))
    #expect(try await Self.has(without).paid == paid)
    #expect(try await Self.has(with).promotional.map(\.until) == [EngineFixture.noon + .days(300)])
    try await Self.revoke("b", with)
    #expect(try await Self.has(with).paid == paid)
    #expect(try await with.violations() == [])
  }

  @Test func `is no grant: a refund takes only what was paid, and no ratio counts it`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order("premium")
    _ = try await shop.submit(
      shop.transaction("1001", of: "com.example.premium", token: order, type: "Non-Consumable"))
    try await Self.give(Self.request("a", "premium", after: shop.now()), shop)
    shop.clock.advance(by: .minutes(1))
    _ = try await shop.submit(
      shop.transaction("1001", of: "com.example.premium", token: order, type: "Non-Consumable") {
        $0["purchaseDate"] = .integer(EngineFixture.noon.milliseconds)
        $0["revocationDate"] = .integer(EngineFixture.noon.milliseconds)
      })
    let all = try await Self.has(shop)
    #expect(all.paid.map(\.state) == [.revoked])
    #expect(all.promotional.map { $0.state(at: shop.now()) } == [.active])
    #expect(try await shop.engine.readRefundRatio(of: "alice", in: Self.place).granted == 1)
    #expect(try await shop.violations() == [])
  }

  @Test func `moves with a merge, is read and taken back under either name, and a later one goes to the account`()
    async throws
  {
    let shop = try EngineFixture()
    // The guest has nothing else.
    try await Self.give(Self.request(of: "guest", after: shop.now()), shop)
    _ = try await shop.engine.mergeUser("guest", into: "alice", of: shop.app)
    #expect(try await Self.has(shop).promotional.map(\.key) == ["a"])
    #expect(try await Self.has(shop, of: "guest").promotional.map(\.key) == ["a"])
    try await Self.give(Self.request("b", of: "guest", after: shop.now()), shop)
    let list = try await shop.engine.readPromotionalEntitlements(of: "alice", in: Self.place).promotional
    #expect(Set(list.map(\.key)) == ["a", "b"] && list.allSatisfy { $0.user == "alice" })
    #expect(try await Self.revoke("a", shop, of: "guest").isNew)
    let data = try await shop.engine.readUserData(of: "alice", in: Self.place)
    #expect(data.promotional.count == 2)
  }
}
