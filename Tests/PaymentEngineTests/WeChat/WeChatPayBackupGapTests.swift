import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import SimulatorCore
import Testing
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

/// A database that was restored from a backup knows nothing of the time since.
@Suite struct `The gap after a backup, with WeChat Pay` {
  private static func open(_ fixture: WeChatPayEngineFixture, from: Timestamp) async throws {
    let gap = BackupGap(from: from, until: fixture.now())
    try await fixture.engine.transact { try $0.set(DatabaseSetting.backupGap, to: gap.text) }
  }

  private static func isReady(_ fixture: WeChatPayEngineFixture) async throws -> Bool {
    do { try await fixture.engine.checkReadiness() } catch let error as CodedError<EngineErrorCode> {
      #expect(error.code == .backupGapOpen)
      return false
    }
    return true
  }

  @Test func `keeps the server from being ready until WeChat Pay has answered about each open order`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      _ = try await fixture.order()
      try await fixture.weChatPay.control.plan(PlannedFault(.unreachable, of: .query, count: nil))
      try await Self.open(fixture, from: fixture.now())
    }
    fixture.startBackgroundTasks()
    fixture.world.run(for: .minutes(3))
    try fixture.perform { fixture async throws in
      #expect(try await !Self.isReady(fixture))
      try await fixture.weChatPay.control.forgetFaults()
    }
    fixture.world.run(for: .minutes(1))
    try fixture.perform { fixture async throws in #expect(try await Self.isReady(fixture)) }
  }

  /// WeChat Pay refuses the merchant's signature: that says nothing about the order.
  @Test func `keeps the server from being ready while WeChat Pay refuses to answer`() throws {
    let fixture = try WeChatPayEngineFixture { access in
      let known = access.merchant
      let other = try? MerchantCredentials(
        mchid: known.mchid, certificateSerial: "ABCDEF", privateKey: known.privateKey, apiV3Key: known.apiV3Key)
      if let other { access.merchant = other }
    }
    try fixture.perform { fixture async throws in
      // Whether it was opened stays unknown.
      try await fixture.weChatPay.control.plan(PlannedFault(.unreachable, of: .prepay, count: nil))
      let details = try await fixture.order()
      #expect(try await fixture.row(details)?.state == .unknown)
      try await Self.open(fixture, from: fixture.now())
    }
    fixture.startBackgroundTasks()
    fixture.world.run(for: .minutes(3))
    try fixture.perform { fixture async throws in #expect(try await !Self.isReady(fixture)) }
  }

  @Test func `asks about an order at once, whatever its schedule says, and grants what was paid`() throws {
    let fixture = try WeChatPayEngineFixture()
    let details = try fixture.perform { fixture async throws in
      try await fixture.weChatPay.setBehaviour(.notifyNever, to: 1)
      let details = try await fixture.order()
      try await fixture.visit(details)
      // Its next question is far away.
      try await fixture.engine.transact { transaction in
        guard var row = try transaction.weChatPayOrder(details.order.key) else { return }
        row.nextQuestionAt = transaction.now + .days(2)
        try transaction.update(row)
      }
      try await Self.open(fixture, from: fixture.now())
      return details
    }
    fixture.startBackgroundTasks()
    fixture.world.run(for: .seconds(5))
    try fixture.perform { fixture async throws in
      #expect(try await Self.isReady(fixture))
      #expect(try await fixture.state(of: details).payment != nil)
      #expect(try await fixture.coins() == 100)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `names its days until their bills are compared`() throws {
    let fixture = try WeChatPayEngineFixture()
    let from = fixture.now()
    let (first, second) = (BeijingTime.day(from), BeijingTime.day(from + .days(1)))
    fixture.world.run(for: .days(1))
    try fixture.perform { fixture async throws in
      try await Self.open(fixture, from: from)
      #expect(try await fixture.engine.uncomparedDays(of: fixture.app).map(\.day) == [first, second])
      _ = try await fixture.engine.reconcileWeChatPay(first, for: fixture.app)
    }
    fixture.world.run(for: .days(1))
    try fixture.perform { fixture async throws in
      _ = try await fixture.engine.reconcileWeChatPay(first, for: fixture.app)
      #expect(try await fixture.engine.uncomparedDays(of: fixture.app).map(\.day) == [second])
      _ = try await fixture.engine.reconcileWeChatPay(second, for: fixture.app)
    }
    fixture.world.run(for: .hours(12))
    try fixture.perform { fixture async throws in
      _ = try await fixture.engine.reconcileWeChatPay(second, for: fixture.app)
      #expect(try await fixture.engine.uncomparedDays(of: fixture.app) == [])
    }
  }
}
