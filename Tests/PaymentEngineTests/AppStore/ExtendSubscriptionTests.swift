import AppStoreIntegration
import AppStoreProtocol
import AppStoreSimulator
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Synchronization
import Testing

/// An operator's extension of renewal dates, with the simulated App Store beside the server (AS-EXT-1 to AS-EXT-4).
@Suite struct `An extension of a renewal date` {
  private static let reason = OperatorReason(name: "olga", text: "an outage")

  /// What became of a wish; or the code of its refusal.
  private func extend(
    _ id: TransactionIdentifier, endingAt end: Timestamp, by days: Int64 = 30, _ fixture: AppStoreEngineFixture
  ) async throws -> (SubscriptionExtension?, EngineErrorCode?) {
    // Of two statements that Apple signs in one millisecond, the first counts.
    try await fixture.process.dependencies().sleep(.seconds(1))
    do {
      let result = try await fixture.engine.extendSubscription(
        id, endingAt: end, by: days, .serviceIssue, in: nil, for: fixture.app, reason: Self.reason)
      return (result, nil)
    } catch let error as CodedError<EngineErrorCode> { return (nil, error.code) }
  }

  private func bought(_ fixture: AppStoreEngineFixture) async throws -> (TransactionIdentifier, Timestamp) {
    let id = try await fixture.buy("com.example.monthly", token: try await fixture.order("monthly"))
    _ = try await fixture.ask(id)
    return (id, try await periodEnd(id, fixture))
  }

  private func periodEnd(_ id: TransactionIdentifier, _ fixture: AppStoreEngineFixture) async throws -> Timestamp {
    try #require(try await fixture.payment(id)?.facts.expiresDate)
  }

  @Test(arguments: [0, 91, -1] as [Int64])
  func `is refused for a number of days that Apple does not take, and Apple is not asked`(_ days: Int64) throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let (id, end) = try await bought(fixture)
      #expect(try await extend(id, endingAt: end, by: days, fixture).1 == .extensionNotPossible)
      #expect(fixture.calls.count("/subscriptions/extend/") == 0)
    }
  }

  @Test func `is refused without a key, and for what is no subscription here`() throws {
    let keyless = try AppStoreEngineFixture(hasKey: false)
    try keyless.perform { fixture async throws in
      let refused = await #expect(throws: CodedError<EngineErrorCode>.self) {
        _ = try await fixture.engine.massExtension(
          of: "com.example.monthly", identifier: "1", in: nil, for: fixture.app)
      }
      #expect(refused?.code == .storeNotConfigured)
    }
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      #expect(try await extend("42", endingAt: fixture.now(), fixture).1 == .paymentUnknown)
      let coins = try await fixture.buy()
      #expect(try await extend(coins, endingAt: fixture.now(), fixture).1 == .paymentUnknown)
      #expect(fixture.calls.count("/subscriptions/extend/") == 0)
    }
  }

  @Test func `puts the end off once; a repetition asks for nothing, and the ledger has the new end`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let (id, end) = try await bought(fixture)
      #expect(try await extend(id, endingAt: end, fixture).0 == .extended(until: end + .days(30)))
      #expect(try await extend(id, endingAt: end, fixture).0 == .endsElsewhere(end + .days(30)))
      #expect(try await periodEnd(id, fixture) == end + .days(30))
      #expect(fixture.calls.count("/subscriptions/extend/") == 1)
      #expect(try await fixture.journal(id).contains("line.extended"))
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `whose answer was lost is not asked for twice`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let (id, end) = try await bought(fixture)
      try await fixture.apple.apiSettings.plan(PlannedAPIFault(.loseAnswer, of: .extendRenewal, count: 1))
      #expect(try await extend(id, endingAt: end, fixture).1 == .appStoreUnanswered)
      #expect(try await extend(id, endingAt: end, fixture).0 == .endsElsewhere(end + .days(30)))
      #expect(fixture.calls.count("/subscriptions/extend/") == 1)
      #expect(try await periodEnd(id, fixture) == end + .days(30))
    }
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func `that two operators ask for at the same time is asked of Apple once`(_ seed: UInt64) throws {
    // Each has read the old end before the other one sends.
    let fixture = try AppStoreEngineFixture(seed: seed, after: .seconds(1))
    try fixture.perform { fixture async throws in
      let (id, end) = try await bought(fixture)
      async let first = extend(id, endingAt: end, fixture)
      async let second = extend(id, endingAt: end, fixture)
      let results = try await [first, second]
      let until = end + .days(30)
      #expect(results.count { $0.0 == .extended(until: until) } == 1)
      #expect(results.count { $0.0 == .endsElsewhere(until) || $0.1 == .appStoreUnanswered } == 1)
      #expect(try await extend(id, endingAt: end, fixture).0 == .endsElsewhere(until))
      #expect(fixture.calls.count("/subscriptions/extend/") == 1)
      #expect(try await periodEnd(id, fixture) == until)
    }
  }

  @Test func `that never reached Apple may be asked for again, but not before the first cannot arrive`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let (id, end) = try await bought(fixture)
      try await fixture.apple.apiSettings.plan(PlannedAPIFault(.loseRequest, of: .extendRenewal, count: 1))
      for _ in 0..<2 { #expect(try await extend(id, endingAt: end, fixture).1 == .appStoreUnanswered) }
      #expect(fixture.calls.count("/subscriptions/extend/") == 1)
      try await fixture.process.dependencies().sleep(.minutes(16))
      #expect(try await extend(id, endingAt: end, fixture).0 == .extended(until: end + .days(30)))
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `that Apple has made is not asked for again while Apple still tells the old end`() throws {
    let told = Mutex<String?>(nil)
    let fixture = try AppStoreEngineFixture(answering: { body in
      guard body.contains("lastTransactions") else { return body }
      return told.withLock { kept in
        kept = kept ?? body
        return kept ?? body
      }
    })
    try fixture.perform { fixture async throws in
      let (id, end) = try await bought(fixture)
      #expect(try await extend(id, endingAt: end, fixture).0 == .extended(until: end + .days(30)))
      #expect(try await extend(id, endingAt: end, fixture).0 == .endsElsewhere(end + .days(30)))
      #expect(fixture.calls.count("/subscriptions/extend/") == 1)
    }
  }

  @Test func `is refused by Apple a third time in a year, with nothing changed`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let (id, end) = try await bought(fixture)
      for round in 0..<2 {
        let now = end + .days(Int64(round) * 30)
        #expect(try await extend(id, endingAt: now, fixture).0 == .extended(until: now + .days(30)))
      }
      #expect(try await extend(id, endingAt: end + .days(60), fixture).1 == .extensionNotPossible)
      #expect(try await periodEnd(id, fixture) == end + .days(60))
    }
  }

  @Test func `for all subscribers is done once for each identifier, and tells how far it is`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let (id, end) = try await bought(fixture)
      let product: StoreProductIdentifier = "com.example.monthly"
      let request = try RenewalExtensionRequest(days: 7, reason: .other, identifier: "outage-1")
      let unknown = await #expect(throws: CodedError<EngineErrorCode>.self) {
        _ = try await fixture.engine.massExtension(of: product, identifier: "outage-1", in: nil, for: fixture.app)
      }
      #expect(unknown?.code == .extensionUnknown)
      for _ in 0..<2 {
        let status = try await fixture.engine.extendAllSubscribers(
          to: product, request, storefronts: nil, in: nil, for: fixture.app, reason: Self.reason)
        #expect(status.complete && status.succeededCount == 1 && status.failedCount == 0)
      }
      #expect(try await extend(id, endingAt: end, fixture).0 == .endsElsewhere(end + .days(7)))
      await #expect(throws: CodedError<EngineErrorCode>.self) {
        _ = try await fixture.engine.extendAllSubscribers(
          to: product, request, storefronts: ["chn"], in: nil, for: fixture.app, reason: Self.reason)
      }
    }
  }
}
