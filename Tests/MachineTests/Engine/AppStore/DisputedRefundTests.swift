import AppStoreSimulator
import PaymentEngine
import PaymentModel
import PaymentDatabase
import PaymentPrimitives
import CounterfoilAPI
import SimulationKit
import Testing

@Suite struct `Ids that disagree on a refund` {
  /// A non-consumable of alice's, delivered again under a second id. The first was refunded; the second, signed later,
  /// does not show it.
  ///
  /// - Parameter span: how far in the future the second was signed.
  private func disputed(hasKey: Bool, signedAhead span: TimeSpan = .zero) throws -> (
    AppStoreEngineFixture, TransactionIdentifier
  ) {
    let town = try AppStoreEngineFixture(hasKey: hasKey)
    town.startStandingWork()
    let (first, other) = try town.perform { town async throws in
      let order = try await town.order("premium")
      let first = try await town.buy("com.example.premium", token: order)
      _ = try await town.submit(town.apple.signedTransaction(first).signedTransaction)
      try await town.apple.setKnob(.newIdWhenOwned, to: 1)
      let other = try await town.buy("com.example.premium")
      _ = try await town.submit(town.apple.signedTransaction(other).signedTransaction)
      return (first, other)
    }
    #expect(first != other)
    town.world.run(for: .minutes(10))
    try town.perform { town async throws in
      _ = try await town.apple.refund(first)
      #expect(try await town.submit(town.apple.signedTransaction(first).signedTransaction).map(\.verdict) == [.revoked])
    }
    town.world.run(for: .minutes(10))
    try town.perform { town async throws in
      // The simulated store shows a refund under every id. Apple may sign an id without it.
      var silent = try #require(try await town.store.read { try $0.duplicate(AppStoreEngineFixture.key(other))?.facts })
      (silent.signedDate, silent.revocation) = (town.now() + span, nil)
      let update = PaymentUpdate(facts: silent, evidence: "a.b.c", origin: .storeAnswer)
      #expect(try await town.engine.fulfil(update, for: town.app).nothingIsLeft)
      #expect(
        try await town.engine.disputedRefunds(in: [AppStoreEngineFixture.appEnvironment], limit: 9).map(\.key) == [
          AppStoreEngineFixture.key(first)
        ])
    }
    return (town, first)
  }

  @Test func `make the server ask Apple about the refunded id, and Apple's answer counts`() throws {
    let (town, first) = try disputed(hasKey: true)
    try town.perform { town async throws in
      #expect(
        try await town.appStoreTasks().contains { $0.purpose == .ask && $0.payment == AppStoreEngineFixture.key(first) }
      )
    }
    town.world.run(for: .minutes(10))
    try town.perform { town async throws in
      #expect(town.calls.count("/inApps/v1/transactions/\(first)") > 0)
      #expect(try await town.payment(first)?.idsDisagreeSince == nil)
      #expect(try await town.payment(first)?.state == .reversed(amount: 1))
      #expect(try await town.appStoreTasks().allSatisfy { $0.purpose != .ask })
      #expect(try await town.violations() == [])
    }
  }

  @Test func `give the purchase back if Apple answers that the refund was reversed`() throws {
    let (town, first) = try disputed(hasKey: true)
    try town.perform { town async throws in try await town.apple.reverseRefund(first) }
    town.world.run(for: .minutes(10))
    try town.perform { town async throws in
      #expect(try await town.payment(first)?.idsDisagreeSince == nil)
      #expect(try await town.payment(first)?.state == .reinstated(amount: 0))
      #expect(try await town.violations() == [])
    }
  }

  @Test func `make the server ask Apple again while newer evidence contradicts its answer`() throws {
    let (town, first) = try disputed(hasKey: true, signedAhead: .hours(1))
    town.world.run(for: .minutes(10))
    try town.perform { town async throws in
      #expect(town.calls.count("/inApps/v1/transactions/\(first)") > 0)
      #expect(try await town.payment(first)?.idsDisagreeSince != nil)
      #expect(
        try await town.appStoreTasks().contains { $0.purpose == .ask && $0.payment == AppStoreEngineFixture.key(first) }
      )
    }
    town.world.run(for: .days(2))
    try town.perform { town async throws in
      #expect(try await town.payment(first)?.idsDisagreeSince == nil)
      #expect(try await town.payment(first)?.state == .reversed(amount: 1))
      #expect(try await town.violations() == [])
    }
  }

  @Test func `wait for an operator if there is no key for Apple's servers`() throws {
    let (town, first) = try disputed(hasKey: false)
    town.world.run(for: .days(2))
    try town.perform { town async throws in
      #expect(try await town.appStoreTasks() == [])
      #expect(try await town.payment(first)?.idsDisagreeSince != nil)
      let decided = try await town.engine.decideDisputedRefund(
        AppStoreEngineFixture.key(first), stands: true, by: "olivia", reason: "seen in App Store Connect")
      #expect(decided.payment.state == .reversed(amount: 1))
      #expect(try await town.engine.disputedRefunds(in: [AppStoreEngineFixture.appEnvironment], limit: 9) == [])
      #expect(try await town.violations() == [])
    }
  }
}
