import AppStoreSimulator
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import SimulatorCore
import Testing

/// A database that was restored from a backup knows nothing of the time since.
@Suite struct `The gap after a backup, with the App Store` {
  private static func open(_ fixture: AppStoreEngineFixture, for span: TimeSpan) async throws {
    let now = fixture.now()
    let gap = BackupGap(from: now - span, until: now)
    try await fixture.engine.transact { try $0.set(DatabaseSetting.backupGap, to: gap.text) }
  }

  private static func readiness(_ fixture: AppStoreEngineFixture) async throws -> EngineErrorCode? {
    do { try await fixture.engine.checkReadiness() } catch let error as CodedError<EngineErrorCode> {
      return error.code
    }
    return nil
  }

  @Test func `keeps the server from being ready while Apple does not answer`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      try await fixture.apple.apiSettings.plan(PlannedAPIFault(.loseAnswer, of: .notificationHistory, count: nil))
      try await Self.open(fixture, for: .hours(1))
      #expect(try await Self.readiness(fixture) == .backupGapOpen)
    }
    fixture.process.spawn { [engine = fixture.engine] in await engine.run() }
    fixture.world.run(for: .minutes(10))
    try fixture.perform { fixture async throws in
      #expect(try await Self.readiness(fixture) == .backupGapOpen)
      try await fixture.engine.skipQuestionsAboutBackupGap()
      #expect(try await Self.readiness(fixture) == nil, "an operator decides not to wait")
    }
  }

  @Test func `is asked before the server is ready, and what was paid in it is granted once`() throws {
    let fixture = try AppStoreEngineFixture()
    fixture.startNotifications()
    let id = try fixture.perform { fixture async throws in
      try await fixture.apple.setBehaviour(.loseNotifications, to: 1000)
      return try await fixture.buy(token: try await fixture.order())
    }
    fixture.world.run(for: .minutes(5))
    try fixture.perform { try await Self.open($0, for: .hours(1)) }
    fixture.process.spawn { [engine = fixture.engine] in await engine.run() }
    // Long before the schedule compares by itself.
    fixture.world.run(for: .seconds(5))
    try fixture.perform { fixture async throws in
      #expect(try await Self.readiness(fixture) == nil)
      #expect(try await fixture.payment(id)?.state == .fulfilled)
      #expect(try await fixture.coins() == 100)
      #expect(try await fixture.engine.backupGap()?.askedAt != nil)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `of a database whose log was taken away is asked about like one after a backup`() throws {
    let fixture = try AppStoreEngineFixture()
    let since = fixture.now()
    fixture.startNotifications()
    let id = try fixture.perform { fixture async throws in
      try await fixture.apple.setBehaviour(.loseNotifications, to: 1000)
      return try await fixture.buy(token: try await fixture.order())
    }
    fixture.world.run(for: .minutes(5))
    try fixture.perform { fixture async throws in
      try await fixture.engine.transact {
        try $0.set(DatabaseSetting.logLostSince, to: "\(since.milliseconds)")
      }
      #expect(try await Self.readiness(fixture) == .backupGapOpen)
    }
    fixture.process.spawn { [engine = fixture.engine] in await engine.run() }
    fixture.world.run(for: .seconds(5))
    try fixture.perform { fixture async throws in
      #expect(try await Self.readiness(fixture) == nil)
      #expect(try await fixture.payment(id)?.state == .fulfilled)
      let gap = try #require(try await fixture.engine.backupGap())
      #expect(gap.from == since && gap.until >= since + .minutes(5) && gap.askedAt != nil)
    }
  }

  @Test func `of a database that loses more while Apple is asked stays open until Apple was asked again`() throws {
    let fixture = try AppStoreEngineFixture(after: .seconds(20))
    let since = fixture.now() - .hours(1)
    func note(_ moment: Timestamp) throws {
      try fixture.perform { fixture async throws in
        try await fixture.engine.transact {
          try $0.set(DatabaseSetting.logLostSince, to: "\(moment.milliseconds)")
        }
      }
    }
    try note(since)
    fixture.process.spawn { [engine = fixture.engine] in await engine.run() }
    fixture.world.run(for: .seconds(10))
    try note(since - .milliseconds(1))
    fixture.world.run(for: .seconds(15))
    try fixture.perform { fixture async throws in
      #expect(try await Self.readiness(fixture) == .backupGapOpen, "what was asked is not all that was lost")
    }
    fixture.world.run(for: .minutes(5))
    try fixture.perform { fixture async throws in
      #expect(try await Self.readiness(fixture) == nil)
      #expect(try await fixture.engine.backupGap()?.from == since - .milliseconds(1))
    }
  }

  @Test func `begins with the loss, and not with an earlier time about which the stores were asked`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let now = fixture.now()
      var asked = BackupGap(from: now - .days(30), until: now - .days(29))
      asked.askedAt = now - .days(29)
      let text = asked.text
      try await fixture.engine.transact {
        try $0.set(DatabaseSetting.backupGap, to: text)
        try $0.set(DatabaseSetting.logLostSince, to: "\((now - .minutes(1)).milliseconds)")
      }
      let gap = try #require(try await fixture.engine.backupGap())
      #expect(gap.from == now - .minutes(1) && gap.askedAt == nil)
      #expect(gap.covers(now - .days(30), at: now) && !gap.covers(now - .days(20), at: now))
    }
  }

  @Test func `of a lost log does not forget the time of a restoration before it`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let now = fixture.now()
      try await Self.open(fixture, for: .hours(3))
      try await fixture.engine.transact {
        try $0.set(DatabaseSetting.logLostSince, to: "\((now - .minutes(1)).milliseconds)")
      }
      #expect(try await fixture.engine.backupGap()?.from == now - .hours(3))
    }
  }
}
