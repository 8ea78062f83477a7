import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `A refund at WeChat Pay` {
  private static func paid(_ fixture: WeChatPayEngineFixture, quantity: Int = 1) async throws -> OrderDetails {
    let details = try await fixture.order(quantity: quantity)
    try await fixture.visit(details)
    return try await fixture.engine.checkWeChatPay(
      .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: fixture.app)
  }

  private static func refund(
    _ fixture: WeChatPayEngineFixture, _ details: OrderDetails, amount: Int64?, key: String
  ) async throws -> Refund {
    try await fixture.engine.refundOrder(
      .id(details.order.key.id), in: EngineFixture.appEnvironment,
      RefundRequest(amount: amount, reason: "测试退款", idempotencyKey: key, askedBy: "test"), for: fixture.app)
  }

  private static func refunds(_ fixture: WeChatPayEngineFixture, _ details: OrderDetails) async throws -> [Refund] {
    try await fixture.engine.refunds(
      of: .id(details.order.key.id), in: EngineFixture.appEnvironment, user: nil)
  }

  @Test func `is refused for an unpaid order, beyond the rest, and for a key with another amount`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      let unpaid = try await fixture.order()
      let impossible = await #expect(throws: CodedError<EngineErrorCode>.self) {
        try await Self.refund(fixture, unpaid, amount: nil, key: "a")
      }
      #expect(impossible?.code == .refundNotPossible)
      let details = try await Self.paid(fixture)
      _ = try await Self.refund(fixture, details, amount: 500, key: "b")
      let tooMuch = await #expect(throws: CodedError<EngineErrorCode>.self) {
        try await Self.refund(fixture, details, amount: 101, key: "c")
      }
      #expect(tooMuch?.code == .refundTooLarge)
      let reused = await #expect(throws: CodedError<EngineErrorCode>.self) {
        try await Self.refund(fixture, details, amount: 1, key: "b")
      }
      #expect(reused?.code == .idempotencyKeyReused)
      #expect(await fixture.weChatPay.refunds().count == 1)
    }
  }

  @Test func `takes nothing back before WeChat Pay has refunded, and everything then`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startBackgroundTasks()
    let details = try fixture.perform { fixture async throws in
      let details = try await Self.paid(fixture)
      let refund = try await Self.refund(fixture, details, amount: nil, key: "all")
      #expect(refund.state == .underWay)
      #expect(try await fixture.coins() == 100)
      return details
    }
    fixture.world.run(for: .minutes(3))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 0)
      let payment = try #require(try await fixture.state(of: details).payment)
      #expect(try await fixture.database.read { try $0.payment(payment)?.state } == .reversed(amount: 100))
      #expect(try await fixture.read(details).deliveries.map(\.kind) == [.created, .reversed])
      #expect(try await fixture.violations() == [])
    }
  }

  @Test(arguments: [true, false])
  func `in parts that add up to the whole takes back the whole, by query and by notification`(
    byNotification: Bool
  ) throws {
    let fixture = try WeChatPayEngineFixture()
    if byNotification { fixture.startNotifications() } else { fixture.startBackgroundTasks() }
    let details = try fixture.perform { try await Self.paid($0, quantity: 1) }
    for (number, amount) in [Int64(100), 101, 399].enumerated() {
      _ = try fixture.perform { try await Self.refund($0, details, amount: amount, key: "part \(number)") }
      fixture.world.run(for: .minutes(3))
    }
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 0)
      let payment = try #require(try await fixture.state(of: details).payment)
      let changes = try await fixture.database.read { try $0.changes(of: payment) }
      // floor(100 × 100 ÷ 600) = 16, floor(100 × 201 ÷ 600) = 33, all.
      #expect(changes.map(\.amount) == [16, 17, 67])
      #expect(try await fixture.violations() == [])
    }
  }

  @Test(arguments: [
    WeChatPayFault.loseRequest, .loseAnswer, .htmlAfterEffect, .systemErrorAfterEffect, .systemError, .frequencyLimited,
    .notEnough, .unsigned, .wrongSignature,
  ])
  func `remains one refund after any fault of its first request`(fault: WeChatPayFault) throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startBackgroundTasks()
    let details = try fixture.perform { fixture async throws in
      let details = try await Self.paid(fixture)
      try await fixture.weChatPay.control.plan(PlannedFault(fault, of: .refund, count: 2))
      _ = try await Self.refund(fixture, details, amount: nil, key: "once")
      _ = try await Self.refund(fixture, details, amount: nil, key: "once")
      return details
    }
    fixture.world.run(for: .hours(3))
    try fixture.perform { fixture async throws in
      #expect(await fixture.weChatPay.refunds().count == 1)
      #expect(try await Self.refunds(fixture, details).count == 1)
      #expect(try await fixture.coins() == 0)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `that ends CLOSED takes nothing back and allows a new one`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startBackgroundTasks()
    let details = try fixture.perform { fixture async throws in
      let details = try await Self.paid(fixture)
      try await fixture.weChatPay.control.plan(PlannedFault(.closedRefund, of: .refund))
      _ = try await Self.refund(fixture, details, amount: nil, key: "first")
      return details
    }
    fixture.world.run(for: .minutes(10))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 100)
      #expect(try await Self.refunds(fixture, details).map(\.state) == [.failed("CLOSED")])
      _ = try await Self.refund(fixture, details, amount: nil, key: "second")
    }
    fixture.world.run(for: .minutes(10))
    try fixture.perform { fixture async throws in #expect(try await fixture.coins() == 0) }
  }

  @Test func `notified before its payment is known grants the payment first, and takes it back`() throws {
    let fixture = try WeChatPayEngineFixture()
    let details = try fixture.perform { fixture async throws in
      try await fixture.weChatPay.control.plan(PlannedFault(.loseNotification, of: .paymentNotification, count: nil))
      let details = try await fixture.order()
      try await fixture.visit(details)
      try await fixture.refundElsewhere(details, number: "EARLY1", notifying: fixture.app)
      return details
    }
    fixture.startNotifications()
    fixture.world.run(for: .minutes(10))
    try fixture.perform { fixture async throws in
      let payment = try #require(try await fixture.state(of: details).payment)
      #expect(try await fixture.database.read { try $0.payment(payment)?.state } == .reversed(amount: 100))
      #expect(try await fixture.read(details).deliveries.map(\.kind) == [.created, .reversed])
    }
  }

  @Test func `notified while the state of its order is unknown is notified again`() throws {
    let fixture = try WeChatPayEngineFixture()
    let details = try fixture.perform { fixture async throws in
      try await fixture.weChatPay.control.plan(PlannedFault(.loseNotification, of: .paymentNotification, count: nil))
      let details = try await fixture.order()
      try await fixture.visit(details)
      try await fixture.refundElsewhere(details, number: "EARLY2", notifying: fixture.app)
      try await fixture.weChatPay.control.plan(PlannedFault(.unreachable, of: .query, count: nil))
      return details
    }
    fixture.startNotifications()
    fixture.world.run(for: .minutes(10))
    try fixture.perform { fixture async throws in
      let told = try #require(await fixture.weChatPay.notifications().last)
      #expect(!told.attempts.isEmpty && told.attempts.allSatisfy { $0.status == 503 })
      #expect(try await fixture.state(of: details) == .awaitingPayment)
      try await fixture.weChatPay.control.forgetFaults()
    }
    fixture.world.run(for: .hours(1))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.read(details).deliveries.map(\.kind) == [.created, .reversed])
      #expect(try await fixture.coins() == 0)
    }
  }

  @Test func `made at WeChat Pay itself and still pending is queried until it is done`() throws {
    let fixture = try WeChatPayEngineFixture { _ in }
    let day = BeijingTime.day(fixture.now())
    try fixture.perform { fixture async throws in
      let details = try await Self.paid(fixture)
      try await fixture.weChatPay.control.plan(PlannedFault(.abnormalRefund, of: .refund))
      try await fixture.refundElsewhere(details, number: "ELSEWHERE2")
    }
    fixture.world.run(for: .hours(36))
    _ = try fixture.perform { try await $0.engine.reconcileWeChatPay(day, for: $0.app) }
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 100)
      try await fixture.weChatPay.control.repairRefund(RefundKey(mchid: "1900000001", outRefundNo: "ELSEWHERE2"))
    }
    fixture.startBackgroundTasks()
    fixture.world.run(for: .hours(12))
    try fixture.perform { fixture async throws in #expect(try await fixture.coins() == 0) }
  }

  @Test func `that is stuck continues after an operator's repair`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startBackgroundTasks()
    let details = try fixture.perform { fixture async throws in
      let details = try await Self.paid(fixture)
      try await fixture.weChatPay.control.plan(PlannedFault(.abnormalRefund, of: .refund))
      _ = try await Self.refund(fixture, details, amount: nil, key: "stuck")
      return details
    }
    fixture.world.run(for: .minutes(10))
    let number = try fixture.perform { fixture async throws in
      let refund = try #require(try await Self.refunds(fixture, details).first)
      #expect(refund.state == .stuck)
      #expect(try await fixture.coins() == 100)
      try await fixture.weChatPay.control.repairRefund(RefundKey(mchid: "1900000001", outRefundNo: refund.number))
      return refund.number
    }
    fixture.world.run(for: .hours(8))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 0)
      #expect(number.utf8.count <= 64)
    }
  }

  @Test func `of a held payment returns the money and grants nothing`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startBackgroundTasks()
    fixture.startNotifications()
    let details = try fixture.perform { fixture async throws in
      try await fixture.weChatPay.control.plan(PlannedFault(.alteredAmount, of: .paymentNotification, count: nil))
      try await fixture.weChatPay.control.plan(PlannedFault(.alteredAmount, of: .query, count: nil))
      let details = try await fixture.order()
      try await fixture.visit(details)
      return details
    }
    fixture.world.run(for: .seconds(5))
    _ = try fixture.perform { try await Self.refund($0, details, amount: nil, key: "held") }
    fixture.world.run(for: .minutes(10))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 0)
      let payment = try #require(
        try await fixture.database.read { try $0.payments(after: nil, limit: 2) }.first)
      #expect(payment.state == .revoked)
      #expect(try await fixture.violations() == [])
      // The order can no longer be paid, and no one must wait for it (found by world 327).
      let state = try await fixture.state(of: details)
      let isClosed = if case .closed(.closedByBackend, _) = state { true } else { false }
      #expect(isClosed)
      #expect(try await fixture.row(details)?.nextQuestionAt == nil)
    }
  }
}
