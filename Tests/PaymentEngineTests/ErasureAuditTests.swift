import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import Testing

@Suite struct `The audit log of erasures` {
  private static func erase(_ shop: EngineFixture, _ user: UserIdentifier, key: String) async throws {
    var action = ActionDescription("user.erase", by: .account, "lin", key: key)
    (action.app, action.objectKind, action.object) = ("shop", "user", user.text)
    action.reason = "\(user) wrote to us"
    _ = try await shop.engine.perform(action) {
      try await shop.engine.eraseUser(user, of: shop.app)
    }
  }

  private static func entries(_ shop: EngineFixture) async throws -> [AuditLogEntry] {
    try await shop.engine.auditLog(before: nil, limit: 10).reversed()
  }

  @Test func `tells a refusal as one, although open orders were closed, and never names the user`() async throws {
    let shop = try EngineFixture()
    _ = try await shop.buyCoins("1001", of: "alice-9f3")
    _ = try await shop.order(of: "alice-9f3")
    #expect(await shop.code { try await Self.erase(shop, "alice-9f3", key: "a") } == .erasureNotPossible)
    #expect(await shop.code { try await Self.erase(shop, "nobody-9f3", key: "b") } == .userUnknown)
    let entries = try await Self.entries(shop)
    #expect(entries.map(\.outcome) == [.refused, .refused])
    #expect(entries.map(\.problem) == ["erasure_not_possible", "user_unknown"])
    #expect(!entries.contains { "\($0)".contains("9f3") })
  }

  @Test func `has the alias in the place of the user, also in the reason, and the same one again`() async throws {
    let shop = try EngineFixture()
    _ = try await shop.buyCoins("1001", of: "alice-9f3")
    for delivery in try await shop.database.read({ try $0.deliveries(of: EngineFixture.key("1001")) }) {
      _ = try await shop.engine.acknowledge(delivery.id, in: "shop")
    }
    try await Self.erase(shop, "alice-9f3", key: "a")
    try await Self.erase(shop, "alice-9f3", key: "b")
    let alias = try #require(try await shop.payment("1001")?.owner)
    let entries = try await Self.entries(shop)
    #expect(entries.map(\.object) == [alias.text, alias.text])
    #expect(entries.map(\.reason) == ["\(alias) wrote to us", "\(alias) wrote to us"])
    #expect(entries.map(\.outcome) == [.done, .done])
    #expect(AuditLogVerification(of: entries).broken == nil)
  }
}
