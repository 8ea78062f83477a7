import Cryptography
import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import TestDoubles
import Testing
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `A fund-flow bill of a simulated WeChat Pay` {
  private let day = "2025-10-09"

  /// The rows of a bill as they stand in the file, without the head; the last one has the sums.
  private func rows(_ counter: WeChatPayCounter, _ query: String) async throws -> [[String]] {
    let ticket = await counter.ask("GET", query)
    guard ticket.status == 200 else { throw WeChatPayCounter.Missing(what: ticket.word ?? "a ticket") }
    let url = try #require(ticket.json?["download_url"]?.string)
    let file = await counter.ask("GET", try #require(url.firstRange(of: "/v3/").map { String(url[$0.lowerBound...]) }))
    let hash = SHA1.hash(file.body).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(ticket.json?["hash_type"]?.string == "SHA1" && ticket.json?["hash_value"]?.string == hash)
    let text = String(decoding: file.body, as: UTF8.self)
    #expect(text.hasPrefix("\u{FEFF}"))
    let lines = text.replacing("\r\n", with: "\n").split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map { String($0.drop { $0 == "`" }) }
    }
    return lines.filter { $0[0].first?.isNumber == true }
  }

  private func flows(_ counter: WeChatPayCounter, _ account: String = "BASIC") async throws -> [[String]] {
    try await rows(counter, "/v3/bill/fundflowbill?bill_date=\(day)&account_type=\(account)")
  }

  private func fen(_ text: String) -> Int64 { BillAmount.fen(text) ?? .min }

  /// What the rows of these names add up to.
  private func sum(_ rows: [[String]], _ names: String...) -> Int64 {
    rows.dropLast().filter { names.contains($0[3]) }.reduce(0) { $0 + (($1[5] == "收入") ? 1 : -1) * fen($1[6]) }
  }

  @Test func `agrees to the fen with the trade bill: payments, refunds and fees`() async throws {
    let counter = try await WeChatPayCounter()
    for number in 1...7 { _ = try await counter.paid("ORDERNUMBER\(number)", total: 83 * Int64(number)) }
    _ = try await counter.paid()
    try await counter.service.setBehaviour(.refundsWithoutPause, to: 1)
    for number in 1...5 { _ = await counter.ask(try .refund(counter.refundOrder("RF\(number)", 101))) }
    counter.time.advance(by: .days(2))
    let trade = try await rows(counter, "/v3/bill/tradebill?bill_date=\(day)").last ?? []
    let flows = try await flows(counter)
    #expect(sum(flows, "交易") == fen(trade[1]) && fen(trade[1]) == 83 * 28 + 600)
    #expect(-sum(flows, "退款") == fen(trade[2]) && fen(trade[2]) == 505)
    #expect(-sum(flows, "扣除交易手续费", "退还交易手续费") == fen(trade[4]))
    // 0.6 percent of each payment, rounded: 0, 1, 1, 2, 2, 3 and 3 fen; and of the 0.95 yuan that are left of the last
    // one, one fen.
    #expect(fen(trade[4]) == 13)
    var balance: Int64 = 0
    for row in flows.dropLast() {
      balance += (row[5] == "收入" ? 1 : -1) * fen(row[6])
      #expect(fen(row[7]) == balance)
    }
    let sums = try #require(flows.last)
    #expect(sums[0] == "\(flows.count - 1)" && fen(sums[2]) - fen(sums[4]) == balance)
    #expect(flows[0].count == 11 && flows[0][1].hasPrefix("42000") && flows[0][10] == "ORDERNUMBER1")
  }

  @Test func `leaves out what a coupon of WeChat Pay paid`() async throws {
    let counter = try await WeChatPayCounter()
    let visit = try counter.handOver(try await counter.prepayId())
    _ = try await counter.service.cashier.visit(visit, openid: WeChatPayCounter.payer, .payWithCoupon(100))
    _ = await counter.ask(try .refund(counter.refundOrder("RF1", 300)))
    counter.time.advance(by: .days(2))
    let (trade, flows) = (
      try await rows(counter, "/v3/bill/tradebill?bill_date=\(day)").last ?? [], try await flows(counter)
    )
    #expect(sum(flows, "交易") == 500 && fen(trade[1]) == 500)
    #expect(sum(flows, "退款") == -250 && fen(trade[2]) == 250)
    #expect(-sum(flows, "扣除交易手续费", "退还交易手续费") == fen(trade[4]))
  }

  @Test func `gives the money of a closed refund back on the day of its end`() async throws {
    let counter = try await WeChatPayCounter()
    _ = try await counter.paid()
    try await counter.service.control.plan(PlannedFault(.closedRefund, of: .refund))
    try await counter.service.setBehaviour(.refundSeconds, to: 86_400)
    _ = await counter.ask(try .refund(counter.refundOrder("RF1", 250)))
    counter.time.advance(by: .days(3))
    await counter.service.settle()
    #expect(try await flows(counter).dropLast().last?[7] == "3.48", "six yuan without 2.50 and the fee of the rest")
    let next = try await rows(counter, "/v3/bill/fundflowbill?bill_date=2025-10-10")
    #expect(sum(next, "退款退回") == 250 && sum(next, "扣除交易手续费") == -2)
    #expect(next.dropLast().last?[7] == "5.96")
  }

  @Test func `has the transfers of each account, and none where nothing moved`() async throws {
    let counter = try await WeChatPayCounter()
    for account in ["BASIC", "OPERATION", "FEES"] {
      let reply = await counter.ask("GET", "/v3/bill/fundflowbill?bill_date=2025-10-08&account_type=\(account)")
      #expect(reply.word == "NO_STATEMENT_EXIST")
    }
    _ = try await counter.paid()
    let control = counter.service.control
    for account in [FundAccount.operation, .fees] {
      _ = try await control.transfer(.topUp, 1000, in: account, of: WeChatPayCounter.mchid)
    }
    counter.time.advance(by: .seconds(1))
    _ = try await control.transfer(.withdrawal, 596, in: .basic, of: WeChatPayCounter.mchid)
    await #expect(throws: CodedError(WeChatPaySimulatorErrorCode.fieldInvalid)) {
      try await control.transfer(.withdrawal, 1001, in: .fees, of: WeChatPayCounter.mchid)
    }
    counter.time.advance(by: .days(2))
    #expect(try await flows(counter, "OPERATION").dropLast().map { $0[3] } == ["充值"])
    #expect(try await flows(counter, "FEES").last == ["1", "1", "10.00", "0", "0.00"])
    #expect(try await flows(counter).dropLast().last?[3] == "提现")
    #expect(try await flows(counter).dropLast().last?[7] == "0.00")
    #expect(try await counter.restarted().service.state == counter.service.state)
  }

  @Test func `refuses other accounts, forms and partner mode`() async throws {
    let counter = try await WeChatPayCounter()
    counter.time.advance(by: .days(2))
    for query in ["account_type=ALL", "tar_type=ZIP", "sub_mchid=1900000109"] {
      #expect(await counter.ask("GET", "/v3/bill/fundflowbill?bill_date=\(day)&" + query).word == "PARAM_ERROR")
    }
    #expect(await counter.ask("GET", "/v3/bill/tradebill?bill_date=\(day)&sub_mchid=1").word == "PARAM_ERROR")
    #expect(await counter.ask("GET", "/v3/refund/domestic/refunds/R1?sub_mchid=1").word == "PARAM_ERROR")
    #expect(await counter.ask("GET", "/v3/bill/fundflowbill").word == "PARAM_ERROR")
    #expect(await counter.ask("POST", "/v3/bill/fundflowbill", body: "{}").status == 405)
  }

  @Test func `of either kind shows the state of the moment at which it was made`() async throws {
    let counter = try await WeChatPayCounter()
    _ = try await counter.paid()
    try await counter.service.setBehaviour(.refundSeconds, to: 3 * 86_400)
    _ = await counter.ask(try .refund(counter.refundOrder("RF1", 250)))
    for days in [2, 4] as [Int64] {
      counter.time.advance(by: .days(days))
      await counter.service.settle()
      let refund = try #require(
        try await rows(counter, "/v3/bill/tradebill?bill_date=\(day)").first { $0[9] == "REFUND" })
      #expect(refund[19] == "PROCESSING", "\(days) days later")
    }
    #expect(await counter.service.refunds().map(\.status) == [.success])
    for kind in ["RECHARGE_REFUND", "ALL_SPECIAL", "SUC_SPECIAL", "REF_SPECIAL"] {
      let reply = await counter.ask("GET", "/v3/bill/tradebill?bill_date=\(day)&bill_type=\(kind)")
      #expect(reply.word == "NO_STATEMENT_EXIST")
    }
  }
}

@Suite struct `An abnormal refund of a simulated WeChat Pay` {
  /// A refund that could not reach the payer.
  private func stuck() async throws -> (counter: WeChatPayCounter, refundId: String) {
    let counter = try await WeChatPayCounter()
    _ = try await counter.paid()
    try await counter.service.control.plan(PlannedFault(.abnormalRefund, of: .refund))
    let facts = try #require(await counter.ask(try .refund(counter.refundOrder("RF1", 250))).answer)
    counter.time.advance(by: .seconds(5))
    await counter.service.settle()
    #expect(await counter.service.refunds().map(\.status) == [.abnormal])
    return (counter, facts.refundId)
  }

  private func apply(
    _ counter: WeChatPayCounter, _ refundId: String, _ changes: [(String, JSONValue?)] = [], serial: String? = nil
  ) async -> HTTPResponse {
    let key = await counter.service.platformPublicKey()
    let usual: [(String, JSONValue?)] = [
      ("out_refund_no", "RF1"), ("type", "USER_BANK_CARD"), ("bank_type", "ICBC_DEBIT"),
      ("bank_account", SensitiveField.encrypt("6222020200112233", to: key.key).map { .string($0) }),
      ("real_name", SensitiveField.encrypt("张三", to: key.key).map { .string($0) }),
    ]
    let body = JSONValue.members(usual.filter { item in !changes.contains { $0.0 == item.0 } } + changes)
    let target = "/v3/refund/domestic/refunds/\(refundId)/apply-abnormal-refund"
    let signature = counter.merchant.authorization(
      method: "POST", target: target, body: body.bytes, at: counter.time.now,
      nonce: Nonce.text(randomBytes: counter.chance.bytes(32)))
    var fields: HTTPFields = [
      "User-Agent": "test", "Accept": "application/json", "Content-Type": "application/json",
      "Authorization": signature.authorization,
    ]
    fields.set("Wechatpay-Serial", serial ?? key.identifier)
    return await counter.service.api.respond(to: HTTPRequest("POST", target, fields: fields, body: body.bytes))
  }

  @Test func `goes to the payer's card, or to the merchant's account, and is told again`() async throws {
    for (type, account) in [("USER_BANK_CARD", "工商银行借记卡2233"), ("MERCHANT_BANK_CARD", "商户结算银行账户")] {
      let (counter, refundId) = try await stuck()
      let changes: [(String, JSONValue?)] =
        type == "USER_BANK_CARD"
        ? [] : [("type", .string(type)), ("bank_type", nil), ("bank_account", nil), ("real_name", nil)]
      let answer = await apply(counter, refundId, changes)
      #expect(answer.status == 200 && answer.json?["status"]?.string == "PROCESSING")
      #expect(answer.json?["channel"]?.string == "OTHER_BANKCARD")
      #expect(answer.json?["user_received_account"]?.string == account)
      #expect(await apply(counter, refundId, changes).json == answer.json, "repeated")
      counter.time.advance(by: .seconds(5))
      await counter.service.settle()
      #expect(await counter.service.refunds().map(\.status) == [.success])
      #expect(await apply(counter, refundId, changes).json?["status"]?.string == "SUCCESS")
      #expect(try await counter.restarted().service.state == counter.service.state)
    }
  }

  @Test func `is refused to a merchant without the permission to refund, and stays abnormal`() async throws {
    let (counter, refundId) = try await stuck()
    var merchant = WeChatPayCounter.simulated
    merchant.mayRefund = false
    try await counter.service.control.setMerchant(merchant)
    let refused = await apply(counter, refundId)
    #expect(refused.status == 403 && refused.word == "NO_AUTH")
    #expect(await counter.service.refunds().map(\.status) == [.abnormal])
    merchant.mayRefund = true
    try await counter.service.control.setMerchant(merchant)
    #expect(await apply(counter, refundId).status == 200)
  }

  @Test func `is refused with other fields, states, numbers and keys`() async throws {
    let (counter, refundId) = try await stuck()
    for changes in [
      [("type", "OTHER")], [("type", nil)], [("bank_type", nil)], [("bank_type", "CMB_CREDIT")],
      [("bank_account", nil)], [("real_name", nil)], [("bank_account", "bm90IGVuY3J5cHRlZA==")],
      [("sub_mchid", "1900000109")], [("out_refund_no", nil)],
    ] as [[(String, JSONValue?)]] {
      #expect(await apply(counter, refundId, changes).word == "PARAM_ERROR", "\(changes)")
    }
    #expect(await apply(counter, refundId, serial: "0123").status >= 400)
    #expect(await apply(counter, "5030000", []).word == "RESOURCE_NOT_EXISTS")
    #expect(await apply(counter, refundId, [("out_refund_no", "RF2")]).word == "RESOURCE_NOT_EXISTS")
    #expect(await counter.service.refunds().map(\.status) == [.abnormal])
    let usual = try await WeChatPayCounter()
    _ = try await usual.paid()
    let facts = try #require(await usual.ask(try .refund(usual.refundOrder("RF1", 250))).answer)
    #expect(await apply(usual, facts.refundId).word == "INVALID_REQUEST", "it is under way")
  }
}
