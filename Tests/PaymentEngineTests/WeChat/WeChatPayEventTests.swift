import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

/// Which events follow which notification of WeChat Pay: docs/events.md has the same table. Nothing but notifications
/// arrives here.
@Suite struct `Of a purchase through WeChat Pay` {
  /// A shop in which an order was paid and notified.
  private static func paid() throws -> (WeChatPayEngineFixture, OrderDetails) {
    let fixture = try WeChatPayEngineFixture(events: true)
    fixture.startNotifications()
    let details = try fixture.perform { fixture async throws in
      let details = try await fixture.order()
      try await fixture.visit(details)
      return details
    }
    fixture.world.run(for: .minutes(1))
    return (fixture, details)
  }

  /// Asks for the whole back, and lets WeChat Pay notify the result.
  private static func refund(
    _ fixture: WeChatPayEngineFixture, _ details: OrderDetails, _ fault: WeChatPayFault? = nil
  ) throws {
    try fixture.perform { fixture async throws in
      if let fault { try await fixture.weChatPay.control.plan(PlannedFault(fault, of: .refund)) }
      _ = try await fixture.engine.refundOrder(
        .id(details.order.key.id), in: EngineFixture.appEnvironment,
        RefundRequest(amount: nil, reason: nil, idempotencyKey: "all", askedBy: "test"), for: fixture.app)
    }
    fixture.world.run(for: .minutes(10))
  }

  private static func expect(_ fixture: WeChatPayEngineFixture, _ types: [String]) throws {
    let told = try fixture.perform { try await $0.eventTypes() }
    #expect(told == types)
  }

  @Test func `TRANSACTION.SUCCESS tells the charge with its price, and the user`() throws {
    let (fixture, details) = try Self.paid()
    try Self.expect(fixture, ["purchase.completed"])
    let event = try #require(try fixture.perform { try await $0.events().first })
    #expect(event["price"]?["milliunits"]?.integer == 6000 && event["price"]?["currency"] == "CNY")
    #expect(event["userId"] == "alice" && event["orderId"]?.string == details.order.key.id.appAccountToken)
  }

  @Test func `REFUND.SUCCESS tells that the payer has the money`() throws {
    let (fixture, details) = try Self.paid()
    try Self.refund(fixture, details)
    try Self.expect(fixture, ["purchase.completed", "refund.asked", "purchase.refunded"])
    let event = try #require(try fixture.perform { try await $0.events().last })
    #expect(event["refund"]?["amount"]?.integer == 600)
  }

  @Test func `REFUND.CLOSED tells that the refund failed for good`() throws {
    let (fixture, details) = try Self.paid()
    try Self.refund(fixture, details, .closedRefund)
    try Self.expect(fixture, ["purchase.completed", "refund.asked", "refund.declined"])
  }

  @Test func `REFUND.ABNORMAL tells nothing, and the refund that an operator repairs is told`() throws {
    let (fixture, details) = try Self.paid()
    try Self.refund(fixture, details, .abnormalRefund)
    try Self.expect(fixture, ["purchase.completed", "refund.asked"])
    try fixture.perform { fixture async throws in
      let refund = try #require(await fixture.weChatPay.refunds().first)
      #expect(refund.status == .abnormal)
      try await fixture.weChatPay.control.repairRefund(refund.key)
    }
    fixture.world.run(for: .minutes(10))
    try Self.expect(fixture, ["purchase.completed", "refund.asked", "purchase.refunded"])
  }

  @Test func `COMPLAINT.CREATE and COMPLAINT.STATE_CHANGE tell nothing`() throws {
    let (fixture, details) = try Self.paid()
    let key = WeChatPaySimulator.OrderKey(mchid: TestMerchant.mchid, outTradeNo: details.order.key.id.outTradeNo)
    try fixture.perform { fixture async throws in
      let id = try await fixture.weChatPay.control.complain(about: key, "没有到账", at: "http://wechat.one")
      try await fixture.weChatPay.control.withdrawComplaint(id)
    }
    fixture.world.run(for: .minutes(10))
    let told = try fixture.perform { fixture async throws in
      await fixture.weChatPay.notifications().map(\.eventType)
    }
    #expect(told == ["TRANSACTION.SUCCESS", "COMPLAINT.CREATE", "COMPLAINT.STATE_CHANGE"])
    try Self.expect(fixture, ["purchase.completed"])
  }
}
