import Cryptography
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import TestFixtures
import Testing
import WeChatPayProtocol

/// Two independent implementations: ours and an SDK from PyPI (`wechatpayv3`).
@Suite(.enabled(if: PythonTool.isPresent, "\(PythonTool.absence)"))
struct `An independent WeChat Pay library in Python` {
  @Test func `makes exactly our signatures for requests and for apps' parameters`() throws {
    let merchant = try MerchantCredentials(
      mchid: "1900007291", certificateSerial: "408B07E79B8269FEC3D5D3E6AB8ED163A6A380DB",
      privateKey: RSAPrivateKey(file: Secret(WeChatPayVectors.merchantKeyMadeForTests.utf8)),
      apiV3Key: APIv3Key(Secret("0123456789abcdefghijklmnopqrstuv".utf8)))
    let now = Timestamp(seconds: 1_760_000_000)
    var order = PrepayOrder(
      appid: "wx2421b1c4370ec43b", mchid: "1900007291", description: "测试商品-钻石x60", outTradeNo: "ORD20251009000001",
      notifyURL: "https://pay.example.com/n", total: 600, cashier: .app)
    order.attach = "a\"b\\c"
    let refund = RefundOrder(
      charge: .outTradeNo("ORD20251009000001"), outRefundNo: "RF1", notifyURL: "https://pay.example.com/n", refund: 1,
      total: 600)
    let nonce = "5K8264ILTKCH16CQ2502SI8ZNMTM67VS"
    var requests: [JSONValue] = []
    func add<Answer>(_ call: WeChatPayCall<Answer>) {
      let request = call.request(by: merchant, to: .primary, platformKey: nil, at: now, nonce: nonce)
      requests.append(
        .members([
          ("method", .string(call.method)), ("path", .string(call.target)),
          ("body", .string(String(decoding: call.body, as: UTF8.self))),
          ("authorization", .string(request.fields["Authorization"] ?? "")),
        ]))
    }
    add(try .prepay(order))
    add(try .refund(refund))
    add(WeChatPayCall<CloseAccepted>.close(outTradeNo: "ORD|2025*1", mchid: "1900007291"))
    add(WeChatPayCall<PaymentTransaction>.transaction(outTradeNo: "ORD20251009000001", mchid: "1900007291"))
    add(try .tradeBill(day: "2025-10-09"))
    add(try .echo("你好"))
    let identifier = OrderIdentifier(version7At: now, random: [UInt8](repeating: 7, count: 10))
    let app = AppPaymentParameters(
      merchant: merchant, appId: order.appid, prepayId: "wx201410272009395522657a690389285100", order: identifier,
      at: now, nonce: nonce)
    let jsapi = JSAPIPaymentParameters(
      merchant: merchant, appId: order.appid, prepayId: "wx201410272009395522657a690389285100", at: now, nonce: nonce)
    let question = JSONValue.members([
      ("mchid", "1900007291"), ("serial", .string(merchant.certificateSerial.text)),
      ("key", .string(WeChatPayVectors.merchantKeyMadeForTests)), ("now", .integer(now.seconds)),
      ("nonce", .string(nonce)), ("requests", .array(requests)), ("app", app.json), ("jsapi", jsapi.json),
    ])
    let answer = try PythonTool.run("wechat_pay_sdk_signs.py", input: question) { [$0, $1] }
    #expect(answer["wrong"]?.array?.compactMap(\.string) == [])
    #expect(answer["done"]?.integer == 8)
    // It must find a changed signature, or this test proves nothing.
    requests[0] = .members([
      ("method", "POST"), ("path", "/v3/pay/transactions/jsapi"), ("body", requests[0]["body"]),
      ("authorization", requests[0]["authorization"]),
    ])
    let changed = JSONValue.object(
      (question.object ?? []).map { $0.name == "requests" ? JSONMember("requests", .array(requests)) : $0 })
    let found = try PythonTool.run("wechat_pay_sdk_signs.py", input: changed) { [$0, $1] }
    #expect(found["wrong"]?.array?.count == 1 && found["done"]?.integer == 7)
  }
}
