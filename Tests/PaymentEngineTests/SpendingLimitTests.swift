import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import TestTier
import Testing
import WeChatPayIntegration

@Suite struct `A spending limit` {
  private static func limit(_ fen: Int64?, _ shop: WeChatPayEngineFixture, _ user: UserIdentifier = "alice")
    async throws
  {
    _ = try await shop.engine.setSpendingLimit(fen, .cny, of: user, in: shop.app)
  }

  private static func refusal(_ body: () async throws -> Void) async -> CodedError<EngineErrorCode>? {
    do { try await body() } catch { return error as? CodedError<EngineErrorCode> }
    return nil
  }

  private static func spending(_ shop: WeChatPayEngineFixture) async throws -> Spending? {
    try await shop.engine.readSpending(of: "alice", in: shop.app).first
  }

  @Test func `refuses an order that would pass it by name, with what is left, and others go on`() throws {
    try WeChatPayEngineFixture().perform { shop in
      try await Self.limit(1500, shop)
      _ = try await shop.order()
      _ = try await shop.order()
      let refused = await Self.refusal { _ = try await shop.order() }
      #expect(refused?.code == .spendingLimitReached)
      #expect(refused?.details.hasPrefix("300 of 1500 CNY are left") == true)
      _ = try await shop.order(of: "bob")
      try await Self.limit(nil, shop)
      _ = try await shop.order()
    }
  }

  @Test func `gives back what a closed order asked for`() throws {
    try WeChatPayEngineFixture().perform { shop in
      try await Self.limit(600, shop)
      let first = try await shop.order()
      #expect(try await Self.spending(shop)?.left == 0)
      _ = try await shop.engine.closeOrder(
        .id(first.order.key.id), in: EngineFixture.appEnvironment, of: "alice", because: .customerGaveUp)
      #expect(try await Self.spending(shop)?.left == 600)
      let second = try await shop.order()
      try await shop.visit(second)
      _ = try await shop.engine.checkWeChatPay(
        .id(second.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: shop.app)
      #expect(try await Self.spending(shop)?.spent == 600)
      #expect(await Self.refusal { _ = try await shop.order() }?.code == .spendingLimitReached)
    }
  }

  @Test func `gives back what WeChat Pay has refunded, in part or whole, and nothing before that`() throws {
    let shop = try WeChatPayEngineFixture()
    shop.startBackgroundTasks()
    let id = try shop.perform { shop async throws in
      try await Self.limit(600, shop)
      let paid = try await shop.order()
      try await shop.visit(paid)
      _ = try await shop.engine.checkWeChatPay(
        .id(paid.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: shop.app)
      return paid.order.key.id
    }
    for (amount, spent) in [(200, 400), (nil, 0)] as [(Int64?, Int64)] {
      let before = try shop.perform { shop async throws in
        let before = try await Self.spending(shop)?.spent
        _ = try await shop.engine.refundOrder(
          .id(id), in: EngineFixture.appEnvironment,
          RefundRequest(amount: amount, reason: nil, idempotencyKey: "\(spent)", askedBy: "test"), for: shop.app)
        #expect(try await Self.spending(shop)?.spent == before, "WeChat Pay has not refunded it yet")
        return before
      }
      shop.world.run(for: .minutes(3))
      try shop.perform { shop async throws in
        #expect(try await Self.spending(shop)?.spent == spent, "after \(before ?? 0)")
      }
    }
    try shop.perform { shop async throws in _ = try await shop.order() }
  }

  @Test func `is never passed by orders that are made at once`() throws {
    for seed in 1...UInt64(Tier.among(test: 4, check: 20, night: 50)) {
      let made = try WeChatPayEngineFixture(seed: seed).perform { shop in
        try await Self.limit(1500, shop)
        return await withTaskGroup(of: Bool.self) { group in
          for product: ProductIdentifier in ["coins.100", "coins.100", "coins.100", "coins.100"] {
            group.addTask { (try? await shop.order(product)) != nil }
          }
          return await group.reduce(0) { $1 ? $0 + 1 : $0 }
        }
      }
      #expect(made == 2, "seed \(seed)")
    }
  }

  @Test func `counts what the App Store charged in that currency, less what it gave back, by calendar month`()
    async throws
  {
    let shop = try EngineFixture()
    @discardableResult
    func buy(
      _ id: String, _ currency: JSONValue = "CNY", as known: OrderIdentifier? = nil, refunded percentage: Int64? = nil
    ) async throws -> OrderIdentifier {
      let order = if let known { known } else { try await shop.order() }
      let moment = shop.now().milliseconds
      _ = try await shop.submit(
        shop.transaction(id, token: order) {
          ($0["price"], $0["currency"]) = (.integer(6000), currency)
          guard let percentage else { return }
          ($0["revocationDate"], $0["revocationReason"]) = (.integer(moment), .integer(0))
          $0["revocationPercentage"] = .integer(percentage)
          // The later one of two refunds counts.
          $0["signedDate"] = .integer(moment + percentage / 25_000)
        })
      return order
    }
    func spent() async throws -> Int64? { try await shop.engine.readSpending(of: "alice", in: shop.app).first?.spent }
    _ = try await shop.engine.setSpendingLimit(1200, .cny, of: "alice", in: shop.app)
    try await buy("1")
    try await buy("2", "USD")
    #expect(try await spent() == 600)
    let third = try await buy("3")
    #expect(await shop.code { _ = try await shop.order() } == .spendingLimitReached)
    // Apple refunded a quarter, then all of it.
    try await buy("3", as: third, refunded: 25_000)
    #expect(try await spent() == 1050)
    try await buy("3", as: third, refunded: 100_000)
    #expect(try await spent() == 600)
    try await buy("5")
    #expect(await shop.code { _ = try await shop.order() } == .spendingLimitReached)
    // Noon is the first of March: April begins after 31 days.
    shop.clock.advance(by: .days(31))
    try await buy("4")
    #expect(try await spent() == 600)
  }

  @Test func `of a merged user goes to the account, and the stricter one stays`() async throws {
    let shop = try EngineFixture()
    _ = try await shop.order(of: "guest")
    _ = try await shop.engine.setSpendingLimit(500, .cny, of: "guest", in: shop.app)
    _ = try await shop.engine.setSpendingLimit(900, .cny, of: "alice", in: shop.app)
    _ = try await shop.engine.mergeUser("guest", into: "alice", of: shop.app)
    #expect(try await shop.engine.readSpending(of: "alice", in: shop.app).first?.limit.minorUnits == 500)
  }
}
