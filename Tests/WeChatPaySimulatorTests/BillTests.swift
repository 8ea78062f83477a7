import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import TestDoubles
import Testing
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `A trade bill of a simulated WeChat Pay` {
  private let day = "2025-10-09"

  /// A day with two payments and a refund of one of them.
  private func counter() async throws -> WeChatPayCounter {
    let counter = try await WeChatPayCounter()
    _ = try await counter.paid()
    _ = try await counter.paid("ORDERNUMBER2", total: 1)
    _ = await counter.ask(try .refund(counter.refundOrder("RF1", 250)))
    counter.time.advance(by: .seconds(5))
    return counter
  }

  private func bill(
    _ counter: WeChatPayCounter, _ kind: TradeBillKind = .all, isCompressed: Bool = true
  ) async throws -> TradeBill {
    let outcome = await counter.ask(try .tradeBill(day: day, kind: kind, isCompressed: isCompressed))
    guard let ticket = outcome.answer else { throw WeChatPayCounter.Missing(what: outcome.error?.word ?? "a ticket") }
    return try await download(ticket, counter)
  }

  private func download(_ ticket: BillTicket, _ counter: WeChatPayCounter) async throws -> TradeBill {
    let download = try BillDownload(ticket, hosts: [.primary])
    let request = download.request(by: counter.merchant, at: counter.time.now, nonce: "N")
    return try TradeBill(try download.file(in: await counter.service.api.respond(to: request)))
  }

  private func errorCode(_ counter: WeChatPayCounter) async throws -> WeChatPayErrorCode? {
    await counter.ask(try .tradeBill(day: day)).error?.code
  }

  @Test func `is ready the next day at ten; future days and days three months ago have none`() async throws {
    let counter = try await counter()
    #expect(try await errorCode(counter) == .invalidRequest)
    counter.time.advance(by: Timestamp(iso8601: "2025-10-10T00:00:00+08:00")! - counter.time.now)
    #expect(try await errorCode(counter) == .statementCreating)
    counter.time.advance(by: .milliseconds(36_000_000 - 1))
    #expect(try await errorCode(counter) == .statementCreating)
    counter.time.advance(by: .milliseconds(1))
    #expect(try await bill(counter).rows.count == 3)
    counter.time.advance(by: .days(95))
    #expect(try await errorCode(counter) == .invalidRequest)
    for query in [
      "", "?bill_date=2025-13-01", "?bill_date=2026-01-01&bill_type=SPECIAL", "?bill_date=2026-01-01&tar_type=ZIP",
    ] {
      #expect(await counter.ask("GET", "/v3/bill/tradebill" + query).word == "PARAM_ERROR")
    }
  }

  @Test func `of a day without any row does not exist`() async throws {
    let counter = try await WeChatPayCounter()
    _ = try await counter.prepay()
    counter.time.advance(by: .days(2))
    #expect(try await errorCode(counter) == .noStatement)
  }

  @Test func `has all payments and refunds of the day, adds up, and fits the client's reader`() async throws {
    let counter = try await counter()
    counter.time.advance(by: .days(2))
    for isCompressed in [true, false] {
      let all = try await bill(counter, isCompressed: isCompressed)
      #expect(all.paymentTotal == 601 && all.refundTotal == 250 && all.rows.count == 3)
      #expect(all.rows.map(\.outTradeNo) == ["ORD20251009000001", "ORDERNUMBER2", "ORD20251009000001"])
      #expect(all.rows[0].total == 600 && all.rows[0].feeUnits == 4000 && all.rows[0].attach == "demo")
      let refund = try #require(all.rows[2].refund)
      #expect(refund.requested == 250 && refund.outRefundNo == "RF1" && refund.status == "SUCCESS")
    }
    #expect(try await bill(counter, .success).rows.count == 2)
    let refunds = try await bill(counter, .refund)
    #expect(refunds.rows.count == 1 && refunds.columns.count == 29)
    #expect(refunds.rows[0].refund?.successDate == WeChatPayCounter.beginning + .seconds(5))
  }

  @Test func `can be ready at once, and have another form, if settings demand it`() async throws {
    let counter = try await counter()
    try await counter.service.setBehaviour(.billsAtOnce, to: 1)
    try await counter.service.setBehaviour(.variedBills, to: 1)
    let bill = try await bill(counter)
    #expect(bill.rows.count == 3 && bill.columns.last == "明天的新列" && bill.summary.first?.value == "3.0")
  }

  @Test(arguments: [WeChatPayFault.missingRow, .additionalRow, .alteredAmount])
  func `is consistent but wrong if a fault is planned`(_ fault: WeChatPayFault) async throws {
    let counter = try await counter()
    try await counter.service.setBehaviour(.billsAtOnce, to: 1)
    try await counter.service.control.plan(PlannedFault(fault, of: .tradeBill))
    let (wrong, right) = (try await bill(counter), try await bill(counter))
    #expect(wrong != right)
    #expect(wrong.rows.count == right.rows.count + (fault == .missingRow ? -1 : fault == .additionalRow ? 1 : 0))
  }

  @Test func `does not fit its checksum, or ends early, if a fault is planned`() async throws {
    let counter = try await counter()
    try await counter.service.setBehaviour(.billsAtOnce, to: 1)
    try await counter.service.control.plan(PlannedFault(.wrongHash, of: .tradeBill))
    await #expect(throws: CodedError(BillErrorCode.hash)) { try await bill(counter) }
    try await counter.service.control.plan(PlannedFault(.cutFile, of: .downloadBill))
    await #expect(throws: CodedError(BillErrorCode.compression)) { try await bill(counter) }
  }

  @Test func `can be downloaded for five minutes, and is not signed`() async throws {
    let counter = try await counter()
    try await counter.service.setBehaviour(.billsAtOnce, to: 1)
    let ticket = try #require(await counter.ask(try .tradeBill(day: day)).answer)
    let target = String(ticket.downloadURL.dropFirst("https://api.mch.weixin.qq.com".count))
    let response = await counter.ask("GET", target)
    #expect(response.fields["Wechatpay-Signature"] == nil && response.fields["Content-Type"] == "application/x-gzip")
    #expect(await counter.ask("GET", target.replacing("token=", with: "token=x")).status == 403)
    counter.time.advance(by: .minutes(5))
    #expect(await counter.ask("GET", target).status == 200)
    counter.time.advance(by: .milliseconds(1))
    #expect(await counter.ask("GET", target).status == 403)
  }
}
