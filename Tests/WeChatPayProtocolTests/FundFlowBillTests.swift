import PaymentPrimitives
import Testing
import WeChatPayProtocol

@Suite struct `A fund-flow bill` {
  private static let head =
    "\u{FEFF}记账时间,微信支付业务单号,资金流水单号,业务名称,业务类型,收支类型,收支金额(元),账户结余(元),资金变更提交申请人,备注,业务凭证号\r\n"
  private static let summary = "资金流水总笔数,收入笔数,收入金额,支出笔数,支出金额\r\n"
  private static let payment = "`2026-11-20 04:21:23,`42000001,`1,`交易,`交易,`收入,`6.00,`6.00,`system,`,`ORDER1\r\n"
  private static let refund = "`2026-11-20 05:00:00,`50300001,`2,`退款,`退款,`支出,`0.02,`5.98,`system,`缺货,`REF1\r\n"

  private static func code(_ text: String) -> BillErrorCode? {
    do throws(CodedError<BillErrorCode>) {
      _ = try FundFlowBill(Array(text.utf8))
      return nil
    } catch { return error.code }
  }

  @Test func `is refused as a whole if it is cut, or does not add up`() {
    let rows = Self.payment + Self.refund
    #expect(Self.code("") == .malformedHeader)
    #expect(Self.code(Self.head.replacing("账户结余(元),", with: "") + Self.summary) == .malformedHeader)
    #expect(Self.code(Self.head.replacing("备注", with: "业务类型") + Self.summary) == .malformedHeader)
    #expect(Self.code(Self.head + rows) == .incomplete)
    #expect(Self.code(Self.head + rows + Self.summary + "`3,`1,`6.00,`1,`0.02\r\n") == .incomplete)
    #expect(Self.code(Self.head + rows + "收入笔数\r\n`1\r\n") == .incomplete)
    for wrong in ["`2,`2,`6.00,`1,`0.02", "`2,`1,`6.01,`1,`0.02", "`2,`1,`6.00,`2,`0.02", "`2,`1,`6.00,`1,`0.03"] {
      #expect(Self.code(Self.head + rows + Self.summary + wrong + "\r\n") == .sumsDiffer)
    }
  }

  @Test(arguments: [
    ("`收入", "`冻结", BillErrorCode.malformedLine), ("2026-11-20 04", "gestern 04", .malformedLine),
    ("`6.00,`6.00", "`6.001,`6.00", .malformedAmount), ("`6.00,`6.00", "`-6.00,`6.00", .malformedAmount),
    ("`6.00,`6.00", "`6.00,`viel", .malformedAmount),
  ])
  func `is refused for a line that cannot be read`(from: String, to: String, code: BillErrorCode) {
    let row = Self.payment.replacing(from, with: to)
    #expect(row != Self.payment)
    #expect(Self.code(Self.head + row + Self.summary + "`1,`1,`6.00,`0,`0.00\r\n") == code)
  }

  @Test func `has signed amounts in fen, balances, and the words that it does not know`() throws {
    let other = "`2026-11-20 06:00:00,`10000001,`3,`x,`保证金,`支出,`1.00,`4.98,`m,`a\\nb,`\r\n"
    let text = Self.head + Self.payment + Self.refund + other + Self.summary + "`3.0,`1,`6.00,`2,`1.02\r\n"
    let rows = try FundFlowBill(Array(text.utf8)).rows
    #expect(rows.map(\.amount) == [600, -2, -100])
    #expect(rows.map(\.balance) == [600, 598, 498])
    #expect(rows.map(\.kind) == [.payment, .refund, .other("保证金")])
    #expect(rows.map(\.number) == ["42000001", "50300001", "10000001"])
    #expect(rows[1].voucher == "REF1" && rows[1].note == "缺货")
    #expect(rows[0].date == Timestamp(iso8601: "2026-11-20T04:21:23+08:00"))
    // The same with LF and full-width parentheses.
    let varied = text.replacing("\r\n", with: "\n").replacing("(元)", with: "（元）")
    #expect(try FundFlowBill(Array(varied.utf8)).rows == rows)
  }
}
