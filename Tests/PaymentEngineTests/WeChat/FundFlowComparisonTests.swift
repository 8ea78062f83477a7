import PaymentPrimitives
import Testing
import WeChatPayIntegration
import WeChatPayProtocol

/// Each difference of the two bills of one day, planted in files.
@Suite struct `The comparison of a fund-flow bill with the trade bill` {
  private typealias Kind = FundFlowReport.Finding.Kind

  private static let midnight = Timestamp(iso8601: "2026-11-20T00:00:00+08:00") ?? Timestamp(seconds: 0)

  /// A line of the fund-flow bill: time, number, word and amount in fen. Its balance follows unless it is stated.
  private struct Flow {
    var time = "12:00:00"
    var number: String
    var word: String
    var amount: Int64
    var balance: Int64?
  }

  /// A payment of 6.00 with its fee, a refund of 1.00 with what it gives back of it, and a withdrawal.
  private static let flows = [
    Flow(number: "4200", word: "交易", amount: 600), Flow(number: "4200", word: "扣除交易手续费", amount: -4),
    Flow(number: "5030", word: "退款", amount: -100), Flow(number: "5030", word: "退还交易手续费", amount: 1),
    Flow(number: "1000", word: "提现", amount: -200),
  ]

  private static func file(_ flows: [Flow]) throws -> FundFlowBill {
    var (balance, lines) = (Int64(0), "")
    for (index, flow) in flows.enumerated() {
      balance += flow.amount
      let fields = [
        "2026-11-20 " + flow.time, flow.number, "\(index)", flow.word, flow.word, flow.amount < 0 ? "支出" : "收入",
        BillAmount.text(fen: abs(flow.amount)), BillAmount.text(fen: flow.balance ?? balance), "system", "", "V",
      ]
      lines += fields.map { "`" + $0 }.joined(separator: ",") + "\n"
    }
    return try FundFlowBill(
      Array(
        ("记账时间,微信支付业务单号,资金流水单号,业务名称,业务类型,收支类型,收支金额(元),账户结余(元),资金变更提交申请人,备注,业务凭证号\n" + lines
          + "资金流水总笔数\n`\(flows.count)\n").utf8))
  }

  /// The trade bill of the same day.
  private static func trade(
    at time: String = "12:00:00", payment: String = "6.00", fee: String = "0.03600", refund: String = "1.00",
    refundId: String = "5030"
  ) throws -> TradeBill {
    let head =
      "交易时间,公众账号ID,商户号,微信订单号,商户订单号,用户标识,交易类型,交易状态,付款银行,货币种类,应结订单金额,代金券金额,"
      + "微信退款单号,商户退款单号,退款金额,充值券退款金额,退款类型,退款状态,商品名称,商户数据包,手续费,费率,订单金额\n"
    func row(_ fields: [String]) -> String { fields.map { "`" + $0 }.joined(separator: ",") + "\n" }
    let start = ["2026-11-20 " + time, "wx1", "1900", "4200", "ORDER1", "o1", "APP"]
    let rows =
      row(
        start + ["SUCCESS", "OTHERS", "CNY", payment, "0.00", "0", "0", "0.00", "0.00", "", "", "g", "", fee, "0.60%"]
          + [payment])
      + row(
        start + ["REFUND", "OTHERS", "CNY", "0.00", "0.00", refundId, "R1", refund, "0.00", "ORIGINAL", "SUCCESS", "g"]
          + ["", "-0.00600", "0.60%", "0.00"])
    return try TradeBill(Array((head + rows + "总交易单数\n`2\n").utf8))
  }

  private static func compared(
    _ flows: [Flow] = flows, with trade: TradeBill? = nil, before: Int64? = nil
  ) throws -> FundFlowReport {
    var comparison = FundFlowComparison(span: midnight..<(midnight + .days(1)))
    comparison.compare(try file(flows), with: try trade ?? Self.trade(), balanceBefore: before)
    return comparison.report
  }

  @Test func `finds each planted difference, and names it`() throws {
    func kinds(_ report: FundFlowReport) -> [Kind] { report.findings.map(\.kind) }
    func with(_ change: (inout [Flow]) -> Void) -> [Flow] {
      var flows = Self.flows
      change(&flows)
      return flows
    }
    let noPayment = try Self.compared(with { $0.remove(at: 0) })
    #expect(kinds(noPayment) == [.notInFundFlow])
    #expect(noPayment.findings.first?.expectedAmount == 600 && noPayment.findings.first?.number == "4200")
    #expect(kinds(try Self.compared(with { $0.remove(at: 2) })) == [.notInFundFlow])
    #expect(kinds(try Self.compared(with: .empty)) == [.notInTradeBill, .notInTradeBill])
    #expect(kinds(try Self.compared(with: Self.trade(refundId: "5031"))) == [.notInFundFlow, .notInTradeBill])
    let otherAmount = try Self.compared(with: Self.trade(payment: "6.01"))
    #expect(kinds(otherAmount) == [.amountDiffers])
    #expect(otherAmount.findings.first?.flowAmount == 600 && otherAmount.findings.first?.expectedAmount == 601)
    #expect(kinds(try Self.compared(with: Self.trade(refund: "0.99"))) == [.amountDiffers])
    #expect(kinds(try Self.compared(with { $0.remove(at: 1) })) == [.feeDiffers])
    #expect(kinds(try Self.compared(with: Self.trade(fee: "0.05000"))) == [.feeDiffers])
    #expect(
      kinds(try Self.compared(with { $0.append(Flow(number: "1000", word: "提现", amount: -1)) })) == [.doubledLine])
    #expect(kinds(try Self.compared(with { $0[4].word = "保证金" })) == [.unknownMovement])
    let broken = try Self.compared(with { $0[3].balance = 498 })
    #expect(kinds(broken) == [.balanceDiffers, .balanceDiffers])
    #expect(broken.findings.first?.flowAmount == 498 && broken.findings.first?.expectedAmount == 497)
    #expect(kinds(try Self.compared(before: 1)) == [.balanceDiffers])
  }

  @Test func `finds nothing in equal bills, in whatever order their lines stand`() throws {
    let report = try Self.compared(before: 0)
    #expect(report.findings == [])
    #expect([report.opening, report.closing] == [0, 297])
    #expect(report.payments == .init(count: 1, amount: 600) && report.fees == .init(count: 1, amount: 4))
    #expect(report.refunds == .init(count: 1, amount: 100) && report.returnedFees == .init(count: 1, amount: 1))
    #expect(report.withdrawals == .init(count: 1, amount: 200))
    // The newest line first.
    let balances: [Int64] = [600, 596, 496, 497, 297]
    let newest = zip(Self.flows, balances).enumerated().reversed().map { index, pair in
      var flow = pair.0
      (flow.time, flow.balance) = ("12:00:0\(index)", pair.1)
      return flow
    }
    #expect(try Self.compared(newest).findings == [])
    // A day without lines keeps the balance of the day before.
    #expect(try Self.compared([], with: .empty, before: 7).closing == 7)
  }

  @Test func `counts lines around midnight apart, because their partner may be in the neighbouring bill`() throws {
    let late = try Self.compared([], with: Self.trade(at: "23:55:00"))
    #expect(late.findings == [] && late.atMidnight == 2)
    var early = Self.flows
    for index in early.indices { early[index].time = "00:05:00" }
    let report = try Self.compared(early, with: .empty)
    #expect(report.findings == [] && report.atMidnight == 2)
  }
}
