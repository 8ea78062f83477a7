import AppStoreIntegration
import AppStoreProtocol
import AppStoreSimulator
import CounterfoilAPI
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import SimulatorCore
import Testing

/// Apple revokes certificates, or its responder is silent, while the shop sells.
@Suite struct `A certificate of Apple's that is revoked, while purchases go on` {
  /// Buys and returns what the phone would submit.
  private static func bought(
    _ fixture: AppStoreEngineFixture
  ) async throws -> (id: TransactionIdentifier, evidence: String) {
    let id = try await fixture.buy(token: try await fixture.order())
    return (id, try await fixture.apple.signedTransaction(id).signedTransaction)
  }

  private static func silence(_ fixture: AppStoreEngineFixture) async throws {
    try await fixture.apple.apiSettings.plan(PlannedAPIFault(.unreachable, of: .certificateStatus, count: nil))
  }

  private static let kinds: [SimulatedCertificateRevocation.Role] = [.leaf, .intermediate]

  @Test(arguments: [RevocationCheck.soft, .hard], kinds)
  func `is refused by name, and nothing that it signed is granted`(
    check: RevocationCheck, role: SimulatedCertificateRevocation.Role
  ) throws {
    let fixture = try AppStoreEngineFixture(revocations: check)
    try fixture.perform { fixture async throws in
      _ = try await fixture.apple.certificates.revoke(role, keepsSigning: true)
      let (id, evidence) = try await Self.bought(fixture)
      let answer = try #require(try await fixture.submit(evidence).first)
      #expect(answer.verdict == .refused && answer.reason == "certificateRevoked" && answer.finish == false)
      #expect(try await fixture.coins() == 0)
      #expect(try await fixture.payment(id) == nil)
    }
    #expect(fixture.engine.metrics.value(.verifyFailuresTotal, [("reason", "certificateRevoked")]) == 1)
  }

  @Test(arguments: [RevocationCheck.soft, .hard], kinds)
  func `costs nobody a purchase, because Apple signs with another one from then on`(
    check: RevocationCheck, role: SimulatedCertificateRevocation.Role
  ) throws {
    let fixture = try AppStoreEngineFixture(revocations: check)
    fixture.startBackgroundTasks()
    fixture.startNotifications()
    for number in 1...6 {
      try fixture.perform { fixture async throws in
        let (id, evidence) = try await Self.bought(fixture)
        // The phone submits every second one. The others come by notification alone.
        if number.isMultiple(of: 2) {
          // Revoked between the signature and its arrival: the phone asks StoreKit again, which signs anew.
          if number == 4 { _ = try await fixture.apple.certificates.revoke(role) }
          var verdict = try await fixture.submit(evidence).first?.verdict
          if verdict == .refused {
            verdict = try await fixture.submit(fixture.apple.signedTransaction(id).signedTransaction).first?.verdict
          }
          #expect(verdict == .fulfilled, "purchase \(number)")
        }
      }
      fixture.world.run(for: .hours(7))
    }
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 600)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `costs nobody a purchase that came by notification alone, signed before and arrived after`() throws {
    let fixture = try AppStoreEngineFixture(revocations: .hard)
    fixture.startBackgroundTasks()
    fixture.startNotifications()
    try fixture.perform { fixture async throws in
      try await fixture.apple.setBehaviour(.notificationDelayMilliseconds, to: 60_000)
      _ = try await Self.bought(fixture)
    }
    fixture.world.run(for: .seconds(5))
    try fixture.perform { _ = try await $0.apple.certificates.revoke(.leaf) }
    fixture.world.run(for: .minutes(10))
    #expect(fixture.engine.metrics.value(.verifyFailuresTotal, [("reason", "certificateRevoked")]) >= 1)
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 100)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `stays refused after a restart, although its responder is silent`() throws {
    let fixture = try AppStoreEngineFixture(revocations: .soft)
    let evidence = try fixture.perform { fixture async throws in
      _ = try await fixture.apple.certificates.revoke(.leaf, keepsSigning: true)
      let (_, evidence) = try await Self.bought(fixture)
      #expect(try await fixture.submit(evidence).first?.verdict == .refused)
      try await Self.silence(fixture)
      return evidence
    }
    try fixture.perform { fixture async throws in
      let restarted = try fixture.restarted()
      let appStore = try #require(restarted.engine.appStore)
      await appStore.start(in: restarted.engine)
      let answer = try await restarted.engine.submitAppStorePayment(
        SubmitAppStorePayment.Request(evidence: evidence), from: "alice", for: restarted.app)
      #expect(answer.payments.first?.reason == "certificateRevoked")
    }
  }

  @Test func `is accepted and counted in soft while nobody answers whether it is`() throws {
    let fixture = try AppStoreEngineFixture(revocations: .soft)
    try fixture.perform { fixture async throws in
      try await Self.silence(fixture)
      for _ in 1...3 {
        let (_, evidence) = try await Self.bought(fixture)
        #expect(try await fixture.submit(evidence).first?.verdict == .fulfilled)
      }
      #expect(try await fixture.coins() == 300)
    }
    // Both certificates once: after a silence nobody is asked for a minute.
    #expect(fixture.calls.count("/ocsp") == 2)
    #expect(fixture.engine.metrics.value(.certificateStatusUnknownTotal, [("check", "soft")]) == 3)
    #expect(fixture.engine.metrics.value(.certificateStatusQuestionsTotal, [("outcome", "unreachable")]) == 2)
  }

  @Test(arguments: [true, false])
  func `leaves a payment pending in hard, and grants it once Apple answers, however late`(hasKey: Bool) throws {
    let fixture = try AppStoreEngineFixture(hasKey: hasKey, revocations: .hard)
    fixture.startBackgroundTasks()
    let id = try fixture.perform { fixture async throws -> TransactionIdentifier in
      try await Self.silence(fixture)
      let (id, evidence) = try await Self.bought(fixture)
      let answer = try #require(try await fixture.submit(evidence).first)
      #expect(answer.verdict == .pending && answer.reason == "certificateStatusUnknown" && !answer.finish)
      return id
    }
    // Longer than any other question lasts.
    fixture.world.run(for: .days(4))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 0)
      #expect(try await fixture.appStoreTasks().map(\.payment) == [EngineFixture.key(id)])
      try await fixture.apple.apiSettings.forgetFaults()
    }
    fixture.world.run(for: .hours(7))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 100)
      #expect(try await fixture.violations() == [])
    }
    #expect(fixture.engine.metrics.value(.certificateStatusUnknownTotal, [("check", "hard")]) > 0)
  }

  @Test func `keeps the payment of a notification in hard, and takes the notification when it comes again`() throws {
    let fixture = try AppStoreEngineFixture(revocations: .hard)
    fixture.startBackgroundTasks()
    fixture.startNotifications()
    try fixture.perform { fixture async throws in
      try await Self.silence(fixture)
      _ = try await Self.bought(fixture)
    }
    fixture.world.run(for: .minutes(30))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 0)
      #expect(try await fixture.appStoreTasks().count == 1)
      try await fixture.apple.apiSettings.forgetFaults()
    }
    fixture.world.run(for: .hours(13))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 100)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `is asked about twice a day, not at each purchase`() throws {
    let fixture = try AppStoreEngineFixture(revocations: .hard)
    fixture.startBackgroundTasks()
    for _ in 1...11 {
      try fixture.perform { fixture async throws in
        let (_, evidence) = try await Self.bought(fixture)
        #expect(try await fixture.submit(evidence).first?.verdict == .fulfilled)
      }
      fixture.world.run(for: .hours(1))
    }
    // Two certificates: at the first purchase, and after half of the twelve hours for which an answer counts.
    #expect(fixture.calls.count("/ocsp") == 4)
  }

  @Test func `is not asked about unless the configuration says so`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      _ = try await fixture.apple.certificates.revoke(.leaf, keepsSigning: true)
      let (_, evidence) = try await Self.bought(fixture)
      #expect(try await fixture.submit(evidence).first?.verdict == .fulfilled)
    }
    #expect(fixture.calls.count("/ocsp") == 0)
  }
}
