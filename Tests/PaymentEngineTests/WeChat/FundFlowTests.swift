import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import SimulatorCore
import StrictJSON
import TestTier
import Testing
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

/// WeChat Pay's fund-flow bill, asked for by the shop.
@Suite struct `A day's fund-flow bill` {
  private static func compare(_ fixture: WeChatPayEngineFixture, _ day: String) throws -> ReconciliationReport {
    let outcome = try fixture.perform { try await $0.engine.reconcileWeChatPay(day, for: $0.app) }
    guard case .compared(let report) = outcome else {
      Issue.record("\(outcome)")
      throw CancellationError()
    }
    return report
  }

  private static func pay(
    _ fixture: WeChatPayEngineFixture, _ user: UserIdentifier, _ action: CashierAction = .pay
  ) async throws -> OrderDetails {
    let details = try await fixture.order("coins.100", of: user)
    try await fixture.visit(details, action, openid: "o-\(user.text)")
    _ = try await fixture.engine.checkWeChatPay(
      .id(details.order.key.id), in: EngineFixture.appEnvironment, of: user, for: fixture.app)
    return details
  }

  @discardableResult
  private static func refund(
    _ fixture: WeChatPayEngineFixture, _ details: OrderDetails, _ amount: Int64?, _ fault: WeChatPayFault? = nil
  ) async throws -> Refund {
    if let fault { try await fixture.weChatPay.control.plan(PlannedFault(fault, of: .refund)) }
    return try await fixture.engine.refundOrder(
      .id(details.order.key.id), in: EngineFixture.appEnvironment,
      RefundRequest(amount: amount, reason: nil, idempotencyKey: details.order.key.id.description, askedBy: "test"),
      for: fixture.app)
  }

  @Test func `that differs is reported beside the comparison with the ledger, and waits for an operator`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.world.run(for: .minutes(30))
    let day = BeijingTime.day(fixture.now())
    try fixture.perform { fixture async throws in _ = try await Self.pay(fixture, "alice") }
    fixture.world.run(for: .hours(36))
    try fixture.perform { try await $0.weChatPay.control.plan(PlannedFault(.alteredAmount, of: .fundFlowBill)) }
    let report = try Self.compare(fixture, day)
    #expect(report.differences == [] && report.differenceCount == 1)
    #expect(report.fundFlow?.findings.map(\.kind) == [.amountDiffers])
    #expect(report.json["differences"] == .integer(1))
    #expect(report.json["fundFlow"]?["findings"]?.array?.first?["kind"] == .string("amountDiffers"))
  }

  @Test(arguments: [WeChatPayFault.systemError, .unreachable, .wrongHash])
  func `that cannot be read is asked for again, and keeps nothing of the ledger from being compared`(
    fault: WeChatPayFault
  ) throws {
    let fixture = try WeChatPayEngineFixture()
    let day = BeijingTime.day(fixture.now())
    try fixture.perform { fixture async throws in _ = try await Self.pay(fixture, "alice") }
    fixture.world.run(for: .hours(36))
    try fixture.perform { try await $0.weChatPay.control.plan(PlannedFault(fault, of: .fundFlowBill, count: 2)) }
    let first = try Self.compare(fixture, day)
    #expect(first.fundFlow?.state.name == "later" && first.payments.count == 1 && !first.isComplete)
    try fixture.perform { try await $0.weChatPay.control.forgetFaults() }
    let second = try Self.compare(fixture, day)
    #expect(second.fundFlow?.state == .compared && second.isComplete)
  }

  @Test func `in which the money of a refund came back is compared with the refund here`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startBackgroundTasks()
    fixture.world.run(for: .minutes(30))
    let day = BeijingTime.day(fixture.now())
    let refund = try fixture.perform { fixture async throws in
      try await Self.refund(fixture, try await Self.pay(fixture, "alice"), 250, .closedRefund)
    }
    fixture.world.run(for: .hours(36))
    let closed = try Self.compare(fixture, day)
    #expect(closed.fundFlow?.findings == [] && closed.fundFlow?.returnedRefunds == .init(count: 1, amount: 250))
    // A refund that is done here cannot have come back.
    try fixture.perform { fixture async throws in
      _ = await fixture.database.transact { transaction in
        guard var known = try transaction.refund(refund.number, in: EngineFixture.appEnvironment) else { return }
        known.state = .done(at: Timestamp(seconds: 1))
        try transaction.update(known)
      }
    }
    let done = try Self.compare(fixture, day)
    #expect(done.fundFlow?.findings.map(\.kind) == [.returnedRefundDiffers])
    #expect(done.fundFlow?.findings.first?.details == refund.number + " done")
  }

  /// Trade bill, fund-flow bill and ledger over a month with coupons, refunds of every state, fees and withdrawals.
  @Test func `agrees to the fen with trade bill and ledger on each day of a month`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startBackgroundTasks()
    fixture.startNotifications()
    fixture.world.run(for: .minutes(30))
    let days = Tier.among(test: 3, check: 31, night: 92)
    var names: [String] = []
    for number in 0..<days {
      names.append(BeijingTime.day(fixture.now()))
      try fixture.perform { fixture async throws in
        func user(_ name: String) -> UserIdentifier { UserIdentifier("\(name)\(number)") }
        let coupon = Int64(1 + number * 7 % 599)
        let stories = [
          try await Self.pay(fixture, user("plain")),
          try await Self.pay(fixture, user("coupon"), .payWithCoupon(coupon)),
          try await Self.pay(fixture, user("closed")), try await Self.pay(fixture, user("abnormal")),
          try await Self.pay(fixture, user("unpaid"), .cancel),
        ]
        try await Self.refund(fixture, stories[0], Int64(1 + number * 11 % 600))
        try await Self.refund(fixture, stories[1], nil)
        try await Self.refund(fixture, stories[2], 333, .closedRefund)
        try await Self.refund(fixture, stories[3], 100, .abnormalRefund)
        _ = try await fixture.weChatPay.control.transfer(
          number % 3 == 0 ? .topUp : .withdrawal, 100 + Int64(number), in: .basic, of: TestMerchant.mchid)
      }
      fixture.world.run(for: .days(1))
    }
    fixture.world.run(for: .hours(12))
    var (trade, flow) = ((payments: Int64(0), refunds: Int64(0)), Int64(0))
    for name in names {
      let report = try Self.compare(fixture, name)
      #expect(report.differences == [], "\(name)")
      let fundFlow = try #require(report.fundFlow)
      #expect(fundFlow.state == .compared && fundFlow.findings == [] && fundFlow.atMidnight == 0, "\(name)")
      trade.payments += report.payments.amount
      trade.refunds += report.refunds.amount
      let opening = try #require(fundFlow.opening)
      #expect(opening == flow, "\(name)")
      flow = try #require(fundFlow.closing)
    }
    let (payments, refunds) = trade
    try fixture.perform { try await Self.expect($0, payments: payments, refunds: refunds) }
  }

  /// Compares the sums of the bills with the ledger's payments and refunds.
  private static func expect(_ fixture: WeChatPayEngineFixture, payments: Int64, refunds: Int64) async throws {
    let orders = await fixture.weChatPay.orders()
    var (paid, asked, states) = (Int64(0), Int64(0), Set<String>())
    for order in orders {
      guard let id = OrderIdentifier(order.key.outTradeNo) else { continue }
      let key = PaymentModel.OrderKey(appEnvironment: EngineFixture.appEnvironment, id: id)
      let made = try await fixture.database.read { reader -> (Int64, [Refund]) in
        guard let transaction = try reader.weChatPayOrder(key)?.transaction else { return (0, []) }
        let payment = PaymentKey(
          app: key.appEnvironment.app, store: .weChatPay, environment: key.appEnvironment.environment,
          transaction: transaction)
        guard let price = try reader.payment(payment)?.facts.price else { return (0, []) }
        return (price.milliunits / 10, try reader.refunds(of: payment))
      }
      paid += made.0
      asked += made.1.reduce(0) { $0 + $1.amount.minorUnits }
      states.formUnion(made.1.map(\.state.name))
    }
    #expect(paid == payments && paid > 0)
    #expect(asked == refunds && asked > 0)
    #expect(states == ["done", "failed", "stuck"])
    #expect(try await fixture.violations() == [])
  }
}
