import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import SimulatorCore
import StrictJSON
import Testing
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

/// Words of WeChat Pay's that this version does not know: kept, shown, counted, and never taken for success or failure.
@Suite struct `A word of WeChat Pay's that nobody knows` {
  private static func plan(_ fixture: WeChatPayEngineFixture, _ operations: [WeChatPayOperation]) async throws {
    for operation in operations {
      try await fixture.weChatPay.control.plan(PlannedFault(.unknownWord, of: operation, count: nil))
    }
  }

  private static func evidence(_ fixture: WeChatPayEngineFixture) async throws -> [String] {
    let number = try #require(await fixture.weChatPay.orders().first?.transactionId)
    let key = PaymentKey(
      app: "shop", store: .weChatPay, environment: .simulated, transaction: TransactionIdentifier(number))
    return try await fixture.database.read { try $0.evidence(of: key).map(\.text) }
  }

  @Test func `as a trade state grants nothing, is counted, and is asked about until it is a known one`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startBackgroundTasks()
    fixture.startNotifications()
    let details = try fixture.perform { fixture async throws in
      try await Self.plan(fixture, [.query, .paymentNotification])
      let details = try await fixture.order()
      try await fixture.visit(details)
      return details
    }
    fixture.world.run(for: .minutes(5))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 0)
      let order = try await fixture.database.read { try $0.order(details.order.key) }
      #expect(order?.state == .awaitingPayment)
      try await fixture.weChatPay.control.forgetFaults()
    }
    #expect(fixture.engine.metrics.value(.wechatPayUnknownStatesTotal) >= 2)
    fixture.world.run(for: .hours(3))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 100)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `as a state of a refund takes nothing back, is counted, and is asked about until it is a known one`()
    throws
  {
    let fixture = try WeChatPayEngineFixture()
    fixture.startBackgroundTasks()
    fixture.startNotifications()
    let details = try fixture.perform { fixture async throws in
      let details = try await fixture.order()
      try await fixture.visit(details)
      _ = try await fixture.engine.checkWeChatPay(
        .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: fixture.app)
      #expect(try await fixture.coins() == 100)
      try await Self.plan(fixture, [.refund, .queryRefund, .refundNotification])
      _ = try await fixture.engine.refundOrder(
        .id(details.order.key.id), in: EngineFixture.appEnvironment,
        RefundRequest(amount: nil, reason: "测试", idempotencyKey: "a", askedBy: "test"), for: fixture.app)
      return details
    }
    fixture.world.run(for: .hours(2))
    try fixture.perform { fixture async throws in
      let refund = try #require(
        try await fixture.engine.refunds(of: .id(details.order.key.id), in: EngineFixture.appEnvironment, user: nil)
          .first)
      #expect(refund.state == .underWay)
      #expect(try await fixture.coins() == 100)
      try await fixture.weChatPay.control.forgetFaults()
    }
    #expect(fixture.engine.metrics.value(.wechatPayUnknownStatesTotal) >= 2)
    fixture.world.run(for: .days(2))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 0)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `as the channel of a refund changes nothing, is counted, and the journal shows it`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startBackgroundTasks()
    let details = try fixture.perform { fixture async throws in
      let details = try await fixture.order()
      try await fixture.visit(details)
      _ = try await fixture.engine.checkWeChatPay(
        .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: fixture.app)
      try await fixture.weChatPay.control.plan(PlannedFault(.unknownChannel, of: .refund, count: nil))
      try await fixture.weChatPay.control.plan(PlannedFault(.unknownChannel, of: .queryRefund, count: nil))
      _ = try await fixture.engine.refundOrder(
        .id(details.order.key.id), in: EngineFixture.appEnvironment,
        RefundRequest(amount: nil, reason: nil, idempotencyKey: "a", askedBy: "test"), for: fixture.app)
      return details
    }
    fixture.world.run(for: .hours(2))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 0)
      let journal = try await fixture.database.read { try $0.journal(of: details.order.key) }
      let entry = try #require(journal.first { $0.what == "refund.done" })
      #expect(entry.details.contains(#""channel":"NEW_IN_2030""#), "\(entry.details)")
      #expect(try await Self.evidence(fixture).contains { $0.contains("NEW_IN_2030") })
      #expect(try await fixture.violations() == [])
    }
    #expect(fixture.engine.metrics.value(.wechatPayUnknownStatesTotal) >= 2)
  }

  @Test func `as the name of a field changes nothing, and the evidence has it as it came`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      // Members in any order, and one that nobody knows.
      try await fixture.weChatPay.setBehaviour(.variedForm, to: 1)
      let details = try await fixture.order()
      try await fixture.visit(details)
      _ = try await fixture.engine.checkWeChatPay(
        .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: fixture.app)
      #expect(try await fixture.coins() == 100)
      let texts = try await Self.evidence(fixture)
      #expect(texts.contains { $0.contains("a_field_of_tomorrow") }, "\(texts)")
    }
  }
}
