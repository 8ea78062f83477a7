import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

// Ids that are a separate purchase: bought again after a refund.

extension `Another id of a purchase` {
  @Test func `bought again after a refund waits for an operator, in any order of the updates`() async throws {
    for arrival in 0..<6 {
      let (shop, named) = try await shop("alice")
      let again = try await shop.order("premium")
      shop.clock.advance(by: .days(1))
      let facts = [
        Told(signed: 1, token: named[0]), Told(signed: 10, revoked: 9, token: named[0], type: "REFUND"),
        Told(id: "1002", bought: 40, signed: 40.1, token: again),
      ]
      // If the refund is still unknown at the grant, the id is a separate purchase.
      let order = orders(of: facts)[arrival]
      guard let refund = order.firstIndex(where: { $0.revoked != nil }),
        let second = order.firstIndex(where: { $0.id == "1002" }),
        second > refund
          || order.firstIndex(where: { $0.signed == 1 }).map({ $0 < second }) == true
      else { continue }
      for told in order { try await receive(told, shop) }
      let answer = try await shop.submit(facts[2].text(shop))
      #expect(answer.verdict == .held && answer.finish && answer.reason == "boughtAgainAfterRefund", "\(arrival)")
      #expect(try await shop.state(of: again).isUnpaid)
      shop.clock.advance(by: .hours(1))
      let queue = try await shop.engine.operatorQueue(in: EngineFixture.appEnvironment, limit: 9)
      #expect(queue.contains { $0.key == EngineFixture.key("1002") }, "\(arrival)")
      #expect(try await shop.entitlement()?.state != .active)
      let claimed = try await shop.engine.claimUnclaimedPayment(
        EngineFixture.key("1002"), for: "alice", by: "olivia", reason: "paid twice, refunded once")
      #expect(claimed.payment.order == again)
      #expect(try await shop.entitlement()?.state == .active)
      #expect(try await shop.state(of: again).payment == EngineFixture.key("1002"))
      // Later updates of the first purchase do not affect the second, and a restored id repeats the second.
      try await receive(Told(signed: 40.2, revoked: 9, token: named[0], type: "REFUND"), shop)
      try await receive(Told(id: "1003", bought: 40.3, signed: 40.3), shop)
      #expect(try await shop.entitlement()?.state == .active)
      #expect(try await shop.known("1003") == nil)
      #expect(try await shop.violations() == [])
    }
  }

  @Test func `bought again is still another id of the first, once the refund is reversed`() async throws {
    let facts = [
      Told(signed: 1), Told(signed: 10, revoked: 9, type: "REFUND"), Told(id: "1002", bought: 20, signed: 20),
      Told(signed: 12, type: "REFUND_REVERSED"),
    ]
    for arrival in orders(of: facts) {
      let (shop, named) = try await shop("alice")
      for var told in arrival {
        if told.id == "1001" { told.token = named[0] }
        try await receive(told, shop)
      }
      let granted = try await shop.engine.auditInvariants(atRest: true).paymentsByState
      #expect(try await shop.allEntitlements().map(\.state) == [.active], "\(granted)")
      shop.clock.advance(by: .days(2))
      #expect(try await shop.engine.operatorQueue(in: EngineFixture.appEnvironment, limit: 9) == [])
      #expect(try await shop.violations() == [])
    }
  }

  @Test(arguments: [(20.0, true), (27.0, false)])
  func `bought during a refund is a separate purchase, even after a reversal and another refund`(
    bought: Double, isItsOwn: Bool
  ) async throws {
    let (shop, named) = try await shop("alice")
    let facts = [
      Told(signed: 1, token: named[0]), Told(signed: 10, revoked: 9, type: "REFUND"),
      Told(signed: 25, type: "REFUND_REVERSED"), Told(id: "1002", bought: bought, signed: bought),
      Told(signed: 31, revoked: 30, type: "REFUND"),
    ]
    for told in facts { try await receive(told, shop) }
    let again = try await shop.database.read { try $0.payment(EngineFixture.key("1002")) }
    #expect((again?.state == .held(.boughtAgainAfterRefund)) == isItsOwn)
    #expect(try await shop.entitlement()?.state != .active)
    #expect(try await shop.violations() == [])
  }

  @Test func `that was restored before its refund is not a separate purchase`() async throws {
    for arrival in orders(of: [
      Told(signed: 1), Told(id: "1002", bought: 5, signed: 5), Told(signed: 10, revoked: 9, type: "REFUND"),
    ]) {
      let (shop, named) = try await shop("alice")
      for var told in arrival {
        told.token = named[0]
        try await receive(told, shop)
      }
      #expect(
        try await shop.engine.operatorQueue(in: EngineFixture.appEnvironment, limit: 9).allSatisfy {
          $0.key != EngineFixture.key("1002")
        }
      )
      #expect(try await shop.entitlement()?.state != .active)
      #expect(try await shop.violations() == [])
    }
  }

  @Test func `of another Apple account is a separate purchase`() async throws {
    let (shop, named) = try await shop("alice", "bob")
    try await receive(Told(signed: 1, token: named[0], account: "7001"), shop)
    try await receive(Told(id: "1002", bought: 2, signed: 2, token: named[1], account: "7002"), shop)
    #expect(try await shop.entitlement(of: "alice")?.state == .active)
    #expect(try await shop.entitlement(of: "bob")?.state == .active)
    #expect(try await shop.violations() == [])
  }
}
