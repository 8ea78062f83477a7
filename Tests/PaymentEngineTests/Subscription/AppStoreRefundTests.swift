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

@Suite struct `A refund by Apple` {
  private let shop: EngineFixture

  init() throws { shop = try EngineFixture() }

  /// 1000 coins bought at noon, as Apple states them later; `revocation` is the day and the refunded percentage.
  private func coins(_ order: OrderIdentifier, signed day: Double, revoked: Double? = nil, percentage: Int64? = nil)
    -> String
  {
    shop.transaction("1001", of: "com.example.coins1000", token: order) {
      $0["purchaseDate"] = .integer(EngineFixture.noon.milliseconds)
      $0["signedDate"] = .integer(SubscriptionFixture.day(day).milliseconds)
      if let revoked {
        $0["revocationDate"] = .integer(SubscriptionFixture.day(revoked).milliseconds)
        $0["revocationType"] = percentage == nil ? "REFUND_FULL" : "REFUND_PRORATED"
        if let percentage { $0["revocationPercentage"] = .integer(percentage) }
      }
    }
  }

  private func receive(_ uuid: String, _ type: String, transaction: String) async throws {
    _ = try await shop.engine.receiveAppStoreNotification(shop.notification(uuid, type, about: transaction), for: nil)
  }

  private func ordered() async throws -> OrderIdentifier {
    let order = try await shop.order("coins.1000")
    shop.clock.advance(by: .days(30))
    return order
  }

  @Test func `before the grant leaves nothing to grant, and its reversal grants to the order's user`() async throws {
    let order = try await ordered()
    try await receive("n1", "REFUND", transaction: coins(order, signed: 5, revoked: 5))
    #expect(try await shop.known("1001")?.state == .revoked)
    #expect(try await shop.told(of: "1001") == [])
    // The purchase itself arrives late, and is older than its refund.
    try await receive("n2", "ONE_TIME_CHARGE", transaction: coins(order, signed: 0))
    #expect(try await shop.coins() == 0)
    try await receive("n3", "REFUND_REVERSED", transaction: coins(order, signed: 9))
    #expect(try await shop.coins() == 1000)
    #expect(try await shop.known("1001")?.order == order)
    #expect(try await shop.told(of: "1001") == ["created alice"])
    #expect(try await shop.violations() == [])
  }

  @Test func `of an unowned purchase leaves it to its buyer's claim after the reversal`() async throws {
    shop.clock.advance(by: .days(1))
    let now = shop.now().milliseconds
    let refunded = shop.transaction("1001") { $0["revocationDate"] = .integer(now) }
    try await receive("n1", "REFUND", transaction: refunded)
    shop.clock.advance(by: .days(1))
    let back = shop.transaction("1001") { $0["purchaseDate"] = .integer(now) }
    try await receive("n2", "REFUND_REVERSED", transaction: back)
    #expect(try await shop.known("1001")?.state == .unclaimed)
    #expect(try await shop.submit(back).verdict == .fulfilled)
    #expect(try await shop.coins() == 100)
    #expect(try await shop.violations() == [])
  }

  @Test func `reversed after the merge of its buyer, who got nothing yet, is granted to the account`() async throws {
    let order = try await ordered()
    func coins(signed day: Double, isRevoked: Bool = false) -> String {
      shop.transaction("1001") {
        $0["purchaseDate"] = .integer(EngineFixture.noon.milliseconds)
        $0["signedDate"] = .integer(SubscriptionFixture.day(day).milliseconds)
        if isRevoked { $0["revocationDate"] = .integer(SubscriptionFixture.day(day).milliseconds) }
      }
    }
    #expect(try await shop.submit(coins(signed: 5, isRevoked: true), orders: [order]).verdict == .revoked)
    #expect(try await shop.known("1001")?.owner == "alice")
    _ = try await shop.engine.mergeUser("alice", into: "account", of: shop.app)
    try await receive("n1", "REFUND_REVERSED", transaction: coins(signed: 9))
    #expect(try await shop.known("1001")?.owner == "account")
    #expect(try await shop.coins(of: "account") == 100)
    #expect(try await shop.told(of: "1001") == ["created account"])
    #expect(try await shop.violations() == [])
  }

  @Test func `of a purchase that its buyer presents meanwhile gives it to them after the reversal`() async throws {
    let order = try await ordered()
    let unnamed = shop.transaction("1001") {
      $0["purchaseDate"] = .integer(EngineFixture.noon.milliseconds)
      $0["signedDate"] = .integer(SubscriptionFixture.day(5).milliseconds)
      $0["revocationDate"] = .integer(SubscriptionFixture.day(5).milliseconds)
    }
    try await receive("n1", "REFUND", transaction: unnamed)
    #expect(try await shop.known("1001")?.owner == nil)
    // The phone finishes it then, and never presents it again.
    let answer = try await shop.submit(unnamed, orders: [order])
    #expect(answer.verdict == .revoked && answer.finish)
    #expect(try await shop.coins() == 0)
    let back = shop.transaction("1001") {
      $0["purchaseDate"] = .integer(EngineFixture.noon.milliseconds)
      $0["signedDate"] = .integer(SubscriptionFixture.day(9).milliseconds)
    }
    try await receive("n2", "REFUND_REVERSED", transaction: back)
    #expect(try await shop.known("1001")?.owner == "alice")
    #expect(try await shop.coins() == 100)
    #expect(try await shop.told(of: "1001") == ["created alice"])
    #expect(try await shop.violations() == [])
  }

  @Test func `in three parts takes back each once, and all three the whole`() async throws {
    let order = try await ordered()
    try await receive("n1", "ONE_TIME_CHARGE", transaction: coins(order, signed: 0))
    let parts = [(2.0, Int64(33_333), Int64(667)), (3.0, 66_666, 334), (4.0, 100_000, 0)]
    for (day, percentage, left) in parts {
      for uuid in ["a", "b"] {
        try await receive(
          "\(uuid)\(day)", "REFUND", transaction: coins(order, signed: day, revoked: day, percentage: percentage))
      }
      #expect(try await shop.coins() == left)
    }
    #expect(try await shop.told(of: "1001") == ["created alice", "reversed alice", "reversed alice", "reversed alice"])
    try await receive("n9", "REFUND_REVERSED", transaction: coins(order, signed: 6))
    #expect(try await shop.coins() == 1000)
    #expect(try await shop.told(of: "1001").last == "reinstated alice")
    #expect(try await shop.violations() == [])
  }

  @Test func `with a growing total under one date takes the difference, and each delivery states the totals`()
    async throws
  {
    let order = try await ordered()
    try await receive("n1", "ONE_TIME_CHARGE", transaction: coins(order, signed: 0))
    let totals = [(2.0, Int64(25_000)), (3.0, 60_000), (4.0, 100_000), (5.0, 10_000)]
    for (day, percentage) in totals {
      for uuid in ["a", "b"] {
        try await receive(
          "\(uuid)\(day)", "REFUND", transaction: coins(order, signed: day, revoked: 2, percentage: percentage))
      }
    }
    #expect(try await shop.coins() == 900)
    let bodies = try await shop.database.read { try $0.deliveries(of: EngineFixture.key("1001")).map(\.body) }
    let stated = try bodies.map { body -> [Int64?] in
      let json = try JSONReader.read(body.utf8)
      return [json["units"]?["amount"]?.integer, json["takenBack"]?.integer, json["inForce"]?.integer]
    }
    #expect(stated == [[1000, nil, nil], [250, 250, 750], [350, 600, 400], [400, 1000, 0], [900, 100, 900]])
    #expect(try await shop.violations() == [])
  }

  @Test func `reversed in part and then whole gives back each part once`() async throws {
    let order = try await ordered()
    try await receive("n1", "ONE_TIME_CHARGE", transaction: coins(order, signed: 0))
    try await receive("n2", "REFUND", transaction: coins(order, signed: 2, revoked: 2))
    try await receive("n3", "REFUND_REVERSED", transaction: coins(order, signed: 3, revoked: 2, percentage: 40_000))
    #expect(try await shop.coins() == 600)
    try await receive("n4", "REFUND_REVERSED", transaction: coins(order, signed: 4, revoked: 2, percentage: 10_000))
    #expect(try await shop.coins() == 900)
    for uuid in ["n5", "n6"] { try await receive(uuid, "REFUND_REVERSED", transaction: coins(order, signed: 5)) }
    #expect(try await shop.coins() == 1000)
    #expect(try await shop.violations() == [])
  }

  @Test func `after the units are spent still takes them back, once`() async throws {
    let order = try await ordered()
    try await receive("n1", "ONE_TIME_CHARGE", transaction: coins(order, signed: 0))
    #expect(try await shop.submit(coins(order, signed: 2, revoked: 2)).verdict == .revoked)
    try await receive("n2", "REFUND", transaction: coins(order, signed: 2, revoked: 2))
    #expect(try await shop.coins() == 0)
    #expect(try await shop.told(of: "1001") == ["created alice", "reversed alice"])
  }
}
