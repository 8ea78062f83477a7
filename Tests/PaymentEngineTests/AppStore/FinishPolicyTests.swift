import AppStoreSimulator
import CounterfoilAPI
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

@Suite struct `A transaction that is stored and not yet decided` {
  private static func silentFixture(_ policy: AppPolicy.FinishPolicy, seed: UInt64 = 1) throws -> AppStoreEngineFixture
  {
    let fixture = try AppStoreEngineFixture(seed: seed) { $0.finishWhen = policy }
    try fixture.perform { try await $0.apple.apiSettings.plan(PlannedAPIFault(.loseRequest, count: nil)) }
    return fixture
  }

  @Test(arguments: AppPolicy.FinishPolicy.allCases)
  func `may be finished only if the app's policy allows it`(policy: AppPolicy.FinishPolicy) async throws {
    let fixture = try Self.silentFixture(policy)
    try fixture.perform { fixture async throws in
      _ = try await fixture.buy()
      let pending = try await fixture.submit(fixture.apple.appReceipt(of: AppStoreEngineFixture.alice))
      #expect(pending.map(\.verdict) == [.pending])
      #expect(pending.map(\.finish) == [policy == .kept])
      #expect(try await fixture.appStoreTasks().map(\.purpose) == [.ask], "only the request is stored")
    }
    let shop = try EngineFixture { $0.finishWhen = policy }
    let unclaimed = try await shop.submit(shop.transaction("1"), by: nil)
    #expect(unclaimed.verdict == .unclaimed && unclaimed.finish == (policy == .kept))
  }

  @Test func `may not be finished for a bare number that Apple does not answer: nothing of it is stored`() throws {
    let fixture = try Self.silentFixture(.kept)
    try fixture.perform { fixture async throws in
      let id = try await fixture.buy()
      let answer = try #require(try await fixture.ask(id))
      #expect(answer.verdict == .pending && !answer.finish)
      #expect(try await fixture.appStoreTasks().isEmpty)
    }
  }

  @Test func `may not be finished if it is not genuine, under any policy (X3, X4)`() async throws {
    let shop = try EngineFixture { $0.finishWhen = .kept }
    let other = shop.transaction("1") { $0["bundleId"] = "com.example.other" }
    let answer = try await shop.submit(other)
    #expect(answer.verdict == .refused && !answer.finish)
  }

  @Test func `may lose its order to an equal one if both were finished at once, but no money (1B.23)`() throws {
    // The first one that Apple answers takes the newest order: in some world that is the wrong one.
    let loses = try (1...8).contains { try Self.isPaidByTheOther(seed: $0) }
    #expect(loses)
  }

  /// Whether each of two equal orders is paid by the purchase that was meant for the other.
  private static func isPaidByTheOther(seed: UInt64) throws -> Bool {
    let fixture = try silentFixture(.kept, seed: seed)
    let first = try fixture.perform { try await $0.order() }
    fixture.world.run(for: .minutes(1))
    let second = try fixture.perform { try await $0.order() }
    fixture.world.run(for: .minutes(1))
    // The user means the first purchase for the second order; only the user knows that.
    let meant = [second, first]
    let bought = try fixture.perform { fixture async throws in
      var bought: [TransactionIdentifier] = []
      for _ in meant {
        let id = try await fixture.buy()
        let answers = try await fixture.submit(
          fixture.apple.appReceipt(of: AppStoreEngineFixture.alice), naming: id, orders: [first, second])
        #expect(answers.first?.transaction == id && answers.first?.finish == true)
        try await fixture.apple.purchases.finish(id, of: AppStoreEngineFixture.alice)
        bought.append(id)
      }
      try await fixture.apple.apiSettings.forgetFaults()
      return bought
    }
    fixture.startBackgroundTasks()
    fixture.world.run(for: .hours(2))
    return try fixture.perform { fixture async throws in
      let payments = [
        try #require(try await fixture.payment(bought[0])), try #require(try await fixture.payment(bought[1])),
      ]
      #expect(Set(payments.map(\.order)) == [first, second])
      #expect(payments.count { $0.match?.flags.contains(.severalCandidates) == true } == 1)
      #expect(try await fixture.coins() == 200)
      #expect(try await fixture.violations() == [])
      return payments.map(\.order) != meant
    }
  }
}
