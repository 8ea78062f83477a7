import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import TestDoubles
import Testing
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `An order at a simulated WeChat Pay` {
  private let number = "ORD20251009000001"

  @Test func `is not found before it was opened, or for another merchant`() async throws {
    let counter = try await WeChatPayCounter()
    #expect(await counter.query().error?.code == .orderNotFound)
    _ = try await counter.prepay()
    let other = await counter.ask("GET", "/v3/pay/transactions/out-trade-no/\(number)?mchid=1900007292")
    #expect(other.word == "PARAM_ERROR")
    #expect(await counter.ask("GET", "/v3/pay/transactions/out-trade-no/\(number)").word == "PARAM_ERROR")
  }

  @Test func `opens in each of the four ways, with the result of each way`() async throws {
    let counter = try await WeChatPayCounter()
    let id = try await counter.prepayId()
    #expect(id.hasPrefix("wx20251009165320") && id.utf8.count == 36)
    let jsapi = WeChatPayCounter.order("ORDJSAPI", .jsapi(openid: WeChatPayCounter.payer))
    #expect(try await counter.prepayId(jsapi).utf8.count == 36)
    let device = PrepayOrder.PayerDevice(address: "203.0.113.7", kind: .wap)
    guard case .h5URL(let url) = try await counter.prepay(WeChatPayCounter.order("ORDH5X", .h5(device))).answer,
      case .codeURL(let code) = try await counter.prepay(WeChatPayCounter.order("ORDNATIVE", .native)).answer
    else {
      Issue.record("no link")
      return
    }
    #expect(url.hasPrefix("https://api.mch.weixin.qq.com/cashier/h5?prepay_id=wx"))
    #expect(code.hasPrefix("weixin://wxpay/bizpayurl?pr="))
    let unpaid = try #require(await counter.query().answer)
    #expect(unpaid.tradeState == .known(.notPaid) && unpaid.transactionId == nil && unpaid.total == 600)
  }

  @Test func `gives a new prepay id to the same parameters, in any order`() async throws {
    let counter = try await WeChatPayCounter()
    let first = try await counter.prepayId()
    counter.time.advance(by: .seconds(1))
    #expect(try await counter.prepayId() != first)
    let turned = """
      {"out_trade_no":"TURNED01","mchid":"1900007291","amount":{"currency":"CNY","total":1},"description":"a",\
      "appid":"wx2421b1c4370ec43b","notify_url":"https://a.example/n"}
      """
    let straight = """
      {"appid":"wx2421b1c4370ec43b","mchid":"1900007291","description":"a","out_trade_no":"TURNED01",\
      "notify_url":"https://a.example/n","amount":{"total":1,"currency":"CNY"}}
      """
    #expect(await counter.ask("POST", "/v3/pay/transactions/app", body: turned).status == 200)
    #expect(await counter.ask("POST", "/v3/pay/transactions/app", body: straight).status == 200)
    #expect(await counter.service.orders().count == 2)
  }

  @Test func `refuses the same number with other parameters or for another cashier`() async throws {
    let counter = try await WeChatPayCounter()
    _ = try await counter.prepay()
    var changed = [WeChatPayCounter.order(total: 601), WeChatPayCounter.order(), WeChatPayCounter.order()]
    changed[1].description = "something else"
    changed[2].timeExpire = counter.time.now + .hours(1)
    changed.append(WeChatPayCounter.order(number, .native))
    for order in changed {
      let error = try #require(try await counter.prepay(order).error)
      #expect(error.code == .invalidRequest && error.requestId?.hasSuffix("-268498688") == true)
    }
    try await counter.service.setBehaviour(.outTradeNoUsed, to: 1)
    #expect(try await counter.prepay(changed[0]).error?.code == .outTradeNoUsed)
  }

  @Test func `is closed permanently, and 204 also answers unknown numbers`() async throws {
    let counter = try await WeChatPayCounter()
    #expect(await counter.close().answer != nil)
    _ = try await counter.prepay()
    #expect(await counter.close().answer != nil)
    #expect(await counter.query().answer?.tradeState == .known(.closed))
    #expect(await counter.close().answer != nil)
    #expect(try await counter.prepay().error?.code == .orderClosed)
    try await counter.service.setBehaviour(.closeUnknownNotFound, to: 1)
    #expect(await counter.close("UNKNOWN1").error?.code == .orderNotFound)
  }

  @Test func `can be neither opened again nor closed once it is paid`() async throws {
    let counter = try await WeChatPayCounter()
    let paid = try await counter.paid()
    #expect(paid.tradeState == .known(.success) && paid.transactionId?.utf8.count == 28)
    #expect(paid.openid == WeChatPayCounter.payer && paid.payerTotal == 600 && paid.attach == "demo")
    #expect(paid.successTime == counter.time.now)
    #expect(try await counter.prepay().error?.code == .orderPaid)
    #expect(await counter.close().error?.code == .orderPaid)
    let byNumber = await counter.ask(
      .transaction(transactionId: try #require(paid.transactionId), mchid: WeChatPayCounter.mchid))
    #expect(byNumber.answer == paid)
    try await counter.service.setBehaviour(.otherSpellings, to: 1)
    let error = await counter.close().error
    #expect(error?.word == "ORDER_PAID" && error?.code == .orderPaid)
  }

  @Test func `expires at its time, within limits, or some seconds later if a setting demands it`() async throws {
    let counter = try await WeChatPayCounter()
    var order = WeChatPayCounter.order()
    order.timeExpire = counter.time.now + .seconds(5)
    let id = try await counter.prepayId(order)
    // Less than a minute is raised silently.
    counter.time.advance(by: .seconds(60))
    #expect(await counter.query().answer?.tradeState == .known(.notPaid))
    try await counter.service.setBehaviour(.expiryLagSeconds, to: 30)
    counter.time.advance(by: .seconds(1))
    #expect(await counter.query().answer?.tradeState == .known(.notPaid))
    let visit = try await counter.service.cashier.visit(try counter.handOver(id), openid: "o", .pay)
    #expect(visit.errCode == -1 && visit.reason == .expired)
    counter.time.advance(by: .seconds(30))
    #expect(await counter.query().answer?.tradeState == .known(.closed))
    #expect(try await counter.prepay(order).error?.code == .orderClosed)
  }

  @Test func `is unpaid to queries for thirty seconds after its payment if a setting demands it`() async throws {
    let counter = try await WeChatPayCounter()
    try await counter.service.setBehaviour(.queryLagSeconds, to: 30)
    #expect(try await counter.paid().tradeState == .known(.notPaid))
    #expect(await counter.close().error?.code == .orderPaid)
    counter.time.advance(by: .seconds(30))
    #expect(await counter.query().answer?.tradeState == .known(.success))
  }

  @Test func `is visible to queries only later if a setting demands it`() async throws {
    let counter = try await WeChatPayCounter()
    try await counter.service.setBehaviour(.visibilityLagMilliseconds, to: 500)
    _ = try await counter.prepay()
    #expect(await counter.query().error?.code == .orderNotFound)
    counter.time.advance(by: .milliseconds(500))
    #expect(await counter.query().answer?.tradeState == .known(.notPaid))
  }

  @Test func `accepts states of code payments, for tests of decoders`() async throws {
    let counter = try await WeChatPayCounter()
    let key = OrderKey(mchid: WeChatPayCounter.mchid, outTradeNo: number)
    await #expect(throws: CodedError(WeChatPaySimulatorErrorCode.orderUnknown)) {
      try await counter.service.control.setState(.revoked, of: key)
    }
    _ = try await counter.prepay()
    for state in [TradeState.userPaying, .payError, .revoked] {
      try await counter.service.control.setState(state, of: key)
      #expect(await counter.query().answer?.tradeState == .known(state))
    }
    await #expect(throws: CodedError(WeChatPaySimulatorErrorCode.fieldInvalid)) {
      try await counter.service.control.setState(.success, of: key)
    }
  }
}
