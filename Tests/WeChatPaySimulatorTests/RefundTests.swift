import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import TestDoubles
import Testing
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `A refund at a simulated WeChat Pay` {
  private func refund(
    _ counter: WeChatPayCounter, _ number: String, amount: Int64, total: Int64 = 600
  ) async throws -> WeChatPayOutcome<RefundFacts> {
    await counter.ask(try .refund(counter.refundOrder(number, amount, total: total)))
  }

  @Test func `is refused for an order that is unknown or unpaid, and without any order`() async throws {
    let counter = try await WeChatPayCounter()
    #expect(try await refund(counter, "RF1", amount: 1).error?.code == .resourceNotFound)
    _ = try await counter.prepay()
    #expect(try await refund(counter, "RF1", amount: 1).error?.code == .resourceNotFound)
    #expect(await counter.ask(.refund(outRefundNo: "RF1")).error?.code == .resourceNotFound)
    let nameless = """
      {"out_refund_no":"RF1","amount":{"refund":1,"total":600,"currency":"CNY"}}
      """
    #expect(await counter.ask("POST", "/v3/refund/domestic/refunds", body: nameless).word == "PARAM_ERROR")
  }

  @Test func `is refused beyond the amount paid, with another total, and without the merchant's permission`()
    async throws
  {
    let counter = try await WeChatPayCounter()
    try await counter.service.setBehaviour(.refundsWithoutPause, to: 1)
    _ = try await counter.paid()
    #expect(try await refund(counter, "RF1", amount: 1, total: 601).error?.code == .parameterError)
    #expect(try await refund(counter, "RF1", amount: 400).answer != nil)
    #expect(try await refund(counter, "RF2", amount: 201).error?.code == .invalidRequest)
    #expect(try await refund(counter, "RF3", amount: 200).answer != nil)
    #expect(try await refund(counter, "RF4", amount: 1).error?.code == .invalidRequest)
    var merchant = WeChatPayCounter.simulated
    merchant.mayRefund = false
    try await counter.service.control.setMerchant(merchant)
    #expect(try await refund(counter, "RF5", amount: 1).error?.code == .noAuthority)
  }

  @Test func `with a known number is the same refund, and is refused with other parameters`() async throws {
    let counter = try await WeChatPayCounter()
    let paid = try await counter.paid()
    let first = try #require(try await refund(counter, "RF1", amount: 100).answer)
    #expect(first.status == .known(.processing) && first.refund == 100 && first.successTime == nil)
    #expect(try await refund(counter, "RF1", amount: 100).answer == first)
    #expect(try await refund(counter, "RF1", amount: 101).error?.code == .invalidRequest)
    var byTransaction = counter.refundOrder("RF1", 100)
    byTransaction.charge = .transactionId(try #require(paid.transactionId))
    #expect(await counter.ask(try .refund(byTransaction)).answer == first)
    #expect(await counter.service.refunds().count == 1)
    #expect(await counter.query().answer?.tradeState == .known(.refund))
  }

  @Test func `waits a minute after the one before it, and is possible within a year of the payment`() async throws {
    let counter = try await WeChatPayCounter()
    _ = try await counter.paid()
    #expect(try await refund(counter, "RF1", amount: 1).answer != nil)
    counter.time.advance(by: .milliseconds(59_999))
    #expect(try await refund(counter, "RF2", amount: 1).error?.code == .frequencyLimited)
    counter.time.advance(by: .milliseconds(1))
    #expect(try await refund(counter, "RF2", amount: 1).answer != nil)
    counter.time.advance(by: .days(365))
    #expect(try await refund(counter, "RF3", amount: 1).error?.code == .invalidRequest)
  }

  @Test func `is one of at most fifty`() async throws {
    let counter = try await WeChatPayCounter()
    try await counter.service.setBehaviour(.refundsWithoutPause, to: 1)
    _ = try await counter.paid()
    for index in 1...50 { #expect(try await refund(counter, "RF\(index)", amount: 1).answer != nil) }
    #expect(try await refund(counter, "RF51", amount: 1).error?.code == .invalidRequest)
  }

  @Test func `completes after its time, and its notification uses other field names than the query`() async throws {
    let counter = try await WeChatPayCounter()
    _ = try await counter.paid()
    _ = try await counter.delivered()
    _ = try await refund(counter, "RF1", amount: 600)
    counter.time.advance(by: .seconds(5))
    let answer = try #require(await counter.ask(.refund(outRefundNo: "RF1")).answer)
    #expect(answer.status == .known(.success) && answer.successTime == counter.time.now)
    let told = try #require(try await counter.delivered().first).get()
    guard case .refund(let notification) = told.content else { throw WeChatPayCounter.Missing(what: "a refund") }
    #expect(told.eventType == "REFUND.SUCCESS" && notification.status == .known(.success))
    #expect(notification == RefundNotification(of: answer, mchid: WeChatPayCounter.mchid))
  }

  @Test func `fails permanently, or stops until a person repairs it`() async throws {
    let counter = try await WeChatPayCounter()
    try await counter.service.setBehaviour(.refundsWithoutPause, to: 1)
    _ = try await counter.paid()
    try await counter.service.control.plan(PlannedFault(.closedRefund, of: .refund))
    try await counter.service.control.plan(PlannedFault(.abnormalRefund, of: .refund))
    _ = try await refund(counter, "RF1", amount: 600)
    counter.time.advance(by: .seconds(5))
    #expect(await counter.ask(.refund(outRefundNo: "RF1")).answer?.status == .known(.closed))
    // The amount of a failed refund becomes available again.
    #expect(try await refund(counter, "RF2", amount: 600).answer != nil)
    counter.time.advance(by: .seconds(5))
    #expect(await counter.ask(.refund(outRefundNo: "RF2")).answer?.status == .known(.abnormal))
    let key = RefundKey(mchid: WeChatPayCounter.mchid, outRefundNo: "RF2")
    try await counter.service.control.repairRefund(key)
    counter.time.advance(by: .seconds(5))
    #expect(await counter.ask(.refund(outRefundNo: "RF2")).answer?.status == .known(.success))
    await #expect(throws: CodedError(WeChatPaySimulatorErrorCode.fieldInvalid)) {
      try await counter.service.control.repairRefund(key)
    }
    let events = try await counter.delivered().map { try $0.get().eventType }
    #expect(events == ["TRANSACTION.SUCCESS", "REFUND.CLOSED", "REFUND.ABNORMAL", "REFUND.SUCCESS"])
  }

  @Test func `returns the payer's own money, in proportion to coupons`() async throws {
    let counter = try await WeChatPayCounter()
    try await counter.service.setBehaviour(.refundsWithoutPause, to: 1)
    let visit = try counter.handOver(try await counter.prepayId())
    _ = try await counter.service.cashier.visit(visit, openid: "o", .payWithCoupon(100))
    let part = try #require(try await refund(counter, "RF1", amount: 300).answer)
    #expect(part.refund == 300 && part.payerRefund == 250 && part.payerTotal == 500)
  }

  @Test func `is refused if the balance is too small, and accepted later with the same number`() async throws {
    let counter = try await WeChatPayCounter()
    _ = try await counter.paid()
    try await counter.service.control.plan(PlannedFault(.notEnough, of: .refund))
    #expect(try await refund(counter, "RF1", amount: 600).error?.code == .notEnough)
    #expect(try await refund(counter, "RF1", amount: 600).answer != nil)
  }
}
