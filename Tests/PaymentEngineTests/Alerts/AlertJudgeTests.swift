import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import StrictJSON
import TestDoubles
import Testing

/// Each rule with a case that is told and one that is quiet, beside those of Prometheus.
@Suite struct `The judgement of alerts` {
  private typealias Change = @Sendable (Metrics) -> Void

  private static let shop = [("app", "shop"), ("environment", "simulated")]
  private static let noon = Double(EngineFixture.noon.milliseconds) / 1000

  /// The rules that are told of measurements: what stands before, and what comes within the span.
  private func told(
    _ before: Change = { _ in }, during span: TimeSpan = .minutes(1), each turn: Change
  ) async throws -> Set<AlertRule> {
    let fixture = try AlertFixture([AlertFixture.channel { $0.after = .seconds(1) }])
    let metrics = fixture.shop.engine.metrics
    before(metrics)
    await fixture.run(for: .seconds(15))
    for _ in 0..<(span.milliseconds / 15_000) {
      turn(metrics)
      await fixture.run(for: .seconds(15))
    }
    return Set(
      fixture.told.joined().compactMap { told in
        AlertRule(rawValue: told.split(separator: " ").dropFirst().first.map(String.init) ?? "")
      })
  }

  @Test func `knows each rule of Prometheus but the one that needs somebody else, and no other`() throws {
    let own = Set(AlertRule.allCases.map(\.rawValue))
    #expect(own.count == AlertRule.allCases.count && own.count == 19)
  }

  @Test func `tells what waits, by its number and its age`() async throws {
    #expect(try await told { $0.set(.stoppedChanges, Self.shop + [("kind", "noPlan")], to: 1) } == [.changesStopped])
    #expect(try await told { $0.set(.stoppedChanges, Self.shop + [("kind", "noPlan")], to: 0) } == [])
    #expect(try await told { $0.set(.deliveriesParked, Self.shop, to: 2) } == [.deliveriesParked])
    #expect(try await told { $0.set(.oldestUndeliveredSeconds, Self.shop, to: 5) } == [.undelivered])
    #expect(try await told { $0.set(.oldestUndeliveredSeconds, Self.shop, to: 0.5) } == [])
    for state in ["held", "unclaimed"] {
      let labels = Self.shop + [("state", state)]
      #expect(try await told { $0.set(.oldestWaitingPaymentSeconds, labels, to: 86_401) } == [.paidWaitsForAPerson])
      #expect(try await told { $0.set(.oldestWaitingPaymentSeconds, labels, to: 86_399) } == [])
    }
    let setAside = Self.shop + [("state", "setAside")]
    #expect(try await told { $0.set(.oldestWaitingPaymentSeconds, setAside, to: 1e9) } == [])
    for (state, seconds) in [("unanswered", 72_000.0), ("answered", 230_400)] {
      let labels = Self.shop + [("state", state)]
      #expect(try await told { $0.set(.oldestComplaintSeconds, labels, to: seconds + 1) } == [.complaintDue])
      #expect(try await told { $0.set(.oldestComplaintSeconds, labels, to: seconds - 1) } == [])
    }
    // Nothing of another environment wakes anybody.
    let sandbox = [("app", "shop"), ("environment", "sandbox")]
    #expect(try await told { $0.set(.oldestUndeliveredSeconds, sandbox, to: 1e6) } == [])
  }

  @Test func `tells what increased, and nothing that was counted before`() async throws {
    let broken = [("invariant", "2")]
    #expect(try await told { $0.count(.invariantViolationTotal, broken) } == [.invariantBroken])
    #expect(try await told({ $0.count(.invariantViolationTotal, broken) }, each: { _ in }) == [])
    let differs = [("store", "weChatPay"), ("outcome", "differences")]
    #expect(try await told { $0.count(.reconciliationsTotal, differs) } == [.reconciliationDiffers])
    let matches = [("store", "weChatPay"), ("outcome", "matched")]
    #expect(try await told { $0.count(.reconciliationsTotal, matches) } == [])
    let forged = [("reason", "signature")]
    #expect(try await told { $0.count(.verifyFailuresTotal, forged, by: 601) } == [.forgeries])
    #expect(try await told(during: .minutes(30)) { $0.count(.verifyFailuresTotal, forged, by: 14) } == [])
  }

  @Test func `tells of stores that do not answer or do not notify`() async throws {
    @Sendable func calls(_ outcome: String) -> [(String, String)] {
      [("app", "shop"), ("api", "history"), ("environment", "production"), ("outcome", outcome)]
    }
    #expect(try await told { $0.count(.appStoreCallsTotal, calls("unanswered")) } == [.appStoreUnreachable])
    let half = try await told {
      for outcome in ["answered", "unanswered"] { $0.count(.appStoreCallsTotal, calls(outcome)) }
    }
    #expect(half == [])
    #expect(try await told { $0.count(.wechatPayCallsTotal, [("outcome", "unknown")]) } == [.weChatPayUnreachable])
    #expect(try await told { $0.count(.wechatPayCallsTotal, [("outcome", "answered")]) } == [])
    let sold = Self.shop + [("store", "appStore"), ("state", "fulfilled"), ("rule", "token")]
    #expect(try await told { $0.count(.paymentsTotal, sold, by: 11) } == [.notificationsSilent])
    #expect(try await told { $0.count(.paymentsTotal, sold, by: 5) } == [])
    let notified = try await told {
      $0.count(.paymentsTotal, sold, by: 11)
      $0.count(.notificationsTotal, Self.shop + [("type", "ONE_TIME_CHARGE"), ("effect", "fulfilled")])
    }
    #expect(notified == [])
  }

  @Test func `tells of slow grants and commits from two on`() async throws {
    let grants = Self.shop + [("store", "appStore")]
    let late = try await told { $0.time(.purchaseToGrantSeconds, grants, milliseconds: 301_000) }
    #expect(late == [.purchaseToGrantSlow])
    #expect(try await told { $0.time(.purchaseToGrantSeconds, grants, milliseconds: 299_000) } == [])
    let once = try await told(during: .seconds(15)) { $0.time(.purchaseToGrantSeconds, grants, milliseconds: 999_000) }
    #expect(once == [])
    #expect(try await told { $0.time(.commitSeconds, milliseconds: 600) } == [.commitSlow])
    #expect(try await told { $0.time(.commitSeconds, milliseconds: 400) } == [])
  }

  @Test func `tells of the machine`() async throws {
    #expect(try await told { $0.set(.storeWritable, to: 0) } == [.notWritable])
    #expect(try await told { $0.set(.storeWritable, to: 1) } == [])
    let lost = try await told({ $0.set(.databaseLostCommitsTotal, to: 0) }) { $0.set(.databaseLostCommitsTotal, to: 1) }
    #expect(lost == [.commitsLost])
    let old = try await told({ $0.set(.databaseLostCommitsTotal, to: 1) }) { $0.set(.databaseLostCommitsTotal, to: 1) }
    #expect(old == [], "it was told when it happened")
    #expect(try await told { $0.set(.diskFreeBytes, to: 4.9e9) } == [.diskFull])
    #expect(try await told { $0.set(.diskFreeBytes, to: 5.1e9) } == [])
    let backup = try await told { $0.set(.backupVerifiedTimestampSeconds, to: Self.noon - 93_600) }
    #expect(backup == [.backupOld])
    #expect(try await told { $0.set(.backupVerifiedTimestampSeconds, to: Self.noon - 93_000) } == [])
    let ends = try await told { $0.set(.certificateExpiryTimestampSeconds, to: Self.noon + 14 * 86_400) }
    #expect(ends == [.certificateExpires])
    #expect(try await told { $0.set(.certificateExpiryTimestampSeconds, to: Self.noon + 15 * 86_400) } == [])
  }

  @Test func `tells of a disk that will be full within a day`() async throws {
    let fixture = try AlertFixture()
    let metrics = fixture.shop.engine.metrics
    for quarter in 0..<28 {
      metrics.set(.diskFreeBytes, to: 100e9 - Double(quarter) * 0.9e9)
      await fixture.run(for: .minutes(15))
    }
    #expect(fixture.told == [["started CounterfoilDiskFull "]])
  }

  @Test func `tells of a store that was compared once and then no more`() async throws {
    let fixture = try AlertFixture()
    let engine = fixture.shop.engine
    var record = ReconciliationRecord(
      appEnvironment: EngineFixture.appEnvironment, store: .weChatPay, day: "2026-02-28", triedAt: fixture.shop.now())
    record.doneAt = fixture.shop.now()
    let done = record
    try await engine.transact { try $0.put(done) }
    await fixture.run(for: .hours(35))
    #expect(fixture.told == [])
    await fixture.run(for: .hours(2))
    #expect(fixture.told == [["started CounterfoilReconciliationMissing shop/weChatPay"]])
  }
}
