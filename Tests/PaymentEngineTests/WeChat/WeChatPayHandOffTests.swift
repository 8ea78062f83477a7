import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `A repeated hand-off of an order to WeChat` {
  @discardableResult
  private static func prepare(_ fixture: WeChatPayEngineFixture, _ details: OrderDetails) async throws -> OrderDetails {
    try await fixture.engine.prepareWeChatPay(
      .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: fixture.app)
  }

  private static func forbid(_ fixture: WeChatPayEngineFixture) async throws {
    var merchant = try #require(await fixture.weChatPay.merchants().first)
    merchant.appids = []
    try await fixture.weChatPay.control.setMerchant(merchant)
  }

  @Test func `that WeChat Pay refuses leaves the earlier one open: its payer may be paying`() throws {
    let fixture = try WeChatPayEngineFixture { $0.orderLifetime = .hours(6) }
    let details = try fixture.perform { try await $0.order() }
    fixture.world.run(for: .minutes(111))
    try fixture.perform { fixture async throws in
      try await Self.forbid(fixture)
      let error = await #expect(throws: CodedError<EngineErrorCode>.self) { try await Self.prepare(fixture, details) }
      #expect(error?.code == .weChatPayPrepayRefused)
      #expect(try await fixture.row(details)?.state == .prepared)
      #expect(try await fixture.state(of: details) == .awaitingPayment)
    }
  }

  @Test func `does not happen once the order is closing, so that no payment begins`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      let details = try await fixture.order()
      try await fixture.weChatPay.control.plan(PlannedFault(.unreachable, of: .close, count: nil))
      try await fixture.weChatPay.control.plan(PlannedFault(.unreachable, of: .query, count: nil))
      _ = try await fixture.engine.closeOrder(
        .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", because: .customerGaveUp)
      #expect(try await fixture.row(details)?.state == .closing(.customerGaveUp))
      #expect(try await Self.prepare(fixture, details).handOff == nil)
    }
  }

  @Test func `that WeChat Pay refuses after an unknown outcome closes the order there first`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      try await fixture.weChatPay.control.plan(PlannedFault(.loseAnswer, of: .prepay, count: 2))
      let details = try await fixture.order()
      #expect(try await fixture.row(details)?.state == .unknown)
      try await Self.forbid(fixture)
      await #expect(throws: CodedError<EngineErrorCode>.self) { try await Self.prepare(fixture, details) }
      #expect(try await fixture.row(details)?.state == .closing(.prepayRefused))
      #expect(try await fixture.state(of: details) == .awaitingPayment)
    }
  }

  @Test func `of a paid order, still unpaid here, grants it instead`() throws {
    let fixture = try WeChatPayEngineFixture { $0.orderLifetime = .hours(6) }
    let details = try fixture.perform { fixture async throws in
      let details = try await fixture.order()
      try await fixture.visit(details)
      return details
    }
    fixture.world.run(for: .minutes(111))
    try fixture.perform { fixture async throws in
      let present = try await Self.prepare(fixture, details)
      #expect(present.order.state.payment != nil)
      #expect(present.handOff == nil)
      #expect(try await fixture.coins() == 100)
    }
  }

  @Test func `in a browser returns the same link for four minutes, then a new one`() throws {
    let fixture = try WeChatPayEngineFixture()
    let details = try fixture.perform { fixture async throws in
      let details = try await fixture.order("coins.100") {
        $0.tradeType = "H5"
        $0.payerAddress = "203.0.113.9"
      }
      await fixture.weChatPay.forgetExchanges()
      return details
    }
    fixture.world.run(for: .minutes(3))
    try fixture.perform { fixture async throws in
      #expect(try await Self.prepare(fixture, details).handOff == details.handOff)
      #expect(await fixture.weChatPay.exchanges().isEmpty)
    }
    fixture.world.run(for: .minutes(2))
    try fixture.perform { fixture async throws in
      try await Self.prepare(fixture, details)
      #expect(await fixture.weChatPay.exchanges().count == 1)
    }
  }

  @Test func `is not needed for a refund that WeChat Pay refuses permanently: it has failed, with the reason`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      let details = try await fixture.order()
      try await fixture.visit(details)
      _ = try await fixture.engine.checkWeChatPay(
        .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: fixture.app)
      var merchant = try #require(await fixture.weChatPay.merchants().first)
      merchant.mayRefund = false
      try await fixture.weChatPay.control.setMerchant(merchant)
      let refund = try await fixture.engine.refundOrder(
        .id(details.order.key.id), in: EngineFixture.appEnvironment,
        RefundRequest(amount: nil, reason: nil, idempotencyKey: "r", askedBy: "test"), for: fixture.app)
      #expect(refund.state.name == "failed")
      #expect(refund.nextQuestionAt == nil)
      #expect(try await fixture.coins() == 100)
    }
  }

  @Test func `does not replace a missing bill: a day without bill counts only after ten in the morning`() throws {
    let fixture = try WeChatPayEngineFixture()
    let day = BeijingTime.day(fixture.now())
    // It is 20:00 in Beijing.
    fixture.world.run(for: .hours(10))
    let early = try fixture.perform { try await $0.engine.reconcileWeChatPay(day, for: $0.app) }
    guard case .later = early else {
      Issue.record("\(early)")
      return
    }
    fixture.world.run(for: .hours(5))
    let late = try fixture.perform { try await $0.engine.reconcileWeChatPay(day, for: $0.app) }
    guard case .compared = late else {
      Issue.record("\(late)")
      return
    }
  }
}
