import AppStoreIntegration
import AppStoreProtocol
import AppStoreSimulator
import CounterfoilAPI
import Cryptography
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

extension WorldStage {
  static let all: [WorldStage] = atAppStore + atBackend + atWeChatPay

  private static let atAppStore: [WorldStage] = [
    WorldStage(
      .pendingAtStore, "a receipt came, and Apple does not answer",
      tell: (
        "We are checking your payment with the store. If it was made, your purchase arrives without paying again.",
        "我们正在向商店核实您的付款。如已支付，商品会自动到账，请勿重复付款。"
      )
    ) {
      try AppStoreEngineFixture().perform { fixture async throws in
        let order = try await fixture.order()
        _ = try await fixture.buy()
        try await fixture.apple.apiSettings.plan(PlannedAPIFault(.loseRequest, count: nil))
        _ = try await fixture.submit(fixture.apple.appReceipt(of: AppStoreEngineFixture.alice), orders: [order])
        return try await fixture.situation(of: order)
      }
    },
    WorldStage(
      .refundAskedAtApple, "Apple asks how far it was used",
      tell: (
        "Your purchase was delivered. Apple decides about your request for a refund and tells you.",
        "您的购买已发放。退款申请由 Apple 决定，结果会由 Apple 通知您。"
      )
    ) {
      try AppStoreEngineFixture().perform { fixture async throws in
        let transaction = try await fixture.bought()
        try await fixture.consent()
        let asked = fixture.now()
        #expect(try await fixture.askHowFarUsed(transaction))
        let situation = try await fixture.situation(of: fixture.payment(transaction)?.order)
        if case .refundAskedAtApple(let until) = situation { #expect(until >= asked + .hours(12)) }
        return situation
      }
    },
  ]

  private static let atBackend: [WorldStage] = [
    WorldStage(.paidGrantedNotTold, "the backend answers 500", tell: ToldCustomer.safe) {
      try refusedByBackend(for: .minutes(1))
    },
    WorldStage(.paidGrantedParked, "the backend answers 500 for a month", tell: ToldCustomer.safe) {
      try refusedByBackend(for: .days(31))
    },
  ]

  private static let atWeChatPay: [WorldStage] = [
    WorldStage(
      .weChatUnknown, "WeChat Pay's answer to the order is lost",
      tell: (
        "We are checking your payment with WeChat Pay. If it was made, your purchase arrives without paying again.",
        "我们正在向微信支付核实。如已支付，商品会自动到账，请勿重复付款。"
      )
    ) {
      try WeChatPayEngineFixture().perform { fixture async throws in
        try await fixture.weChatPay.control.plan(PlannedFault(.loseAnswer, of: .prepay, count: 2))
        return try await fixture.situation(of: fixture.order().order.key.id)
      }
    },
    WorldStage(
      .contradicted, "a later notification of WeChat Pay states another amount",
      tell: (
        "Your purchase of 100 coin is recorded. We are checking a detail of the payment with WeChat Pay.",
        "您购买的 100 coin 已有记录，我们正在与微信支付核对付款细节。"
      )
    ) {
      let fixture = try WeChatPayEngineFixture()
      let order = try fixture.perform { fixture async throws in
        try await fixture.weChatPay.control.plan(PlannedFault(.alteredAmount, of: .paymentNotification, count: nil))
        return try await fixture.paid()
      }
      fixture.startNotifications()
      fixture.world.run(for: .seconds(30))
      return try fixture.perform { try await $0.situation(of: order) }
    },
    WorldStage(
      .refundUnderWay, "WeChat Pay has not paid it back yet",
      tell: (
        "Your refund is under way. WeChat Pay credits it to what you paid with.", "您的退款正在处理，将由微信支付原路退回。"
      )
    ) {
      try WeChatPayEngineFixture().perform { fixture async throws in
        let order = try await fixture.paid()
        try await fixture.refund(order)
        return try await fixture.situation(of: order)
      }
    },
    WorldStage(
      .refundStuck, "WeChat Pay cannot credit the payer",
      tell: (
        "Your refund was started, and WeChat Pay could not credit it. A colleague is taking care of it.",
        "您的退款已发起，但微信支付未能入账，工作人员正在处理。"
      )
    ) {
      let fixture = try WeChatPayEngineFixture()
      fixture.startBackgroundTasks()
      let order = try fixture.perform { fixture async throws in
        let order = try await fixture.paid()
        try await fixture.weChatPay.control.plan(PlannedFault(.abnormalRefund, of: .refund))
        try await fixture.refund(order)
        return order
      }
      fixture.world.run(for: .minutes(10))
      return try fixture.perform { try await $0.situation(of: order) }
    },
  ]

  /// An order whose delivery the backend refuses for a time.
  private static func refusedByBackend(for span: TimeSpan) throws -> OrderSituation {
    let receiver = Receiver()
    receiver.turn(.refusing(500, retryAfter: nil))
    // A month passes in long steps when nothing is due.
    var limits = EngineLimits()
    limits.deliveryIdle = .hours(6)
    limits.watchInterval = .hours(6)
    limits.expiryInterval = .hours(6)
    let secret = Secret(Array("a secret made for tests, 32 bytes".utf8))
    let backend = DeliveryEndpoint(
      name: "backend", url: "https://backend.example/hook", environments: [.simulated], secrets: [secret])
    let fixture = try WorldEngineFixture({ $0.endpoints = [backend] }, exchange: receiver.exchange, limits: limits)
    let order = try fixture.perform { try await $0.buyCoins("1001") }
    fixture.startBackgroundTasks()
    fixture.world.run(for: span)
    #expect(!receiver.arrivals.isEmpty)
    let situation = try fixture.perform { try await $0.situation(of: order) }
    if case .paidGrantedNotTold(let attempts) = situation { #expect(attempts > 0) }
    return situation
  }
}

extension WeChatPayEngineFixture {
  /// An order of alice's that was paid and granted.
  fileprivate func paid() async throws -> OrderIdentifier {
    let details = try await order()
    try await visit(details)
    let order = details.order.key.id
    _ = try await engine.checkWeChatPay(.id(order), in: EngineFixture.appEnvironment, of: "alice", for: app)
    return order
  }

  /// Begins to pay all of it back.
  fileprivate func refund(_ order: OrderIdentifier) async throws {
    _ = try await engine.refundOrder(
      .id(order), in: EngineFixture.appEnvironment,
      RefundRequest(amount: nil, reason: nil, idempotencyKey: "all", askedBy: "test"), for: app)
  }
}
