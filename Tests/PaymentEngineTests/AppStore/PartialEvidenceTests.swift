import AppStoreSimulator
import CounterfoilAPI
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing

@Suite struct `A fact that evidence leaves out` {
  /// A purchase of alice's, partly refunded, as Apple signed it before and after, and her receipt of an hour later.
  private struct Told: Sendable {
    let id: TransactionIdentifier
    let sold: String
    let refunded: String
    let receipt: String
  }

  private func fixture(hasKey: Bool) throws -> (AppStoreEngineFixture, Told) {
    let fixture = try AppStoreEngineFixture(hasKey: hasKey)
    let (id, sold) = try fixture.perform { fixture async throws in
      let order = try await fixture.order()
      let id = try await fixture.buy(token: order)
      return (id, try await fixture.apple.signedTransaction(id).signedTransaction)
    }
    fixture.world.run(for: .minutes(1))
    let refunded = try fixture.perform { fixture async throws in
      _ = try await fixture.apple.refunds.refund(id, percentage: 40_000)
      return try await fixture.apple.signedTransaction(id).signedTransaction
    }
    fixture.world.run(for: .hours(1))
    let receipt = try fixture.perform { try await $0.apple.appReceipt(of: AppStoreEngineFixture.alice) }
    return (fixture, Told(id: id, sold: sold, refunded: refunded, receipt: receipt))
  }

  @Test(arguments: [true, false])
  func `takes nothing from known facts: a partial refund stays, and a token stays`(hasKey: Bool) throws {
    let (fixture, told) = try fixture(hasKey: hasKey)
    try fixture.perform { fixture async throws in
      #expect(try await fixture.submit(told.sold).map(\.verdict) == [.fulfilled])
      _ = try await fixture.submit(told.refunded)
      #expect(try await fixture.coins() == 60)
      let known = try #require(try await fixture.payment(told.id))
      _ = try await fixture.submit(told.receipt)
      _ = try await fixture.submit(told.receipt, by: "bob")
      var facts = known.facts
      (facts.token, facts.revocation, facts.signedDate) = (nil, nil, fixture.now())
      var update = PaymentUpdate(facts: facts, evidence: "a receipt", origin: .storeAnswer)
      update.isWhole = false
      _ = try await fixture.engine.fulfil(update, for: fixture.app)
      #expect(try await fixture.payment(told.id)?.facts == known.facts)
      #expect(try await fixture.coins() == 60)
      #expect(try await fixture.coins(of: "bob") == 0)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `is completed by earlier evidence from Apple that arrives after the receipt`() throws {
    let (fixture, told) = try fixture(hasKey: false)
    try fixture.perform { fixture async throws in
      #expect(try await fixture.submit(told.receipt).map(\.verdict) == [.fulfilled])
      #expect(try await fixture.coins() == 100)
      _ = try await fixture.submit(told.refunded)
      #expect(try await fixture.coins() == 60)
      _ = try await fixture.submit(told.sold)
      #expect(try await fixture.coins() == 60)
      #expect(try await fixture.payment(told.id)?.facts.token != nil)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `makes an unowned payment belong to the order of its token, once the token is seen`() throws {
    let (fixture, told) = try fixture(hasKey: false)
    try fixture.perform { fixture async throws in
      _ = try await fixture.submit(told.receipt, by: nil)
      #expect(try await fixture.payment(told.id)?.state == .unclaimed)
      #expect(try await fixture.submit(told.sold, by: "bob").map(\.verdict) == [.fulfilledForAnother])
      #expect(try await fixture.coins() == 100)
      #expect(try await fixture.violations() == [])
    }
  }
}
