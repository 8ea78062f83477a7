import AppStoreSimulator
import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import SimulatorCore
import Testing

@Suite struct `Ids that disagree on a refund` {
  /// A non-consumable of alice's, delivered again under a second id. The first was refunded; the second, signed later,
  /// does not show it.
  ///
  /// - Parameter span: how far in the future the second was signed.
  private func disputed(hasKey: Bool, signedAhead span: TimeSpan = .zero) throws -> (
    AppStoreEngineFixture, TransactionIdentifier
  ) {
    let fixture = try AppStoreEngineFixture(hasKey: hasKey)
    fixture.startBackgroundTasks()
    let (first, other) = try fixture.perform { fixture async throws in
      let order = try await fixture.order("premium")
      let first = try await fixture.buy("com.example.premium", token: order)
      _ = try await fixture.submit(fixture.apple.signedTransaction(first).signedTransaction)
      try await fixture.apple.setBehaviour(.newIdWhenOwned, to: 1)
      let other = try await fixture.buy("com.example.premium")
      _ = try await fixture.submit(fixture.apple.signedTransaction(other).signedTransaction)
      return (first, other)
    }
    #expect(first != other)
    fixture.world.run(for: .minutes(10))
    try fixture.perform { fixture async throws in
      _ = try await fixture.apple.refunds.refund(first)
      #expect(
        try await fixture.submit(fixture.apple.signedTransaction(first).signedTransaction).map(\.verdict) == [.revoked])
    }
    fixture.world.run(for: .minutes(10))
    try fixture.perform { fixture async throws in
      // The simulated store shows a refund under every id. Apple may sign an id without it.
      var silent = try #require(
        try await fixture.database.read { try $0.duplicate(EngineFixture.key(other))?.facts })
      (silent.signedDate, silent.revocation) = (fixture.now() + span, nil)
      let update = PaymentUpdate(facts: silent, evidence: "a.b.c", origin: .storeAnswer)
      #expect(try await fixture.engine.fulfil(update, for: fixture.app).nothingIsLeft)
      #expect(
        try await fixture.engine.disputedRefunds(in: [EngineFixture.appEnvironment], limit: 9).map(\.key) == [
          EngineFixture.key(first)
        ])
    }
    return (fixture, first)
  }

  @Test func `make the server ask Apple about the refunded id, and Apple's answer counts`() throws {
    let (fixture, first) = try disputed(hasKey: true)
    try fixture.perform { fixture async throws in
      #expect(
        try await fixture.appStoreTasks().contains {
          $0.purpose == .ask && $0.payment == EngineFixture.key(first)
        }
      )
    }
    fixture.world.run(for: .minutes(10))
    try fixture.perform { fixture async throws in
      #expect(fixture.calls.count("/inApps/v1/transactions/\(first)") > 0)
      #expect(try await fixture.payment(first)?.idsDisagreeSince == nil)
      #expect(try await fixture.payment(first)?.state == .reversed(amount: 1))
      #expect(try await fixture.appStoreTasks().allSatisfy { $0.purpose != .ask })
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `give the purchase back if Apple answers that the refund was reversed`() throws {
    let (fixture, first) = try disputed(hasKey: true)
    try fixture.perform { fixture async throws in try await fixture.apple.refunds.reverse(first) }
    fixture.world.run(for: .minutes(10))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.payment(first)?.idsDisagreeSince == nil)
      #expect(try await fixture.payment(first)?.state == .reinstated(amount: 0))
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `make the server ask Apple again while newer evidence contradicts its answer`() throws {
    let (fixture, first) = try disputed(hasKey: true, signedAhead: .hours(1))
    fixture.world.run(for: .minutes(10))
    try fixture.perform { fixture async throws in
      #expect(fixture.calls.count("/inApps/v1/transactions/\(first)") > 0)
      #expect(try await fixture.payment(first)?.idsDisagreeSince != nil)
      #expect(
        try await fixture.appStoreTasks().contains {
          $0.purpose == .ask && $0.payment == EngineFixture.key(first)
        }
      )
    }
    fixture.world.run(for: .days(2))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.payment(first)?.idsDisagreeSince == nil)
      #expect(try await fixture.payment(first)?.state == .reversed(amount: 1))
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `wait for an operator if there is no key for Apple's servers`() throws {
    let (fixture, first) = try disputed(hasKey: false)
    fixture.world.run(for: .days(2))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.appStoreTasks() == [])
      #expect(try await fixture.payment(first)?.idsDisagreeSince != nil)
      let decided = try await fixture.engine.decideDisputedRefund(
        EngineFixture.key(first), stands: true, by: "olivia", reason: "seen in App Store Connect")
      #expect(decided.payment.state == .reversed(amount: 1))
      #expect(try await fixture.engine.disputedRefunds(in: [EngineFixture.appEnvironment], limit: 9) == [])
      #expect(try await fixture.violations() == [])
    }
  }
}
