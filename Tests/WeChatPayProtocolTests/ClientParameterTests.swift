import Cryptography
import PaymentPrimitives
import StrictJSON
import Testing
import WeChatPayProtocol

@Suite struct `Parameters for the cashier` {
  private let bench: WeChatPayBench
  private let moment = Timestamp(seconds: 1_554_208_460)
  private let prepayId = "wx201410272009395522657a690389285100"
  private let order = OrderIdentifier(high: 0x0199_C8A1_0000_7000, low: 0x8000_0000_0000_0001)

  init() throws { bench = try WeChatPayBench() }

  private var app: AppPaymentParameters {
    AppPaymentParameters(
      merchant: bench.merchant, appId: "wx2421b1c4370ec43b", prepayId: prepayId, order: order, at: moment,
      nonce: WeChatPayBench.nonce)
  }

  private var jsapi: JSAPIPaymentParameters {
    JSAPIPaymentParameters(
      merchant: bench.merchant, appId: "wx2421b1c4370ec43b", prepayId: prepayId, at: moment,
      nonce: WeChatPayBench.nonce)
  }

  @Test func `of an app are signed like WeChat Pay's example, over the bare prepay id (C1)`() {
    #expect(app.sign == WeChatPayVectors.appSignature)
    let isValid = { (sign: String, prepayId: String, timeStamp: Int64) in
      AppPaymentParameters.isValid(
        sign: sign, appId: "wx2421b1c4370ec43b", prepayId: prepayId, nonceStr: WeChatPayBench.nonce,
        timeStamp: timeStamp, key: bench.merchant.privateKey.publicKey)
    }
    #expect(isValid(app.sign, prepayId, 1_554_208_460))
    #expect(!isValid(app.sign, prepayId, 1_554_208_461))
    #expect(!isValid(app.sign, "prepay_id=" + prepayId, 1_554_208_460))
    #expect(!isValid(jsapi.paySign, prepayId, 1_554_208_460))
    #expect(!isValid("", prepayId, 1_554_208_460))
  }

  @Test func `of an app have exactly the nine names that fluwx and both OpenSDKs accept`() throws {
    let members = try #require(app.json.object)
    #expect(
      members.map(\.name) == [
        "appId", "partnerId", "prepayId", "packageValue", "nonceStr", "timeStamp", "sign", "signType", "extData",
      ])
    #expect(app.json["timeStamp"] == .number("1554208460"), "a number of seconds, not a text")
    #expect(app.json["packageValue"] == "Sign=WXPay")
    #expect(app.json["partnerId"] == "1900007291")
    #expect(app.json["signType"] == "RSA")
    #expect(app.json["extData"] == .string("0199c8a1-0000-7000-8000-000000000001"))
  }

  @Test func `of a page or mini program are signed over the whole package (C2)`() throws {
    #expect(jsapi.paySign == WeChatPayVectors.jsapiSignature)
    let members = try #require(jsapi.json.object)
    #expect(members.map(\.name) == ["appId", "timeStamp", "nonceStr", "package", "signType", "paySign"])
    #expect(jsapi.json["timeStamp"] == .string("1554208460"), "a text, as both interfaces demand it")
    #expect(jsapi.json["package"] == .string("prepay_id=" + prepayId))
    let isValid = { (package: String) in
      JSAPIPaymentParameters.isValid(
        paySign: jsapi.paySign, appId: "wx2421b1c4370ec43b", package: package, nonceStr: WeChatPayBench.nonce,
        timeStamp: 1_554_208_460, key: bench.merchant.privateKey.publicKey)
    }
    #expect(isValid("prepay_id=" + prepayId))
    #expect(!isValid(prepayId))
  }
}
