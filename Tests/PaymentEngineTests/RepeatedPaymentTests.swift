import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

/// Two ids for one event, and two texts of one payment: docs/specification/invariants.md, invariant 2.
@Suite struct `A payment that is reported again` {
  private func shopAfterPurchase() async throws -> (EngineFixture, OrderIdentifier, String) {
    let shop = try EngineFixture()
    let order = try await shop.order()
    let first = shop.transaction("1001", token: order)
    #expect(try await shop.submit(first).verdict == .fulfilled)
    return (shop, order, first)
  }

  @Test func `by an older text gives back nothing that a newer one took`() async throws {
    let (shop, order, first) = try await shopAfterPurchase()
    shop.clock.advance(by: .hours(1))
    let now = shop.clock.now.milliseconds
    let refunded = shop.transaction("1001", token: order) {
      $0["purchaseDate"] = .integer(now - 3_600_000)
      $0["originalPurchaseDate"] = .integer(now - 3_600_000)
      $0["revocationDate"] = .integer(now)
      $0["revocationReason"] = .integer(0)
    }
    #expect(try await shop.submit(refunded).verdict == .revoked)
    #expect(try await shop.coins() == 0)
    #expect(try await shop.submit(first).verdict == .revoked)
    #expect(try await shop.coins() == 0)
    #expect(try await shop.violations() == [])
  }

  @Test func `under another id within the same second is the same payment`() async throws {
    let (shop, order, _) = try await shopAfterPurchase()
    let again = shop.transaction("1002", token: order) {
      $0["originalTransactionId"] = "1001"
      $0["purchaseDate"] = .integer(shop.clock.now.milliseconds + 400)
    }
    let answer = try await shop.submit(again)
    #expect(answer.verdict == .fulfilled && !answer.firstSeen && answer.order == order)
    #expect(try await shop.coins() == 100)
    #expect(try await shop.engine.auditInvariants(atRest: true).payments == 1)
  }

  @Test func `under another id a second later is another payment`() async throws {
    let (shop, order, _) = try await shopAfterPurchase()
    let next = shop.transaction("1002", token: order) {
      $0["originalTransactionId"] = "1001"
      $0["purchaseDate"] = .integer(shop.clock.now.milliseconds + 1000)
    }
    let answer = try await shop.submit(next)
    #expect(answer.verdict == .fulfilled && answer.firstSeen && answer.order != order)
    #expect(try await shop.coins() == 200)
  }

  @Test func `of one period is identified by webOrderLineItemId, whatever the dates are`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order("monthly")
    func period(_ id: String, item: String, after days: Int64) -> String {
      let start = shop.clock.now.milliseconds + days * 86_400_000
      return shop.transaction(id, of: "com.example.monthly", token: order, type: "Auto-Renewable Subscription") {
        $0["originalTransactionId"] = "1001"
        $0["webOrderLineItemId"] = .string(item)
        $0["purchaseDate"] = .integer(start)
        $0["expiresDate"] = .integer(start + 30 * 86_400_000)
      }
    }
    #expect(try await shop.submit(period("1001", item: "501", after: 0)).order == order)
    let renewal = try await shop.submit(period("1002", item: "502", after: 30))
    #expect(renewal.verdict == .fulfilled && renewal.firstSeen && renewal.order == nil)
    let duplicate = try await shop.submit(period("1003", item: "502", after: 31))
    #expect(duplicate.verdict == .fulfilled && !duplicate.firstSeen)
    #expect(try await shop.engine.auditInvariants(atRest: true).payments == 2)
    #expect(try await shop.violations() == [])
  }

  @Test func `by family sharing is a separate payment, beside the buyer's`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order("premium")
    let bought = shop.transaction("1001", of: "com.example.premium", token: order, type: "Non-Consumable")
    #expect(try await shop.submit(bought).verdict == .fulfilled)
    let shared = shop.transaction("1002", of: "com.example.premium", type: "Non-Consumable") {
      $0["originalTransactionId"] = "1001"
      $0["inAppOwnershipType"] = "FAMILY_SHARED"
    }
    #expect(try await shop.submit(shared, by: "bob").verdict == .fulfilled)
    #expect(
      try await shop.engine.readEntitlements(of: "bob", in: EngineFixture.appEnvironment).map(\.state) == [.active])
  }

  @Test func `with the later one first gives the order to the earlier; both keep their grants`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order("monthly")
    func period(_ id: String, item: String, after hours: Int64) -> String {
      let start = shop.clock.now.milliseconds + hours * 3_600_000
      return shop.transaction(id, of: "com.example.monthly", token: order, type: "Auto-Renewable Subscription") {
        $0["originalTransactionId"] = "1001"
        $0["webOrderLineItemId"] = .string(item)
        $0["purchaseDate"] = .integer(start)
        $0["expiresDate"] = .integer(start + 3_600_000)
      }
    }
    let renewal = try await shop.submit(period("1002", item: "502", after: 1))
    #expect(renewal.verdict == .fulfilled && renewal.order == order)
    let first = try await shop.submit(period("1001", item: "501", after: 0))
    #expect(first.verdict == .fulfilled && first.order == order)
    let again = try await shop.submit(period("1002", item: "502", after: 1))
    #expect(again.verdict == .fulfilled && again.order == nil)
    #expect(try await shop.violations() == [])
  }
}
