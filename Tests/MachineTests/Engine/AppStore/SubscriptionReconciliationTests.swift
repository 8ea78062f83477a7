import AppStoreIntegration
import AppStoreSimulator
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import CounterfoilAPI
import SimulationKit
import Testing

@Suite struct `The comparison of subscriptions with Apple's own records` {
  /// A subscription of alice that is bought and known; all its notifications get lost.
  private func subscribed() throws -> (town: AppStoreEngineFixture, line: TransactionIdentifier) {
    let town = try AppStoreEngineFixture()
    let line = try town.perform { town async throws in
      try await town.apple.setKnob(.notifyNever, to: 1)
      let order = try await town.order("monthly")
      let id = try await town.buy("com.example.monthly", token: order)
      #expect(try await town.submit(town.apple.signedTransaction(id).signedTransaction).map(\.verdict) == [.fulfilled])
      return id
    }
    return (town, line)
  }

  private func right(_ town: AppStoreEngineFixture) throws -> Entitlement? {
    try town.perform {
      try await $0.engine.readEntitlements(of: "alice", in: AppStoreEngineFixture.appEnvironment).first
    }
  }

  private static func run(_ town: AppStoreEngineFixture, until moment: Timestamp) {
    town.world.run(for: moment - town.now())
  }

  private func compare(_ town: AppStoreEngineFixture) throws -> AppStoreReport {
    try town.perform { try await $0.engine.reconcileAppStore($0.app) }
  }

  @Test func `asks about a subscription without an update on its next period, and grants it to the owner`() throws {
    let (town, line) = try subscribed()
    let end = try #require(try right(town)?.until)
    Self.run(town, until: end - .hours(2))
    try town.perform { _ = try await $0.apple.renew(line) }
    town.world.run(for: .hours(4))
    #expect(try right(town)?.state == .expired)
    let report = try compare(town)
    #expect(report.lines == 1)
    #expect(report.findings.map(\.kind) == [.missedPayment])
    #expect(report.differences == [])
    #expect(try right(town)?.state == .active)
    #expect(try right(town)?.willRenew == true)
    #expect(town.calls.count("/inApps/v1/subscriptions/") == 1)
    // The next period runs: no request is needed.
    town.world.run(for: .hours(1))
    #expect(try compare(town).lines == 0)
    try town.perform { town async throws in #expect(try await town.violations() == []) }
  }

  @Test func `learns that a user has cancelled, and then asks no more`() throws {
    let (town, line) = try subscribed()
    let end = try #require(try right(town)?.until)
    try town.perform { try await $0.apple.setAutoRenew(line, to: false) }
    Self.run(town, until: end + .hours(2))
    #expect(try compare(town).lines == 1)
    #expect(try right(town)?.willRenew == false)
    #expect(try right(town)?.state == .expired)
    town.world.run(for: .days(2))
    #expect(try compare(town).lines == 0)
  }

  @Test func `stops if Apple is silent, and asks again next time`() throws {
    let (town, _) = try subscribed()
    let end = try #require(try right(town)?.until)
    Self.run(town, until: end + .hours(2))
    try town.perform { try await $0.apple.plan(PlannedAPIFault(.loseRequest, of: .statuses)) }
    #expect(try compare(town).stoppedBy != nil)
    #expect(try compare(town).lines == 1)
  }

  @Test func `asks Apple daily about a subscription without renewal or reported end, for sixty days`() throws {
    let (town, line) = try subscribed()
    let end = try #require(try right(town)?.until)
    Self.run(town, until: end + .hours(2))
    var asked = 0
    for _ in 0..<70 {
      asked += try compare(town).lines
      town.world.run(for: .days(1))
    }
    #expect((55...62).contains(asked))
    _ = line
  }
}
