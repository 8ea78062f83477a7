import PaymentPrimitives
import StrictJSON
import TestDoubles
import Testing
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `The cashier of a simulated WeChat Pay` {
  private let number = "ORD20251009000001"

  private func handOver(
    _ counter: WeChatPayCounter, _ change: (inout CashierVisit.AppHandOver) -> Void = { _ in }
  ) async throws -> CashierVisit {
    guard case .app(var parts) = try counter.handOver(try await counter.prepayId()) else {
      throw WeChatPayCounter.Missing(what: "parts")
    }
    change(&parts)
    return .app(parts)
  }

  @Test func `refuses wrong parameters from an app, and names the error`() async throws {
    let counter = try await WeChatPayCounter()
    let cases: [(CashierError, (inout CashierVisit.AppHandOver) -> Void)] = [
      (.unknown, { $0.prepayId += "0" }), (.otherApp, { $0.appId = "wx0" }), (.otherMerchant, { $0.partnerId = "1" }),
      (.wrongPackage, { $0.package = "prepay_id=" + $0.prepayId }), (.wrongSignature, { $0.timeStamp += 1 }),
      (.wrongSignature, { $0.nonceStr += "a" }), (.wrongSignature, { $0.sign = "AAAA" }),
    ]
    for (error, change) in cases {
      let result = try await counter.service.cashier.visit(
        try await handOver(counter, change), openid: WeChatPayCounter.payer, .pay)
      #expect(result.errCode == -1 && result.reason == error)
    }
    #expect(await counter.query().answer?.tradeState == .known(.notPaid))
    let good = try await counter.service.cashier.visit(
      try await handOver(counter), openid: WeChatPayCounter.payer, .pay)
    #expect(good.errCode == 0 && good.reason == nil && good.order?.outTradeNo == number)
  }

  @Test func `checks the parameters from a page within WeChat, and the payer`() async throws {
    let counter = try await WeChatPayCounter()
    let id = try await counter.prepayId(WeChatPayCounter.order(number, .jsapi(openid: WeChatPayCounter.payer)))
    let json = JSAPIPaymentParameters(
      merchant: counter.merchant, appId: WeChatPayCounter.appid, prepayId: id, at: counter.time.now, nonce: "N"
    ).json
    let good = try CashierVisit.JSAPIHandOver(json)
    var bare = good
    bare.package = id
    var other = good
    other.paySign = "AAAA"
    var md5 = good
    md5.signType = "MD5"
    for (parts, payer, reason) in [
      (bare, WeChatPayCounter.payer, CashierError.unknown), (other, WeChatPayCounter.payer, .wrongSignature),
      (md5, WeChatPayCounter.payer, .wrongPackage), (good, "another payer", .otherPayer),
    ] {
      #expect(try await counter.service.cashier.visit(.jsapi(parts), openid: payer, .pay).reason == reason)
    }
    #expect(try await counter.service.cashier.visit(.jsapi(good), openid: WeChatPayCounter.payer, .pay).errCode == 0)
    #expect(await counter.query().answer?.tradeType == .known(.jsapi))
  }

  @Test func `refuses an app's prepay id in another cashier`() async throws {
    let counter = try await WeChatPayCounter()
    let id = try await counter.prepayId()
    #expect(try await counter.service.cashier.visit(.h5(prepayId: id), openid: "o", .pay).reason == .otherCashier)
    #expect(try await counter.service.cashier.visit(.native(codeURL: id), openid: "o", .pay).reason == .unknown)
  }

  @Test func `refuses a prepay id after two hours, a link after five minutes, and a code that was replaced`()
    async throws
  {
    let counter = try await WeChatPayCounter()
    let visit = try await handOver(counter)
    counter.time.advance(by: .milliseconds(2 * 3_600_000 + 1))
    #expect(try await counter.service.cashier.visit(visit, openid: "o", .pay).reason == .outdated)
    let device = PrepayOrder.PayerDevice(address: "203.0.113.7", kind: .wap)
    guard case .h5URL(let url) = try await counter.prepay(WeChatPayCounter.order("ORDH5X", .h5(device))).answer,
      case .codeURL(let old) = try await counter.prepay(WeChatPayCounter.order("ORDNATIVE", .native)).answer,
      case .codeURL(let new) = try await counter.prepay(WeChatPayCounter.order("ORDNATIVE", .native)).answer
    else { throw WeChatPayCounter.Missing(what: "links") }
    #expect(try await counter.service.cashier.visit(.native(codeURL: old), openid: "o", .pay).reason == .outdated)
    #expect(try await counter.service.cashier.visit(.native(codeURL: new), openid: "o", .pay).errCode == 0)
    let link = String(url.split(separator: "=")[1].prefix { $0 != "&" })
    counter.time.advance(by: .minutes(5))
    #expect(try await counter.service.cashier.visit(.h5(prepayId: link), openid: "o", .leave).reason == nil)
    counter.time.advance(by: .milliseconds(1))
    #expect(try await counter.service.cashier.visit(.h5(prepayId: link), openid: "o", .pay).reason == .outdated)
  }

  @Test func `accepts no second payment, no payment of a closed order, and no second payer`() async throws {
    let counter = try await WeChatPayCounter()
    let visit = try await handOver(counter)
    #expect(try await counter.service.cashier.visit(visit, openid: "first", .cancel).errCode == -2)
    #expect(try await counter.service.cashier.visit(visit, openid: "second", .pay).reason == .otherPayer)
    #expect(try await counter.service.cashier.visit(visit, openid: "first", .fail).errCode == -1)
    #expect(try await counter.service.cashier.visit(visit, openid: "first", .pay).errCode == 0)
    #expect(try await counter.service.cashier.visit(visit, openid: "first", .pay).reason == .paid)
    #expect(await counter.service.notifications().count == 1)
    let other = try counter.handOver(try await counter.prepayId(WeChatPayCounter.order("CLOSEDORDER")))
    _ = await counter.close("CLOSEDORDER")
    #expect(try await counter.service.cashier.visit(other, openid: "first", .pay).reason == .closed)
  }

  @Test func `returns nothing to the app if the payer leaves, paid (case 6) or not (cases 1 to 5, 7, 8)`() async throws
  {
    let counter = try await WeChatPayCounter()
    let visit = try await handOver(counter)
    #expect(try await counter.service.cashier.visit(visit, openid: "o", .leave).errCode == nil)
    #expect(await counter.query().answer?.tradeState == .known(.notPaid))
    #expect(try await counter.service.cashier.visit(visit, openid: "o", .payAndLeave).errCode == nil)
    #expect(await counter.query().answer?.tradeState == .known(.success))
  }

  @Test(arguments: [false, true])
  func `lets a pending payment win over a close, or be cancelled by it`(_ wins: Bool) async throws {
    let counter = try await WeChatPayCounter()
    let visit = try await handOver(counter)
    _ = try await counter.service.cashier.visit(visit, openid: "o", .payLater(.seconds(10), winsOverClose: wins))
    #expect(await counter.query().answer?.tradeState == .known(.notPaid))
    #expect(await counter.close().answer != nil)
    #expect(await counter.query().answer?.tradeState == .known(.closed))
    counter.time.advance(by: .seconds(10))
    #expect(await counter.query().answer?.tradeState == .known(wins ? .success : .closed))
    #expect(try await counter.delivered().count == (wins ? 1 : 0))
  }

  @Test func `lets a delayed payment arrive at its time, with its notification`() async throws {
    let counter = try await WeChatPayCounter()
    _ = try await counter.service.cashier.visit(
      try await handOver(counter), openid: "o", .payLater(.seconds(10), winsOverClose: false))
    counter.time.advance(by: .milliseconds(9999))
    #expect(try await counter.delivered().isEmpty)
    counter.time.advance(by: .milliseconds(1))
    #expect(try await counter.delivered().count == 1)
  }

  @Test func `deducts coupons from the payer's amount, not from the order`() async throws {
    let counter = try await WeChatPayCounter()
    _ = try await counter.service.cashier.visit(try await handOver(counter), openid: "o", .payWithCoupon(100))
    let paid = try #require(await counter.query().answer)
    #expect(paid.total == 600 && paid.payerTotal == 500)
  }
}
