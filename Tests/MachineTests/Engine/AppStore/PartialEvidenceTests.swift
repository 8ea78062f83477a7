import AppStoreSimulator
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import CounterfoilAPI
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

  private func town(hasKey: Bool) throws -> (AppStoreEngineFixture, Told) {
    let town = try AppStoreEngineFixture(hasKey: hasKey)
    let (id, sold) = try town.perform { town async throws in
      let order = try await town.order()
      let id = try await town.buy(token: order)
      return (id, try await town.apple.signedTransaction(id).signedTransaction)
    }
    town.world.run(for: .minutes(1))
    let refunded = try town.perform { town async throws in
      _ = try await town.apple.refund(id, percentage: 40_000)
      return try await town.apple.signedTransaction(id).signedTransaction
    }
    town.world.run(for: .hours(1))
    let receipt = try town.perform { try await $0.apple.appReceipt(of: AppStoreEngineFixture.alice) }
    return (town, Told(id: id, sold: sold, refunded: refunded, receipt: receipt))
  }

  @Test(arguments: [true, false])
  func `takes nothing from known facts: a partial refund stays, and a token stays`(hasKey: Bool) throws {
    let (town, told) = try town(hasKey: hasKey)
    try town.perform { town async throws in
      #expect(try await town.submit(told.sold).map(\.verdict) == [.fulfilled])
      _ = try await town.submit(told.refunded)
      #expect(try await town.coins() == 60)
      let known = try #require(try await town.payment(told.id))
      _ = try await town.submit(told.receipt)
      _ = try await town.submit(told.receipt, by: "bob")
      var facts = known.facts
      (facts.token, facts.revocation, facts.signedDate) = (nil, nil, town.now())
      var update = PaymentUpdate(facts: facts, evidence: "a receipt", origin: .storeAnswer)
      update.isWhole = false
      _ = try await town.engine.fulfil(update, for: town.app)
      #expect(try await town.payment(told.id)?.facts == known.facts)
      #expect(try await town.coins() == 60)
      #expect(try await town.coins(of: "bob") == 0)
      #expect(try await town.violations() == [])
    }
  }

  @Test func `is completed by earlier evidence from Apple that arrives after the receipt`() throws {
    let (town, told) = try town(hasKey: false)
    try town.perform { town async throws in
      #expect(try await town.submit(told.receipt).map(\.verdict) == [.fulfilled])
      #expect(try await town.coins() == 100)
      _ = try await town.submit(told.refunded)
      #expect(try await town.coins() == 60)
      _ = try await town.submit(told.sold)
      #expect(try await town.coins() == 60)
      #expect(try await town.payment(told.id)?.facts.token != nil)
      #expect(try await town.violations() == [])
    }
  }

  @Test func `makes an unowned payment belong to the order of its token, once the token is seen`() throws {
    let (town, told) = try town(hasKey: false)
    try town.perform { town async throws in
      _ = try await town.submit(told.receipt, by: nil)
      #expect(try await town.payment(told.id)?.state == .unclaimed)
      #expect(try await town.submit(told.sold, by: "bob").map(\.verdict) == [.fulfilledForAnother])
      #expect(try await town.coins() == 100)
      #expect(try await town.violations() == [])
    }
  }
}
