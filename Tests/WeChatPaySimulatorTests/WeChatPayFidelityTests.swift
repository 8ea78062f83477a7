import HTTPMessages
import PaymentPrimitives
import StrictJSON
import TestDoubles
import Testing
import WeChatPayProtocol
import WeChatPaySimulator

/// Where the simulator once differed from WeChat Pay: found with the vendors' libraries and in published answers.
@Suite struct `The simulated WeChat Pay, held against the real one` {
  private static let number = "ORD20251009000001"
  private static let query = "/v3/pay/transactions/out-trade-no/\(number)?mchid=\(WeChatPayCounter.mchid)"

  private func json(_ response: HTTPResponse) throws -> JSONValue { try JSONReader.read(response.body) }

  /// An order of 600 fen, of which a coupon paid 100.
  private func paidWithCoupon() async throws -> WeChatPayCounter {
    let counter = try await WeChatPayCounter()
    let visit = try counter.handOver(try await counter.prepayId())
    _ = try await counter.service.cashier.visit(visit, openid: "o", .payWithCoupon(100))
    return counter
  }

  @Test func `refuses for reasons that only WeChat Pay knows, signed, and without an effect`() async throws {
    for (fault, status, word) in [
      (WeChatPayFault.ruleLimit, 403, "RULE_LIMIT"), (.accountError, 403, "ACCOUNT_ERROR"),
      (.tradeError, 403, "TRADE_ERROR"), (.merchantUnknown, 400, "MCH_NOT_EXISTS"),
    ] {
      let counter = try await WeChatPayCounter()
      try await counter.service.control.plan(PlannedFault(fault, of: .prepay))
      let refused = try #require(try await counter.prepay().error, "\(fault)")
      #expect(refused.status == status && refused.word == word)
      #expect(await counter.query().error?.word == "ORDER_NOT_EXIST", "\(fault)")
      #expect(try await counter.prepay().answer != nil, "\(fault): it comes once")
    }
    for (fault, status, word) in [
      (WeChatPayFault.userAccountAbnormal, 403, "USER_ACCOUNT_ABNORMAL"), (.merchantUnknown, 404, "MCH_NOT_EXISTS"),
    ] {
      let counter = try await WeChatPayCounter()
      _ = try await counter.paid()
      try await counter.service.control.plan(PlannedFault(fault, of: .refund))
      let refused = try #require(await counter.ask(try .refund(counter.refundOrder("RF1", 250))).error, "\(fault)")
      #expect(refused.status == status && refused.word == word)
      #expect(await counter.service.refunds().isEmpty, "\(fault)")
    }
  }

  @Test func `states of an unpaid order neither its attached text nor its currency`() async throws {
    let counter = try await WeChatPayCounter()
    _ = try await counter.prepay()
    let unpaid = try json(await counter.ask("GET", Self.query))
    #expect(unpaid["attach"] == nil && unpaid["amount"]?["currency"] == nil)
    #expect(unpaid["amount"]?["total"]?.integer == 600 && unpaid["amount"]?["payer_currency"] == "CNY")
    #expect(unpaid["promotion_detail"] == .array([]))
    _ = try await counter.service.cashier.visit(
      try counter.handOver(try await counter.prepayId()), openid: WeChatPayCounter.payer, .pay)
    let paid = try json(await counter.ask("GET", Self.query))
    #expect(paid["attach"] == "demo" && paid["amount"]?["currency"] == "CNY")
  }

  @Test func `answers a refund with all members that are always there, and takes the funds that were asked for`()
    async throws
  {
    let counter = try await WeChatPayCounter()
    _ = try await counter.paid()
    let body = """
      {"out_trade_no":"\(Self.number)","out_refund_no":"RF1","funds_account":"AVAILABLE",\
      "amount":{"refund":200,"total":600,"currency":"CNY"}}
      """
    let answer = try json(await counter.ask("POST", "/v3/refund/domestic/refunds", body: body))
    #expect(answer["funds_account"] == "AVAILABLE" && answer["promotion_detail"] == .array([]))
    let amounts = ["total", "refund", "payer_total", "payer_refund", "settlement_total", "settlement_refund"]
    #expect(amounts.map { answer["amount"]?[$0]?.integer } == [600, 200, 600, 200, 600, 200])
    #expect(answer["amount"]?["discount_refund"]?.integer == 0 && answer["amount"]?["from"] == .array([]))
    let again = try json(await counter.ask("GET", "/v3/refund/domestic/refunds/RF1"))
    #expect(again["funds_account"] == "AVAILABLE")
    #expect(try await counter.restarted().service.refunds().first?.fundsAccount == "AVAILABLE")
  }

  @Test func `tells of a coupon in query, refund and bill, and all agree`() async throws {
    let counter = try await paidWithCoupon()
    let paid = try #require(await counter.query().answer)
    #expect(paid.total == 600 && paid.payerTotal == 500)
    #expect(paid.promotions.count == 1 && paid.promotions.first?["amount"]?.integer == 100)
    #expect(try PaymentTransaction(paid.json) == paid)
    let refund = try #require(await counter.ask(try .refund(counter.refundOrder("RF1", 300))).answer)
    #expect(refund.payerRefund == 250 && refund.discountRefund == 50 && refund.settlementRefund == 250)
    #expect(refund.settlementTotal == 500)
    counter.time.advance(by: .days(2))
    let ticket = try #require(await counter.ask(try .tradeBill(day: "2025-10-09", kind: .all)).answer)
    let download = try BillDownload(ticket, hosts: [.primary])
    let request = download.request(by: counter.merchant, at: counter.time.now, nonce: "N")
    let bill = try TradeBill(try download.file(in: await counter.service.api.respond(to: request)))
    #expect(bill.rows.map(\.total) == [600, 0] && bill.rows[0].settlementTotal == 500 && bill.rows[0].coupon == 0)
    #expect(bill.rows[0].feeUnits == 3000, "0.6 percent of what the merchant receives")
    #expect(bill.rows[1].refund?.requested == 300 && bill.rows[1].refund?.amount == 250)
  }

  @Test func `refuses a payer's openid that another app id gave`() async throws {
    let counter = try await WeChatPayCounter()
    let other = "wx9999999999999999"
    var merchant = WeChatPayCounter.simulated
    merchant.appids.append(other)
    try await counter.service.control.setMerchant(merchant)
    func order(_ number: String, in appid: String) -> String {
      """
      {"appid":"\(appid)","mchid":"\(WeChatPayCounter.mchid)","description":"x","out_trade_no":"\(number)",\
      "notify_url":"\(WeChatPayCounter.notifyURL)","amount":{"total":1},"payer":{"openid":"oAlice"}}
      """
    }
    let path = "/v3/pay/transactions/jsapi"
    #expect(await counter.ask("POST", path, body: order("MISMATCH01", in: WeChatPayCounter.appid)).status == 200)
    let again = try await counter.restarted()
    for each in [counter, again] {
      let refused = await each.ask("POST", path, body: order("MISMATCH02", in: other))
      #expect(refused.status == 500)
      #expect(try json(refused)["code"] == "OPENID_MISMATCH")
      #expect(await each.ask("POST", path, body: order("MISMATCH01", in: WeChatPayCounter.appid)).status == 200)
    }
  }

  @Test func `gives the device back in query, notification and bill, and an empty one without it`() async throws {
    let counter = try await WeChatPayCounter()
    let body = """
      {"appid":"\(WeChatPayCounter.appid)","mchid":"\(WeChatPayCounter.mchid)","description":"x",\
      "out_trade_no":"\(Self.number)","notify_url":"\(WeChatPayCounter.notifyURL)","amount":{"total":600},\
      "scene_info":{"payer_client_ip":"203.0.113.7","device_id":"till 3"}}
      """
    let answer = try json(await counter.ask("POST", "/v3/pay/transactions/app", body: body))
    let unpaid = try json(await counter.ask("GET", Self.query))
    #expect(unpaid["scene_info"]?["device_id"] == "till 3")
    let visit = try counter.handOver(try #require(answer["prepay_id"]?.string))
    _ = try await counter.service.cashier.visit(visit, openid: WeChatPayCounter.payer, .pay)
    let later = try await counter.restarted()
    let paid = try #require(await later.query().answer)
    #expect(paid.deviceId == "till 3")
    #expect(try PaymentTransaction(paid.json) == paid)
    counter.time.advance(by: .days(2))
    let ticket = try #require(await later.ask(try .tradeBill(day: "2025-10-09", kind: .all)).answer)
    let request = try BillDownload(ticket, hosts: [.primary]).request(
      by: later.merchant, at: later.time.now, nonce: "N")
    let file = try BillDownload(ticket, hosts: [.primary]).file(in: await later.service.api.respond(to: request))
    #expect(String(decoding: file, as: UTF8.self).contains("`till 3,"))
    let plain = try await WeChatPayCounter()
    _ = try await plain.prepay()
    #expect(try json(await plain.ask("GET", Self.query))["scene_info"]?["device_id"] == "")
  }
}
