import WeChatPayIntegration
import PaymentEngine
import PaymentModel
import PaymentDatabase
import PaymentPrimitives
import SimulationKit
import Testing
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `A refund at WeChat Pay` {
  private static func paid(_ town: WeChatPayEngineFixture, quantity: Int = 1) async throws -> OrderStory {
    let story = try await town.order(quantity: quantity)
    try await town.visit(story)
    return try await town.engine.checkWeChatPay(
      .id(story.order.key.id), in: WeChatPayEngineFixture.appEnvironment, of: "alice", for: town.app)
  }

  private static func refund(
    _ town: WeChatPayEngineFixture, _ story: OrderStory, _ amount: Int64?, key: String
  ) async throws -> Refund {
    try await town.engine.refundOrder(
      .id(story.order.key.id), in: WeChatPayEngineFixture.appEnvironment,
      RefundRequest(amount: amount, reason: "测试退款", idempotencyKey: key, askedBy: "test"), for: town.app)
  }

  private static func refunds(_ town: WeChatPayEngineFixture, _ story: OrderStory) async throws -> [Refund] {
    try await town.engine.refunds(of: .id(story.order.key.id), in: WeChatPayEngineFixture.appEnvironment, user: nil)
  }

  @Test func `is refused for an unpaid order, beyond the rest, and for a key with another amount`() throws {
    let town = try WeChatPayEngineFixture()
    try town.perform { town async throws in
      let unpaid = try await town.order()
      let impossible = await #expect(throws: CodedError<EngineErrorCode>.self) {
        try await Self.refund(town, unpaid, nil, key: "a")
      }
      #expect(impossible?.code == .refundNotPossible)
      let story = try await Self.paid(town)
      _ = try await Self.refund(town, story, 500, key: "b")
      let tooMuch = await #expect(throws: CodedError<EngineErrorCode>.self) {
        try await Self.refund(town, story, 101, key: "c")
      }
      #expect(tooMuch?.code == .refundTooLarge)
      let reused = await #expect(throws: CodedError<EngineErrorCode>.self) {
        try await Self.refund(town, story, 1, key: "b")
      }
      #expect(reused?.code == .idempotencyKeyReused)
      #expect(await town.weChatPay.refunds().count == 1)
    }
  }

  @Test func `takes nothing back before WeChat Pay has refunded, and everything then`() throws {
    let town = try WeChatPayEngineFixture()
    town.startStandingWork()
    let story = try town.perform { town async throws in
      let story = try await Self.paid(town)
      let refund = try await Self.refund(town, story, nil, key: "all")
      #expect(refund.state == .underWay)
      #expect(try await town.coins() == 100)
      return story
    }
    town.world.run(for: .minutes(3))
    try town.perform { town async throws in
      #expect(try await town.coins() == 0)
      let payment = try #require(try await town.state(of: story).payment)
      #expect(try await town.store.read { try $0.payment(payment)?.state } == .reversed(amount: 100))
      #expect(try await town.read(story).deliveries.map(\.kind) == [.created, .reversed])
      #expect(try await town.violations() == [])
    }
  }

  @Test(arguments: [true, false])
  func `in parts that add up to the whole takes back the whole, by query and by notification`(
    byNotification: Bool
  ) throws {
    let town = try WeChatPayEngineFixture()
    if byNotification { town.startNotifications() } else { town.startStandingWork() }
    let story = try town.perform { try await Self.paid($0, quantity: 1) }
    for (number, amount) in [Int64(100), 101, 399].enumerated() {
      _ = try town.perform { try await Self.refund($0, story, amount, key: "part \(number)") }
      town.world.run(for: .minutes(3))
    }
    try town.perform { town async throws in
      #expect(try await town.coins() == 0)
      let payment = try #require(try await town.state(of: story).payment)
      let changes = try await town.store.read { try $0.changes(of: payment) }
      // floor(100 × 100 ÷ 600) = 16, floor(100 × 201 ÷ 600) = 33, all.
      #expect(changes.map(\.amount) == [16, 17, 67])
      #expect(try await town.violations() == [])
    }
  }

  @Test(arguments: [
    WeChatPayFault.loseRequest, .loseAnswer, .htmlAfterEffect, .systemErrorAfterEffect, .systemError, .frequencyLimited,
    .notEnough, .unsigned, .wrongSignature,
  ])
  func `remains one refund after any fault of its first request`(fault: WeChatPayFault) throws {
    let town = try WeChatPayEngineFixture()
    town.startStandingWork()
    let story = try town.perform { town async throws in
      let story = try await Self.paid(town)
      try await town.weChatPay.plan(PlannedFault(fault, of: .refund, count: 2))
      _ = try await Self.refund(town, story, nil, key: "once")
      _ = try await Self.refund(town, story, nil, key: "once")
      return story
    }
    town.world.run(for: .hours(3))
    try town.perform { town async throws in
      #expect(await town.weChatPay.refunds().count == 1)
      #expect(try await Self.refunds(town, story).count == 1)
      #expect(try await town.coins() == 0)
      #expect(try await town.violations() == [])
    }
  }

  @Test func `that ends CLOSED takes nothing back and allows a new one`() throws {
    let town = try WeChatPayEngineFixture()
    town.startStandingWork()
    let story = try town.perform { town async throws in
      let story = try await Self.paid(town)
      try await town.weChatPay.plan(PlannedFault(.closedRefund, of: .refund))
      _ = try await Self.refund(town, story, nil, key: "first")
      return story
    }
    town.world.run(for: .minutes(10))
    try town.perform { town async throws in
      #expect(try await town.coins() == 100)
      #expect(try await Self.refunds(town, story).map(\.state) == [.failed("CLOSED")])
      _ = try await Self.refund(town, story, nil, key: "second")
    }
    town.world.run(for: .minutes(10))
    try town.perform { town async throws in #expect(try await town.coins() == 0) }
  }

  @Test func `notified before its payment is known grants the payment first, and takes it back`() throws {
    let town = try WeChatPayEngineFixture()
    let story = try town.perform { town async throws in
      try await town.weChatPay.plan(PlannedFault(.loseNotification, of: .paymentNotification, count: nil))
      let story = try await town.order()
      try await town.visit(story)
      try await town.refundElsewhere(story, number: "EARLY1", notifying: town.app)
      return story
    }
    town.startNotifications()
    town.world.run(for: .minutes(10))
    try town.perform { town async throws in
      let payment = try #require(try await town.state(of: story).payment)
      #expect(try await town.store.read { try $0.payment(payment)?.state } == .reversed(amount: 100))
      #expect(try await town.read(story).deliveries.map(\.kind) == [.created, .reversed])
    }
  }

  @Test func `notified while the state of its order is unknown is notified again`() throws {
    let town = try WeChatPayEngineFixture()
    let story = try town.perform { town async throws in
      try await town.weChatPay.plan(PlannedFault(.loseNotification, of: .paymentNotification, count: nil))
      let story = try await town.order()
      try await town.visit(story)
      try await town.refundElsewhere(story, number: "EARLY2", notifying: town.app)
      try await town.weChatPay.plan(PlannedFault(.unreachable, of: .query, count: nil))
      return story
    }
    town.startNotifications()
    town.world.run(for: .minutes(10))
    try town.perform { town async throws in
      let told = try #require(await town.weChatPay.notifications().last)
      #expect(!told.attempts.isEmpty && told.attempts.allSatisfy { $0.status == 503 })
      #expect(try await town.state(of: story) == .awaitingPayment)
      try await town.weChatPay.forgetFaults()
    }
    town.world.run(for: .hours(1))
    try town.perform { town async throws in
      #expect(try await town.read(story).deliveries.map(\.kind) == [.created, .reversed])
      #expect(try await town.coins() == 0)
    }
  }

  @Test func `made at WeChat Pay itself and still pending is queried until it is done`() throws {
    let town = try WeChatPayEngineFixture { _ in }
    let day = BeijingTime.day(town.now())
    try town.perform { town async throws in
      let story = try await Self.paid(town)
      try await town.weChatPay.plan(PlannedFault(.abnormalRefund, of: .refund))
      try await town.refundElsewhere(story, number: "ELSEWHERE2")
    }
    town.world.run(for: .hours(36))
    _ = try town.perform { try await $0.engine.reconcileWeChatPay(day, for: $0.app) }
    try town.perform { town async throws in
      #expect(try await town.coins() == 100)
      try await town.weChatPay.repairRefund(RefundKey(mchid: "1900000001", outRefundNo: "ELSEWHERE2"))
    }
    town.startStandingWork()
    town.world.run(for: .hours(12))
    try town.perform { town async throws in #expect(try await town.coins() == 0) }
  }

  @Test func `that is stuck continues after an operator's repair`() throws {
    let town = try WeChatPayEngineFixture()
    town.startStandingWork()
    let story = try town.perform { town async throws in
      let story = try await Self.paid(town)
      try await town.weChatPay.plan(PlannedFault(.abnormalRefund, of: .refund))
      _ = try await Self.refund(town, story, nil, key: "stuck")
      return story
    }
    town.world.run(for: .minutes(10))
    let number = try town.perform { town async throws in
      let refund = try #require(try await Self.refunds(town, story).first)
      #expect(refund.state == .stuck)
      #expect(try await town.coins() == 100)
      try await town.weChatPay.repairRefund(RefundKey(mchid: "1900000001", outRefundNo: refund.number))
      return refund.number
    }
    town.world.run(for: .hours(8))
    try town.perform { town async throws in
      #expect(try await town.coins() == 0)
      #expect(number.utf8.count <= 64)
    }
  }

  @Test func `of a held payment returns the money and grants nothing`() throws {
    let town = try WeChatPayEngineFixture()
    town.startStandingWork()
    town.startNotifications()
    let story = try town.perform { town async throws in
      try await town.weChatPay.plan(PlannedFault(.alteredAmount, of: .paymentNotification, count: nil))
      try await town.weChatPay.plan(PlannedFault(.alteredAmount, of: .query, count: nil))
      let story = try await town.order()
      try await town.visit(story)
      return story
    }
    town.world.run(for: .seconds(5))
    _ = try town.perform { try await Self.refund($0, story, nil, key: "held") }
    town.world.run(for: .minutes(10))
    try town.perform { town async throws in
      #expect(try await town.coins() == 0)
      let payment = try #require(
        try await town.store.read { try $0.payments(after: nil, limit: 2) }.first)
      #expect(payment.state == .revoked)
      #expect(try await town.violations() == [])
      // The order can no longer be paid, and no one must wait for it (found by world 327).
      let state = try await town.state(of: story)
      let isClosed = if case .closed(.closedByBackend, _) = state { true } else { false }
      #expect(isClosed)
      #expect(try await town.row(story)?.nextQuestionAt == nil)
    }
  }
}
