import Cryptography
import HTTPMessages
import PaymentPrimitives
import SigningAuthorities
import StrictJSON
import TestDoubles
import TestFixtures
import Testing
import WeChatPayProtocol

@Suite struct `A notification from WeChat Pay` {
  private let bench: WeChatPayBench
  private let now = WeChatPayBench.now

  init() throws { bench = try WeChatPayBench() }

  private func read(
    _ body: String, fields: HTTPFields? = nil, apiV3Key: APIv3Key? = nil, at moment: Timestamp? = nil
  ) throws(NotificationFailure) -> WeChatPayNotification {
    let moment = moment ?? now
    let bytes = Array(body.utf8)
    return try WeChatPayNotification(
      fields: fields ?? bench.byPublicKey.fields(signing: bytes, at: moment, nonce: "n"), body: bytes,
      keys: bench.keys, apiV3Key: apiV3Key ?? bench.merchant.apiV3Key, at: moment)
  }

  private func failure(
    _ body: String, fields: HTTPFields? = nil, apiV3Key: APIv3Key? = nil, at moment: Timestamp? = nil
  ) -> NotificationFailure? {
    do throws(NotificationFailure) {
      _ = try read(body, fields: fields, apiV3Key: apiV3Key, at: moment)
      return nil
    } catch { return error }
  }

  private func body(_ eventType: String, _ content: JSONValue, type: String) -> String {
    WeChatPayNotification.body(
      id: "00000000-0000-5000-8000-000000000009", createTime: now, eventType: eventType, summary: "支付成功",
      resource: SealedResource(
        sealing: content.bytes, key: bench.merchant.apiV3Key, nonce: "fdasflkja484", associatedData: type,
        originalType: type)
    ).text
  }

  private let payment = WeChatPayVectors.paymentNotification

  @Test func `is refused before a byte of it is read when its signature is wrong (A12)`() throws {
    let vector = payment
    let changed = vector.body.replacing("TRANSACTION.SUCCESS", with: "TRANSACTION.SUCCESs")
    #expect(failure(changed, fields: vector.fields()) == .unverified(CodedError(.wrongSignature)))
    #expect(failure("{not JSON", fields: vector.fields()) == .unverified(CodedError(.wrongSignature)))
    #expect(failure(vector.body, fields: [:]) == .unverified(CodedError(.headerMissing)))
    let late = failure(vector.body, fields: vector.fields(), at: now + .seconds(301))
    #expect(late == .unverified(CodedError(.timestampOutsideWindow)))
    #expect(failure(vector.body, fields: vector.fields(), at: now + .seconds(300)) == nil)
    #expect(try #require(late).answer.status == 401)
    #expect(late?.code == "wechat_pay_signature_clock")
  }

  @Test func `that only tests whether we check it is answered 401 and counted as a probe`() throws {
    let probe = bench.byPublicKey.probeFields(at: now, nonce: "n", randomBytes: [1, 2, 3])
    let failed = try #require(failure(payment.body, fields: probe))
    #expect(failed.isProbe)
    #expect(failed.answer.status == 401)
    #expect(try JSONReader.read(failed.answer.body)["code"] == "FAIL")
    #expect(!NotificationFailure.unverified(CodedError(.wrongSignature)).isProbe)
  }

  @Test func `by a key that is not known yet is answered 503, so that WeChat Pay sends it again`() throws {
    let unknown = payment.fields(serial: "5157F09EFDC096DE15EBE81A47057A7232F1B8E1")
    let failed = try #require(failure(payment.body, fields: unknown))
    #expect(failed == .unverified(CodedError(.unknownKey)))
    #expect(failed.answer.status == 503)
    #expect(NotificationFailure.unverified(CodedError(.keyNotValid)).answer.status == 503)
  }

  @Test func `that does not open under the APIv3 key is answered 400 and names the key`() throws {
    let key = try APIv3Key(Secret([UInt8](repeating: 0x61, count: 32)))
    let failed = try #require(failure(payment.body, fields: payment.fields(), apiV3Key: key))
    #expect(failed == .sealed(CodedError(.decryption)))
    #expect(failed.answer.status == 400)
    #expect(SealedResourceErrorCode.decryption.remedy.english.contains("APIv3 key"))
    let sm4 = payment.body.replacing("AEAD_AES_256_GCM", with: "AEAD_SM4_GCM")
    #expect(failure(sm4) == .sealed(CodedError(.unsupportedAlgorithm)))
  }

  @Test func `that is signed but malformed is refused`() throws {
    let wrong = [
      "", "[]", "null", "{}", "{\"id\":1}", payment.body + "x", "{\"id\":\"a\",\"id\":\"b\"}",
      payment.body.replacing("\"id\":", with: "\"di\":"), payment.body.replacing("event_type", with: "type"),
      payment.body.replacing("\"resource\":{", with: "\"ressource\":{"),
      payment.body.replacing("2025-10-09T16:53:12+08:00", with: "yesterday"),
      payment.body.replacing("\"nonce\":\"fdasflkja484\"", with: "\"nonce\":\"fdasflkja484fdasflkja484\""),
    ]
    for body in wrong {
      let failed = try #require(failure(body), "\(body)")
      #expect(failed == .malformed(CodedError(.malformed)), "\(body)")
      #expect(failed.answer.status == 400)
    }
    let transaction = PaymentTransaction(outTradeNo: "ORD20251009000001", tradeState: .success).json
    for content in [
      .array([]), .members([]), transaction.with([("out_trade_no", nil)]), transaction.with([("trade_state", .null)]),
      transaction.with([("amount", .string("600"))]),
      transaction.with([("amount", .members([("total", .number("6.00"))]))]),
      transaction.with([("amount", .members([("total", .number("-1"))]))]),
      transaction.with([("success_time", .string("2025-10-09"))]),
    ] {
      #expect(
        failure(body("TRANSACTION.SUCCESS", content, type: "transaction"))
          == .malformed(CodedError(.malformedContent)))
    }
  }

  @Test func `larger than two megabytes is refused unread`() {
    let large = String(repeating: " ", count: WeChatPayNotification.bytesMax + 1)
    #expect(failure(large) == .unverified(CodedError(.wrongSignature)))
  }

  @Test func `of a payment is read to its last field (N1)`() throws {
    let notification = try read(payment.body, fields: payment.fields())
    #expect(notification.id == "00000000-0000-5000-8000-000000000001")
    #expect(notification.eventType == "TRANSACTION.SUCCESS")
    #expect(notification.createTime == Timestamp(iso8601: "2025-10-09T08:53:12Z"))
    #expect(notification.signedDate == now)
    #expect("\(notification.signedBy)" == WeChatPayVectors.platformSerial)
    #expect(String(decoding: notification.plaintext, as: UTF8.self) == payment.plaintext)
    guard case .transaction(let transaction) = notification.content else {
      Issue.record("it is a payment")
      return
    }
    #expect(transaction.mchid == "1900007291")
    #expect(transaction.appid == "wx2421b1c4370ec43b")
    #expect(transaction.outTradeNo == "ORD20251009000001")
    #expect(transaction.transactionId == "4200002500202510090000000001")
    #expect(transaction.tradeType == .known(.app))
    #expect(transaction.tradeState == .known(.success))
    #expect(transaction.attach == nil, "an empty text means nothing")
    #expect(transaction.successTime == Timestamp(iso8601: "2025-10-09T08:53:10Z"))
    #expect(transaction.openid == "oUpF8uMuAJO_M2pxb1Q9zNjWeS6o")
    #expect(transaction.total == 600)
    #expect(transaction.payerTotal == 600)
    #expect(transaction.currency == "CNY")
  }

  @Test func `of a refund has refund_status, and no currency (N2)`() throws {
    let vector = WeChatPayVectors.refundNotification
    let notification = try read(vector.body, fields: vector.fields(), at: Timestamp(seconds: vector.timestamp))
    #expect(String(decoding: notification.plaintext, as: UTF8.self) == vector.plaintext)
    guard case .refund(let refund) = notification.content else {
      Issue.record("it is a refund")
      return
    }
    #expect(refund.status == .known(.success))
    #expect(refund.outRefundNo == "RF20251009000001")
    #expect(refund.refundId == "50300002502025100900000000001")
    #expect(refund.refund == 600)
    #expect(refund.total == 600)
    #expect(refund.mchid == "1900007291")
    #expect(refund.successTime == Timestamp(iso8601: "2025-10-09T09:09:58Z"))
    let query = body("REFUND.SUCCESS", .members([("status", "SUCCESS")]), type: "refund")
    #expect(failure(query) == .malformed(CodedError(.malformedContent)))
  }

  @Test(arguments: ["REFUND.ABNORMAL", "REFUND.CLOSED"])
  func `of a refund that failed is read in the same way`(_ eventType: String) throws {
    let facts = RefundFacts(
      refundId: "503", outRefundNo: "RF1", transactionId: "42", outTradeNo: "ORD001",
      status: eventType == "REFUND.CLOSED" ? .closed : .abnormal, total: 600, refund: 100)
    let content = RefundNotification(of: facts, mchid: "1900007291")
    let notification = try read(body(eventType, content.json, type: "refund"))
    #expect(notification.content == .refund(content))
  }

  @Test func `of an event that this version does not know is kept and not opened`() throws {
    let unknown = payment.body.replacing("TRANSACTION.SUCCESS", with: "PAYSCORE.USER_OPEN_SERVICE")
    let notification = try read(unknown, apiV3Key: try APIv3Key(Secret([UInt8](repeating: 1, count: 32))))
    #expect(notification.content == .other)
    #expect(notification.plaintext.isEmpty)
    #expect(WeChatPayNotification.accepted.status == 204)
  }

  @Test func `of the self-test returns the message`() throws {
    let content = JSONValue.members([("echo_message", "test")])
    #expect(try read(body("SECURITY_ECHO.SUCCESS", content, type: "security")).content == .echo("test"))
  }

  @Test func `is the same after it is written and read again`() throws {
    var chance = SplitMix64(seed: 11)
    for round in 0..<60 {
      let moment = Timestamp(seconds: 1_700_000_000 + Int64(chance.number(below: 100_000_000)))
      var transaction = PaymentTransaction(
        outTradeNo: "ORD\(round)", tradeState: TradeState.allCases[chance.number(below: TradeState.allCases.count)])
      if chance.number(below: 2) == 0 { transaction.total = Int64(chance.number(below: 1_000_000)) }
      if chance.number(below: 2) == 0 { transaction.currency = "CNY" }
      if chance.number(below: 2) == 0 { transaction.successTime = moment }
      if chance.number(below: 2) == 0 { transaction.openid = "o\(chance.next())" }
      if chance.number(below: 2) == 0 { transaction.tradeType = .other("FACEPAY") }
      if chance.number(below: 2) == 0 { transaction.attach = "附加 \"数据\"\n\(round)" }
      let notification = try read(body("TRANSACTION.SUCCESS", transaction.json, type: "transaction"))
      #expect(notification.content == .transaction(transaction))
    }
  }
}
