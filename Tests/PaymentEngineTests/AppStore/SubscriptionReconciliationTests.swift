import AppStoreIntegration
import AppStoreSimulator
import CounterfoilAPI
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import SimulatorCore
import Testing

@Suite struct `The comparison of subscriptions with Apple's own records` {
  /// A subscription of alice that is bought and known; all its notifications get lost.
  private func subscribed() throws -> (fixture: AppStoreEngineFixture, originalTransaction: TransactionIdentifier) {
    let fixture = try AppStoreEngineFixture()
    let originalTransaction = try fixture.perform { fixture async throws in
      try await fixture.apple.setBehaviour(.notifyNever, to: 1)
      let order = try await fixture.order("monthly")
      let id = try await fixture.buy("com.example.monthly", token: order)
      #expect(
        try await fixture.submit(fixture.apple.signedTransaction(id).signedTransaction).map(\.verdict) == [.fulfilled])
      return id
    }
    return (fixture, originalTransaction)
  }

  private func entitlement(_ fixture: AppStoreEngineFixture) throws -> Entitlement? {
    try fixture.perform {
      try await $0.engine.readEntitlements(of: "alice", in: EngineFixture.appEnvironment).first
    }
  }

  private static func run(_ fixture: AppStoreEngineFixture, until moment: Timestamp) {
    fixture.world.run(for: moment - fixture.now())
  }

  private func compare(_ fixture: AppStoreEngineFixture) throws -> AppStoreReport {
    try fixture.perform { try await $0.engine.reconcileAppStore($0.app) }
  }

  @Test func `asks about a subscription without an update on its next period, and grants it to the owner`() throws {
    let (fixture, originalTransaction) = try subscribed()
    let end = try #require(try entitlement(fixture)?.until)
    Self.run(fixture, until: end - .hours(2))
    try fixture.perform { _ = try await $0.apple.subscriptions.renew(originalTransaction) }
    fixture.world.run(for: .hours(4))
    #expect(try entitlement(fixture)?.state == .expired)
    let report = try compare(fixture)
    #expect(report.subscriptions == 1)
    #expect(report.findings.map(\.kind) == [.missedPayment])
    #expect(report.differences == [])
    #expect(try entitlement(fixture)?.state == .active)
    #expect(try entitlement(fixture)?.willRenew == true)
    #expect(fixture.calls.count("/inApps/v1/subscriptions/") == 1)
    // The next period runs: no request is needed.
    fixture.world.run(for: .hours(1))
    #expect(try compare(fixture).subscriptions == 0)
    try fixture.perform { fixture async throws in #expect(try await fixture.violations() == []) }
  }

  @Test func `learns that a user has cancelled, and then asks no more`() throws {
    let (fixture, originalTransaction) = try subscribed()
    let end = try #require(try entitlement(fixture)?.until)
    try fixture.perform { try await $0.apple.subscriptions.setAutoRenew(originalTransaction, to: false) }
    Self.run(fixture, until: end + .hours(2))
    #expect(try compare(fixture).subscriptions == 1)
    #expect(try entitlement(fixture)?.willRenew == false)
    #expect(try entitlement(fixture)?.state == .expired)
    fixture.world.run(for: .days(2))
    #expect(try compare(fixture).subscriptions == 0)
  }

  @Test func `stops if Apple is silent, and asks again next time`() throws {
    let (fixture, _) = try subscribed()
    let end = try #require(try entitlement(fixture)?.until)
    Self.run(fixture, until: end + .hours(2))
    try fixture.perform { try await $0.apple.apiSettings.plan(PlannedAPIFault(.loseRequest, of: .statuses)) }
    #expect(try compare(fixture).stoppedBy != nil)
    #expect(try compare(fixture).subscriptions == 1)
  }

  @Test func `asks Apple daily about a subscription without renewal or reported end, for sixty days`() throws {
    let (fixture, originalTransaction) = try subscribed()
    let end = try #require(try entitlement(fixture)?.until)
    Self.run(fixture, until: end + .hours(2))
    var asked = 0
    for _ in 0..<70 {
      asked += try compare(fixture).subscriptions
      fixture.world.run(for: .days(1))
    }
    #expect((55...62).contains(asked))
    _ = originalTransaction
  }
}
