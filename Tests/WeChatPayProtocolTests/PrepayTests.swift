import HTTPMessages
import PaymentPrimitives
import StrictJSON
import TestFixtures
import Testing
import WeChatPayProtocol

@Suite struct `Creating an order` {
  private let bench: WeChatPayBench

  init() throws { bench = try WeChatPayBench() }

  private func order(_ cashier: PrepayOrder.Cashier = .app) -> PrepayOrder {
    var order = PrepayOrder(
      appid: "wx2421b1c4370ec43b", mchid: "1900007291", description: "测试商品-钻石x60",
      outTradeNo: "ORD20251009000001", notifyURL: "https://pay.example.com/wechat/notify", total: 600,
      cashier: cashier)
    order.timeExpire = Timestamp(iso8601: "2025-10-09T09:23:20.999Z")
    return order
  }

  private func code(_ change: (inout PrepayOrder) -> Void) -> WeChatPayRequestErrorCode? {
    var order = order()
    change(&order)
    do throws(CodedError<WeChatPayRequestErrorCode>) {
      _ = try order.body()
      return nil
    } catch { return error.code }
  }

  @Test func `is refused before it is sent if WeChat Pay would refuse it`() {
    #expect(code { $0.description = "" } == .fieldLength)
    #expect(code { $0.description = String(repeating: "钻", count: 128) } == .fieldLength)
    #expect(code { $0.description = String(repeating: "钻", count: 127) } == nil)
    #expect(code { $0.description = "钻石💎" } == .fieldCharacters)
    #expect(code { $0.description = "a\nb" } == .fieldCharacters)
    #expect(code { $0.attach = String(repeating: "a", count: 128) } == .fieldLength)
    #expect(code { $0.attach = "😀" } == .fieldCharacters)
    #expect(code { $0.outTradeNo = "A1234" } == .fieldLength)
    #expect(code { $0.outTradeNo = String(repeating: "A", count: 33) } == .fieldLength)
    #expect(code { $0.outTradeNo = "ORD 20251009" } == .fieldCharacters)
    #expect(code { $0.outTradeNo = "订单20251009" } == .fieldCharacters)
    for total: Int64 in [0, -1, .min, .max] { #expect(code { $0.total = total } == .amount) }
    #expect(code { $0.total = 1 } == nil)
    for url in [
      "http://pay.example.com/n", "https://", "https:///n", "pay.example.com/n", "https://pay.example.com/n?a=b",
      "https://pay.example.com/n#a", "https://pay.example.com/ n", "https://pay.example.com/通知",
      "https://pay.example.com/" + String(repeating: "a", count: 232),
    ] {
      #expect(code { $0.notifyURL = url } == .notifyURL, "\(url)")
    }
    #expect(code { $0.notifyURL = "https://pay.example.com/" + String(repeating: "a", count: 231) } == nil)
    #expect(code { $0.cashier = .jsapi(openid: "") } == .fieldLength)
  }

  @Test(arguments: [
    "127.0.0.1", "10.1.2.3", "192.168.1.1", "172.16.0.1", "172.31.255.255", "100.64.0.1", "169.254.1.1", "0.0.0.0",
    "224.0.0.1", "255.255.255.255", "::1", "fe80::1", "fc00::1", "fd12:3456::1", "::ffff:8.8.8.8", "", "example.com",
    "8.8.8", "8.8.8.8.8", "256.1.1.1", "8.8.8.+8", "2001:::1:", "2001:db8::g",
  ])
  func `for a browser is refused with an address that is not public`(_ address: String) {
    #expect(code { $0.cashier = .h5(.init(address: address, kind: .wap)) } == .payerAddress)
  }

  @Test(arguments: ["8.8.8.8", "172.32.0.1", "100.63.0.1", "192.167.1.1", "2001:4860:4860::8888", "240e:1:2:3:4:5:6:7"])
  func `for a browser is accepted with a public address`(_ address: String) {
    #expect(code { $0.cashier = .h5(.init(address: address, kind: .iOS)) } == nil)
  }

  @Test func `sends exactly the bytes of the vector's body (R2)`() throws {
    let vector = try #require(WeChatPayVectors.requests.first { $0.name == "R2" })
    let call = try WeChatPayCall.prepay(order())
    #expect(call.target == vector.target)
    #expect(call.method == "POST")
    #expect(String(decoding: call.body, as: UTF8.self) == vector.body)
    let again = WeChatPayCall.prepay(.app, body: call.body)
    #expect(again.body == call.body)
    #expect(again.target == call.target)
  }

  @Test func `sends the fields that each way of paying needs, and no absent ones`() throws {
    let jsapi = try WeChatPayCall.prepay(order(.jsapi(openid: "oUpF8uMuAJO_M2pxb1Q9zNjWeS6o")))
    #expect(jsapi.target == "/v3/pay/transactions/jsapi")
    let body = try JSONReader.read(jsapi.body)
    #expect(body["payer"]?["openid"] == "oUpF8uMuAJO_M2pxb1Q9zNjWeS6o")
    #expect(body["scene_info"] == nil)
    var device = PrepayOrder.PayerDevice(address: "8.8.8.8", kind: .android)
    device.packageName = "com.example.app"
    let h5 = try WeChatPayCall.prepay(order(.h5(device)))
    #expect(h5.target == "/v3/pay/transactions/h5")
    let scene = try JSONReader.read(h5.body)["scene_info"]
    #expect(
      scene?.text
        == "{\"payer_client_ip\":\"8.8.8.8\",\"h5_info\":{\"type\":\"Android\",\"package_name\":\"com.example.app\"}}")
    let native = try WeChatPayCall.prepay(order(.native))
    #expect(native.target == "/v3/pay/transactions/native")
    #expect(!String(decoding: native.body, as: UTF8.self).contains("null"))
  }

  @Test func `returns what the client needs: an id, a page or the text of a QR code`() throws {
    let answered = { (type: TradeType, body: String) in
      bench.outcome(.prepay(type, body: []), bench.answer(200, body)).answer
    }
    let id = "wx201410272009395522657a690389285100"
    #expect(answered(.app, WeChatPayVectors.prepayAnswer.body) == .prepayId(id))
    #expect(answered(.jsapi, "{\"prepay_id\":\"\(id)\",\"new\":1}") == .prepayId(id))
    let page = "https://wx.tenpay.com/cgi-bin/mmpayweb-bin/checkmweb?prepay_id=wx1&package=2150917749"
    #expect(answered(.h5, "{\"h5_url\":\"\(page)\"}") == .h5URL(page))
    let code = "weixin://wxpay/bizpayurl?pr=p4lp"
    #expect(answered(.native, "{\"code_url\":\"\(code)\"}") == .codeURL(code))
    #expect(answered(.app, "{\"prepay_id\":\"\"}") == nil)
    #expect(answered(.app, "{\"code_url\":\"weixin://\"}") == nil)
  }

  @Test func `sends our order id as 32 upper-case hexadecimal digits`() {
    let identifier = OrderIdentifier(high: 0x0199_C8A1_ABCD_7000, low: 0x8000_0000_0000_0001)
    #expect(identifier.outTradeNo == "0199C8A1ABCD70008000000000000001")
    #expect(code { $0.outTradeNo = identifier.outTradeNo } == nil)
  }
}

@Suite struct `A merchant's call` {
  private let bench: WeChatPayBench

  init() throws { bench = try WeChatPayBench() }

  @Test func `treats absent, null and empty fields alike before the payment`() throws {
    let call = WeChatPayCall.transaction(outTradeNo: "ORD001", mchid: "1900007291")
    let absent = "{\"out_trade_no\":\"ORD001\",\"trade_state\":\"NOTPAY\"}"
    let empty = """
      {"appid":"","mchid":"","out_trade_no":"ORD001","transaction_id":"","trade_type":"","trade_state":"NOTPAY",
      "trade_state_desc":"","bank_type":"","attach":"","success_time":"","payer":{"openid":""},"amount":null}
      """
    let first = bench.outcome(call, bench.answer(200, absent)).answer
    let second = bench.outcome(call, bench.answer(200, empty)).answer
    #expect(first?.tradeState == .known(.notPaid))
    #expect(first == second)
  }

  @Test func `keeps values that this version does not know`() {
    let call = WeChatPayCall.transaction(outTradeNo: "ORD001", mchid: "1900007291")
    let body = "{\"out_trade_no\":\"ORD001\",\"trade_state\":\"FROZEN\",\"trade_type\":\"PALM\"}"
    let answer = bench.outcome(call, bench.answer(200, body)).answer
    #expect(answer?.tradeState == .other("FROZEN"))
    #expect(answer?.tradeType == .other("PALM"))
  }

  @Test func `for an order by WeChat Pay's number must return that number`() throws {
    let call = WeChatPayCall.transaction(transactionId: "4200000001", mchid: "1900007291")
    #expect(call.target == "/v3/pay/transactions/id/4200000001?mchid=1900007291")
    let body = "{\"out_trade_no\":\"ORD001\",\"trade_state\":\"SUCCESS\",\"transaction_id\":\"4200000001\"}"
    #expect(bench.outcome(call, bench.answer(200, body)).answer?.outTradeNo == "ORD001")
    #expect(bench.outcome(call, bench.answer(200, body.replacing("0001\"}", with: "0002\"}"))).answer == nil)
  }

  @Test func `to close an order accepts only an empty, signed answer`() {
    let call = WeChatPayCall.close(outTradeNo: "ORD001", mchid: "1900007291")
    let vector = WeChatPayVectors.closeAnswer
    let answer = HTTPResponse(status: 204, fields: vector.fields())
    #expect(bench.outcome(call, answer).answer != nil)
    #expect(bench.outcome(call, bench.answer(200, "{}")).answer == nil)
    #expect(bench.outcome(call, HTTPResponse(status: 204)).answer == nil)
  }

  @Test func `for an echo tests both sides`() throws {
    let call = try WeChatPayCall.echo("test", notifyURL: "https://pay.example.com/n")
    #expect(call.target == "/v3/security/echo")
    #expect(bench.outcome(call, bench.answer(200, "{\"echo_message\":\"test\"}")).answer?.message == "test")
    #expect(throws: CodedError<WeChatPayRequestErrorCode>(.notifyURL)) {
      try WeChatPayCall.echo("test", notifyURL: "http://localhost/n")
    }
  }
}

@Suite struct `Requesting a refund` {
  private let bench: WeChatPayBench

  init() throws { bench = try WeChatPayBench() }

  private let order = RefundOrder(
    charge: .outTradeNo("ORD20251009000001"), outRefundNo: "RF20251009000001",
    notifyURL: "https://pay.example.com/wechat/notify", refund: 100, total: 600)

  private func code(_ change: (inout RefundOrder) -> Void) -> WeChatPayRequestErrorCode? {
    var order = order
    change(&order)
    do throws(CodedError<WeChatPayRequestErrorCode>) {
      _ = try order.body()
      return nil
    } catch { return error.code }
  }

  @Test func `is refused before it is sent if WeChat Pay would refuse it`() {
    #expect(code { $0.refund = 0 } == .amount)
    #expect(code { $0.refund = 601 } == .amount)
    #expect(code { $0.refund = 600 } == nil)
    #expect(code { $0.total = 0 } == .amount)
    #expect(code { $0.outRefundNo = "" } == .fieldLength)
    #expect(code { $0.outRefundNo = String(repeating: "R", count: 65) } == .fieldLength)
    #expect(code { $0.reason = String(repeating: "退", count: 27) } == .fieldLength)
    #expect(code { $0.reason = String(repeating: "退", count: 26) } == nil)
    #expect(code { $0.reason = "💔" } == .fieldCharacters)
    #expect(code { $0.notifyURL = "https://a/b?c" } == .notifyURL)
    #expect(code { $0.charge = .outTradeNo("A") } == .fieldLength)
    #expect(code { $0.charge = .transactionId("") } == .fieldLength)
  }

  @Test func `sends one id of the charge and the same bytes each time`() throws {
    let body = try order.body()
    #expect(
      String(decoding: body, as: UTF8.self)
        == "{\"out_trade_no\":\"ORD20251009000001\",\"out_refund_no\":\"RF20251009000001\","
        + "\"notify_url\":\"https://pay.example.com/wechat/notify\","
        + "\"amount\":{\"refund\":100,\"total\":600,\"currency\":\"CNY\"}}")
    #expect(WeChatPayCall.refund(outRefundNo: "RF20251009000001", body: body).body == body)
    #expect(try WeChatPayCall.refund(order).body == body)
    var other = order
    other.charge = .transactionId("4200002500202510090000000001")
    other.fromAvailableBalance = true
    let fields = try JSONReader.read(other.body())
    #expect(fields["transaction_id"] == "4200002500202510090000000001")
    #expect(fields["out_trade_no"] == nil)
    #expect(fields["funds_account"] == "AVAILABLE")
  }

  @Test func `returns its progress, for this refund number only`() throws {
    let facts = RefundFacts(
      refundId: "503", outRefundNo: "RF20251009000001", transactionId: "42", outTradeNo: "ORD20251009000001",
      status: .processing, total: 600, refund: 100)
    let call = try WeChatPayCall.refund(order)
    #expect(bench.outcome(call, bench.answer(200, facts.json.text)).answer == facts)
    let other = facts.json.with([("out_refund_no", "RF2")])
    #expect(bench.outcome(call, bench.answer(200, other.text)).answer == nil)
    let query = WeChatPayCall.refund(outRefundNo: "RF20251009000001")
    #expect(query.target == "/v3/refund/domestic/refunds/RF20251009000001")
    #expect(bench.outcome(query, bench.answer(200, facts.json.text)).answer == facts)
    let unknown = bench.outcome(query, bench.answer(404, "{\"code\":\"RESOURCE_NOT_EXISTS\",\"message\":\"\"}"))
    #expect(unknown.error?.code == .resourceNotFound)
  }
}
