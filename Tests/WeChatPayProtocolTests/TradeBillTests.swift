import PaymentPrimitives
import TestDoubles
import Testing
import WeChatPayProtocol

/// Bills to parse: the vector's, and others made from rows.
enum TradeBillFiles {
  static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  static func file(_ lines: [String], separator: String = "\r\n", hasMark: Bool = true) -> [UInt8] {
    (hasMark ? mark : []) + Array((lines.joined(separator: separator) + separator).utf8)
  }

  static let vector = file(WeChatPayVectors.tradeBillLines)
}

@Suite struct `A trade bill` {
  private let lines = WeChatPayVectors.tradeBillLines

  private func code(_ file: [UInt8]) -> BillErrorCode? {
    do throws(CodedError<BillErrorCode>) {
      _ = try TradeBill(file)
      return nil
    } catch { return error.code }
  }

  private func code(_ change: (inout [String]) -> Void) -> BillErrorCode? {
    var lines = lines
    change(&lines)
    return code(TradeBillFiles.file(lines))
  }

  @Test func `that is incomplete is refused, wherever it ends`() {
    let file = TradeBillFiles.vector
    // The last value, `6.00`, is the same amount without its zeros. Some files have no last line end.
    for count in 0..<file.count - 6 { #expect(code(Array(file.prefix(count))) != nil, "\(count)") }
    #expect(code(Array(file.dropLast(2))) == nil)
    #expect(code { $0.removeLast() } == .incomplete)
    #expect(code { $0.removeLast(2) } == .incomplete)
    #expect(code { $0.remove(at: 1) } == .incomplete)
    #expect(code { $0.insert($0[1], at: 1) } == .incomplete)
  }

  @Test func `is refused if its lines do not add up to its summary`() {
    #expect(code { $0[1] = $0[1].replacing("`6.00,`0.00,`0,`0", with: "`6.01,`0.00,`0,`0") } == .sumsDiffer)
    #expect(code { $0[4] = $0[4].replacing("`2,`6.00", with: "`2,`5.00") } == .sumsDiffer)
    #expect(code { $0[2] = $0[2].replacing("-0.03600", with: "-0.03500") } == .sumsDiffer)
    #expect(code { $0[4] = $0[4].replacing("`2,", with: "`two,") } == .incomplete)
    #expect(code { $0[3] = $0[3].replacing("总交易单数", with: "总数") } == .incomplete)
    #expect(code { $0[4] = $0[4].replacing("`6.00,`6.00,`0.00", with: "`6.00,`six,`0.00") } == .malformedAmount)
  }

  @Test func `with a malformed line is refused, and the error names the line`() throws {
    #expect(code { $0[1] = $0[1] + ",`" } == .malformedLine)
    #expect(code { $0[1] = $0[1].replacing(",`CNY", with: ",CNY") } == .malformedLine)
    #expect(code { $0[1] = $0[1].replacing("2025-10-09 16:53:10", with: "2025-13-09 16:53:10") } == .malformedLine)
    #expect(code { $0[1] = $0[1].replacing("2025-10-09 16:53:10", with: "") } == .malformedLine)
    #expect(code { $0[1] = $0[1].replacing("`0.03600", with: "`1e3") } == .malformedAmount)
    #expect(code { $0[1] = $0[1].replacing("`0.03600", with: "`") } == .malformedAmount)
    #expect(code { $0.append("`more") } == .malformedLine)
    let long = "测试" + String(repeating: "x", count: 17_000)
    #expect(code { $0[1] = $0[1].replacing("测试商品", with: long) } == .malformedLine)
    var notUTF8 = TradeBillFiles.vector
    notUTF8[notUTF8.count - 120] = 0xFF
    #expect(code(notUTF8) == .malformedLine || code(notUTF8) == .incomplete)
    do throws(CodedError<BillErrorCode>) {
      _ = try TradeBill(TradeBillFiles.file([lines[0], lines[1] + ",`"]))
    } catch { #expect(error.details.contains("Line 2")) }
  }

  @Test func `without the columns of a trade bill is refused`() {
    for column in ["商户号", "微信订单号", "交易状态", "应结订单金额", "手续费"] {
      #expect(code { $0[0] = $0[0].replacing("," + column + ",", with: ",新列,") } == .malformedHeader, "\(column)")
    }
    #expect(code { $0[0] = $0[0].replacing("微信退款单号", with: "新列") } == .malformedHeader, "it has refunds")
    #expect(code { $0[0] = $0[0].replacing("费率备注", with: "费率") } == .malformedHeader, "twice")
    #expect(code([]) == .malformedHeader)
    #expect(code(Array("<html>not found</html>".utf8)) == .malformedHeader)
    #expect(code(Array("{\"code\":\"NO_STATEMENT_EXIST\"}".utf8)) == .malformedHeader)
    #expect(code(Array(String(repeating: ",", count: 10_000).utf8)) == .malformedHeader)
    #expect(code(Array("`a,`b\n".utf8)) == .malformedHeader)
  }

  @Test func `with sums beyond the limit of money is refused and never overflows`() {
    let huge = "`999999999999.00"
    #expect(
      code { lines in
        lines[1] = lines[1].replacing("`6.00", with: huge)
        lines = [lines[0]] + Array(repeating: lines[1], count: 100) + lines[2...]
      } == .malformedAmount)
  }

  @Test func `of the vector is read exactly`() throws {
    #expect(TradeBillFiles.vector.count == 1138)
    let bill = try TradeBill(TradeBillFiles.vector)
    #expect(bill.rows.count == 2)
    #expect(bill.paymentTotal == 600)
    #expect(bill.refundTotal == 600)
    let payment = bill.rows[0]
    #expect(payment.event == .payment)
    #expect(payment.date == Timestamp(iso8601: "2025-10-09T08:53:10Z"))
    #expect(payment.appid == "wx2421b1c4370ec43b")
    #expect(payment.mchid == "1900007291")
    #expect(payment.subMchid == nil)
    #expect(payment.transactionId == "4200002500202510090000000001")
    #expect(payment.outTradeNo == "ORD20251009000001")
    #expect(payment.tradeType == "APP")
    #expect(payment.total == 600)
    #expect(payment.feeUnits == 3600)
    #expect(payment.rate == "0.60%")
    #expect(payment.goodsName == "测试商品-钻石x60")
    let refund = try #require(bill.rows[1].refund)
    #expect(refund.refundId == "50300002502025100900000000001")
    #expect(refund.outRefundNo == "RF20251009000001")
    #expect(refund.amount == 600)
    #expect(refund.requested == 600)
    #expect(refund.status == "SUCCESS")
    #expect(bill.rows[1].feeUnits == -3600)
    #expect(bill.rows[1].line == 3)
    #expect(bill.summary.first { $0.name == "总交易单数" }?.value == "2")
  }

  @Test func `may have either line end, no byte order mark, decimal counts and new columns`() throws {
    let expected = try TradeBill(TradeBillFiles.vector)
    #expect(try TradeBill(TradeBillFiles.file(lines, separator: "\n")) == expected)
    #expect(try TradeBill(TradeBillFiles.file(lines, hasMark: false)) == expected)
    #expect(try TradeBill(TradeBillFiles.file(lines + [""])) == expected)
    var decimal = lines
    decimal[4] = decimal[4].replacing("`2,`6.00,`6.00,`0.00,`0.00000", with: "`2.0,`6.0,`6,`0.0,`0")
    #expect(try TradeBill(TradeBillFiles.file(decimal)).rows == expected.rows)
    var wider = lines
    wider[0] += ",新列"
    wider[1] += ",`a, b"
    wider[2] += ",`"
    let bill = try TradeBill(TradeBillFiles.file(wider))
    #expect(bill.rows[0].others == [TradeBillRow.Other(name: "新列", value: "a, b")])
    #expect(bill.rows[1].others.first?.value == "")
    #expect(bill.rows[0].total == 600)
  }

  /// The two other kinds of bill have columns in their own order.
  @Test func `of payments only, of refunds only, or of an old account is read by its column names`() throws {
    let begin = "`2025-10-09 16:53:10,`wx1,`1900007291,`0,`,`42,`ORD001,`o1,`APP"
    let success = [
      lines[0].split(separator: ",").prefix(14).joined(separator: ",") + ",商品名称,商户数据包,手续费,费率,订单金额,费率备注",
      begin + ",`SUCCESS,`OTHERS,`CNY,`6.00,`0.00,`钻石,`,`0.03600,`0.60%,`6.00,`",
      "总交易单数,应结订单总金额,手续费总金额,订单总金额", "`1,`6.00,`0.04,`6.00",
    ]
    let payments = try TradeBill(TradeBillFiles.file(success))
    #expect(payments.columns.count == 20)
    #expect(payments.rows.map(\.event) == [.payment])
    #expect(payments.rows[0].total == 600)
    let refunds = [
      lines[0].split(separator: ",").prefix(14).joined(separator: ",")
        + ",退款申请时间,退款成功时间,微信退款单号,商户退款单号,退款金额,充值券退款金额,退款类型,退款状态,"
        + "商品名称,商户数据包,手续费,费率,订单金额,申请退款金额,费率备注",
      begin + ",`REFUND,`OTHERS,`CNY,`0.00,`0.00,`2025-10-09 17:09:30,`2025-10-09 17:09:58,`503,`RF1,`1.00,`0.00,"
        + "`ORIGINAL,`SUCCESS,`钻石,`,`-0.00600,`0.60%,`0.00,`1.00,`",
      lines[3], "`1,`0.00,`1.00,`0.00,`-0.00600,`0.00,`1.00",
    ]
    let refund = try TradeBill(TradeBillFiles.file(refunds))
    #expect(refund.columns.count == 29)
    #expect(refund.rows[0].refund?.appliedDate == Timestamp(iso8601: "2025-10-09T09:09:30Z"))
    #expect(refund.rows[0].refund?.successDate == Timestamp(iso8601: "2025-10-09T09:09:58Z"))
    #expect(refund.refundTotal == 100)
    let old = [
      "交易时间,公众账号ID,商户号,子商户号,设备号,微信订单号,商户订单号,用户标识,交易类型,交易状态,付款银行,货币种类,总金额,"
        + "企业红包金额,微信退款单号,商户退款单号,退款金额,企业红包退款金额,退款类型,退款状态,商品名称,商户数据包,手续费,费率",
      begin + ",`SUCCESS,`CFT,`CNY,`6.00,`0.00,`0,`0,`0.00,`0.00,`,`,`钻石,`,`0.03600,`0.60%",
      "总交易单数,总交易额,总退款金额,总企业红包退款金额,手续费总金额", "`1,`6.00,`0.00,`0.00,`0.03600",
    ]
    #expect(try TradeBill(TradeBillFiles.file(old)).rows[0].total == 600)
  }

  @Test func `keeps a state that is neither payment nor refund`() throws {
    var lines = lines
    lines[1] = lines[1].replacing("`SUCCESS", with: "`REVOKED")
    #expect(try TradeBill(TradeBillFiles.file(lines)).rows[0].event == .other("REVOKED"))
  }

  @Test func `with any rows is read to the same sums`() throws {
    var chance = SplitMix64(seed: 3)
    for _ in 0..<20 {
      let amounts = (0..<chance.number(below: 40)).map { _ in
        (fen: Int64(chance.number(below: 99_999_999)), fee: Int64(chance.number(below: 999_999)))
      }
      let rows = amounts.enumerated().map { index, amount in
        "`2025-10-09 16:53:10,`wx1,`19,`0,`,`42\(index),`ORD\(index),`o,`APP,`SUCCESS,`CFT,`CNY,"
          + "`\(BillAmount.text(fen: amount.fen)),`0.00,`0,`0,`0.00,`0.00,`,`,`a,b,`,"
          + "`\(BillAmount.text(feeUnits: amount.fee)),`0.60%,`\(BillAmount.text(fen: amount.fen)),`0.00,`"
      }
      let total = BillAmount.text(fen: amounts.reduce(0) { $0 + $1.fen })
      let fee = BillAmount.text(feeUnits: amounts.reduce(0) { $0 + $1.fee })
      let summary = "`\(rows.count),`\(total),`0.00,`0.00,`\(fee),`\(total),`0.00"
      let bill = try TradeBill(TradeBillFiles.file([lines[0]] + rows + [lines[3], summary]))
      #expect(bill.rows.map(\.total) == amounts.map(\.fen))
      #expect(bill.rows.map(\.feeUnits) == amounts.map(\.fee))
      #expect(bill.rows.allSatisfy { $0.goodsName == "a,b" })
    }
  }
}

@Suite struct `An amount of a bill` {
  @Test(arguments: [
    "", "-", ".", "1.", ".5", "1,00", "1.005", "1.001", "+1.00", "--1.00", "1.00 ", " 1.00", "1e2", "0x1", "１.00", "¥1",
    "1000000000000000.00", "1.0000000000001", "1.2.3",
  ])
  func `is refused unless it is whole fen`(_ text: String) {
    #expect(BillAmount.fen(text) == nil)
  }

  @Test func `is read and written exactly`() {
    for (text, fen) in [
      ("0.00", 0), ("0.0", 0), ("0", 0), ("6", 600), ("6.5", 650), ("-0.01", -1), ("-6.00", -600), ("0.29000", 29),
      ("999999999999.99", 99_999_999_999_999), ("0.070000000000", 7),
    ] as [(String, Int64)] {
      #expect(BillAmount.fen(text) == fen, "\(text)")
    }
    #expect(BillAmount.feeUnits("0.03600") == 3600)
    #expect(BillAmount.feeUnits("-0.00001") == -1)
    #expect(BillAmount.count("45.0") == 45)
    #expect(BillAmount.count("45") == 45)
    #expect(BillAmount.count("45.5") == nil)
    #expect(BillAmount.count("-1") == nil)
    var chance = SplitMix64(seed: 5)
    for _ in 0..<500 {
      let fen = Int64(chance.number(below: 200_000_000_000)) - 100_000_000_000
      #expect(BillAmount.fen(BillAmount.text(fen: fen)) == fen)
      #expect(BillAmount.feeUnits(BillAmount.text(feeUnits: fen)) == fen)
    }
  }
}
