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

extension ShopUnderTest {
  /// The events of the feed, in order.
  func events() async throws -> [JSONValue] {
    let page = try await engine.listEvents(
      in: EngineFixture.appEnvironment, from: .beginning, limit: 1000, waiting: .zero)
    return try page.events.compactMap { try $0.entry.event.map { try JSONReader.read($0.utf8) } }
  }

  func eventTypes() async throws -> [String] { try await events().compactMap { $0["type"]?.string } }
}

@Suite struct `An event` {
  private static func shop(_ change: @escaping (inout AppPolicy) -> Void = { _ in }) throws -> EngineFixture {
    try EngineFixture { app in
      app.events = true
      change(&app)
    }
  }

  private static func priced(_ payload: inout [String: JSONValue]) {
    (payload["price"], payload["currency"], payload["storefront"]) = (.integer(6000), "CNY", "CHN")
  }

  @Test func `is not made where nobody reads it`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order()
    _ = try await shop.submit(shop.transaction("1001", token: order, Self.priced))
    #expect(try await shop.events() == [])
    #expect(try await shop.coins() == 100)
  }

  @Test func `of a purchase that the earlier system delivered is not told again`() async throws {
    let shop = try Self.shop { $0.deliverFrom = EngineFixture.noon + .days(1) }
    let premium = shop.transaction("1001", of: "com.example.premium", type: "Non-Consumable", Self.priced)
    #expect(try await shop.submit(premium).verdict == .imported)
    #expect(try await shop.eventTypes() == [])
  }

  @Test func `of a charge states what the store states, once, whatever evidence comes again`() async throws {
    let shop = try Self.shop()
    let order = try await shop.order()
    let evidence = shop.transaction("1001", token: order, Self.priced)
    for _ in 0..<3 { _ = try await shop.submit(evidence) }
    shop.clock.advance(by: .hours(1))
    let again = shop.transaction("1001", token: order) {
      Self.priced(&$0)
      $0["purchaseDate"] = .integer(EngineFixture.noon.milliseconds)
    }
    _ = try await shop.engine.receiveAppStoreNotification(shop.notification("n1", about: again), for: nil)
    let events = try await shop.events()
    let event = try #require(events.first)
    #expect(events.count == 1 && event["type"] == "purchase.completed")
    #expect(event["price"]?["milliunits"]?.integer == 6000 && event["price"]?["currency"] == "CNY")
    #expect(event["storefront"] == "CHN" && event["userId"] == "alice" && event["productId"] == "coins.100")
    #expect(event["orderId"]?.string == order.appAccountToken && event["transactionId"] == "1001")
    #expect(event["purchaseDate"]?.string == EngineFixture.noon.iso8601 && event["environment"] == "simulated")
  }

  @Test func `of what a family member has states no price, since somebody else paid it`() async throws {
    let shop = try Self.shop()
    let shared = shop.transaction("7001", of: "com.example.premium", type: "Non-Consumable") {
      Self.priced(&$0)
      $0["inAppOwnershipType"] = "FAMILY_SHARED"
    }
    _ = try await shop.submit(shared, by: "bob")
    let event = try #require(try await shop.events().first)
    #expect(event["price"] == nil && event["ownership"] == "familyShared" && event["userId"] == "bob")
  }

  @Test func `bears an id of its content: the same on every node and after a restore`() async throws {
    var ids: [[String]] = []
    for _ in 0..<2 {
      let shop = try Self.shop()
      let order = try await shop.order()
      _ = try await shop.submit(shop.transaction("1001", token: order, Self.priced))
      _ = try await shop.submit(shop.transaction("1002", Self.priced), by: nil)
      ids.append(try await shop.events().compactMap { $0["id"]?.string })
    }
    #expect(ids[0] == ids[1] && ids[0].count == 3 && Set(ids[0]).count == 3)
    #expect(ids[0].allSatisfy { $0.hasPrefix("event_") && $0.count == 58 })
  }

  @Test func `tells that a payment waits for its owner, and who got it`() async throws {
    let shop = try Self.shop()
    let evidence = shop.transaction("1001", Self.priced)
    _ = try await shop.submit(evidence, by: nil)
    #expect(try await shop.eventTypes() == ["purchase.completed", "payment.unclaimed"])
    #expect(try await shop.events().allSatisfy { $0["userId"] == nil })
    _ = try await shop.submit(evidence)
    #expect(try await shop.events().last?["userId"] == "alice")
    #expect(try await shop.eventTypes().last == "payment.claimed")
  }

  @Test(arguments: [nil, "com.example.unknown"] as [String?])
  func `tells each time that a payment waits again, after its refund was reversed`(product: String?) async throws {
    let shop = try Self.shop()
    func statement(after days: Int64, refundedAfter refund: Int64? = nil) -> String {
      shop.transaction("1001", of: product ?? "com.example.coins100") { payload in
        Self.priced(&payload)
        payload["purchaseDate"] = .integer(EngineFixture.noon.milliseconds)
        payload["signedDate"] = .integer((EngineFixture.noon + .days(days)).milliseconds)
        if let refund { payload["revocationDate"] = .integer((EngineFixture.noon + .days(refund)).milliseconds) }
      }
    }
    _ = try await shop.submit(statement(after: 0), by: nil)
    shop.clock.advance(by: .days(9))
    for (day, type) in [(1, "REFUND"), (2, "REFUND_REVERSED"), (3, "REFUND"), (4, "REFUND_REVERSED")] as [(Int64, _)] {
      let evidence = statement(after: day, refundedAfter: type == "REFUND" ? day : nil)
      for copy in ["a", "b"] {
        let notification = shop.notification("n\(day)\(copy)", type, about: evidence)
        _ = try await shop.engine.receiveAppStoreNotification(notification, for: nil)
      }
    }
    let waits = try await shop.events().filter { $0["type"] == (product == nil ? "payment.unclaimed" : "payment.held") }
    #expect(waits.count == 3)
    #expect(Set(waits.compactMap { $0["id"]?.string }).count == 3)
  }

  @Test func `tells that a payment is held, and why`() async throws {
    let shop = try Self.shop()
    _ = try await shop.submit(shop.transaction("1001", of: "com.example.unknown", Self.priced))
    #expect(try await shop.eventTypes() == ["purchase.completed", "payment.held"])
    #expect(try await shop.events().last?["reason"] == "productUnknown")
  }

  @Test func `tells what Apple gave back and took again, by date and part`() async throws {
    let shop = try Self.shop()
    let order = try await shop.order("premium")
    func statement(after days: Int64, _ change: (inout [String: JSONValue]) -> Void) -> String {
      shop.transaction("1001", of: "com.example.premium", token: order, type: "Non-Consumable") { payload in
        Self.priced(&payload)
        payload["purchaseDate"] = .integer(EngineFixture.noon.milliseconds)
        payload["signedDate"] = .integer((EngineFixture.noon + .days(days)).milliseconds)
        change(&payload)
      }
    }
    _ = try await shop.submit(statement(after: 0) { _ in })
    shop.clock.advance(by: .days(9))
    let refunded = statement(after: 2) {
      $0["revocationDate"] = .integer((EngineFixture.noon + .days(2)).milliseconds)
    }
    for uuid in ["n1", "n2"] {
      _ = try await shop.engine.receiveAppStoreNotification(
        shop.notification(uuid, "REFUND", about: refunded), for: nil)
    }
    let undone = shop.notification("n3", "REFUND_REVERSED", about: statement(after: 4) { _ in })
    _ = try await shop.engine.receiveAppStoreNotification(undone, for: nil)
    let types = ["purchase.completed", "purchase.refunded", "purchase.refundUndone"]
    #expect(try await shop.eventTypes() == types)
    let refund = try #require(try await shop.events()[1]["refund"])
    #expect(refund["percentage"]?.integer == 100_000)
    #expect(refund["at"]?.string == (EngineFixture.noon + .days(2)).iso8601)
  }

  @Test func `tells of an order that is closed, for what reason, and not of one that is paid`() async throws {
    let shop = try Self.shop()
    let order = try await shop.order()
    _ = try await shop.engine.closeOrder(
      .id(order), in: EngineFixture.appEnvironment, of: "alice", because: .customerGaveUp)
    _ = try await shop.engine.closeOrder(
      .id(order), in: EngineFixture.appEnvironment, of: "alice", because: .customerGaveUp)
    let event = try #require(try await shop.events().first)
    #expect(try await shop.eventTypes() == ["order.closed"])
    #expect(event["reason"] == "customerGaveUp" && event["orderId"]?.string == order.appAccountToken)
  }

  @Test func `tells of a debit, once, with the balance after it`() async throws {
    let shop = try Self.shop()
    let order = try await shop.order()
    _ = try await shop.submit(shop.transaction("1001", token: order, Self.priced))
    var debit = DebitRequest(user: "alice", unit: "coin", amount: 30, key: "game-1", digest: "d")
    debit.reason = "a sword"
    for _ in 0..<2 { _ = try await shop.engine.debitBalance(debit, in: EngineFixture.appEnvironment) }
    let events = try await shop.events()
    #expect(try await shop.eventTypes() == ["purchase.completed", "balance.debited"])
    let units = try #require(events.last?["units"])
    #expect(units["amount"]?.integer == 30 && units["balance"]?.integer == 70 && units["bookingId"] == "game-1")
    #expect(events.last?["reason"] == "a sword")
  }
}
