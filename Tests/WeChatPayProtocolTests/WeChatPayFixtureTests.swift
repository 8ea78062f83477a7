import Cryptography
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import TestFixtures
import Testing
import WeChatPayProtocol

/// Data that WeChat Pay signed, and published vectors of others. Not in this repository.
@Suite(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
struct `Genuine data of WeChat Pay` {
  private func fixture(_ name: String) throws -> JSONValue { try Fixtures.json("wechatpay/\(name).json") }

  private func text(_ value: JSONValue, _ name: String) throws -> String { try #require(value[name]?.string) }

  private func fields(_ value: JSONValue) throws -> HTTPFields {
    var fields = HTTPFields()
    for member in try #require(value["headers"]?.object) { fields.add(member.name, member.value.string ?? "") }
    return fields
  }

  private func keyRing(_ pem: String) throws -> PlatformKeyRing {
    var keys = PlatformKeyRing()
    try keys.add(certificate: X509Certificate.certificates(inPEM: Array(pem.utf8))[0])
    return keys
  }

  @Test func `signed by Tenpay in 2021 is valid at its time and stale today`() throws {
    let value = try fixture("response-verify-tenpay-genuine")
    let keys = try keyRing(text(value, "platform_certificate_pem"))
    let body = Array(try text(value, "body").utf8)
    let signed = Timestamp(seconds: 1_626_444_144)
    let key = try keys.verify(fields(value), body: body, at: signed)
    #expect("\(key)" == "45F59D4DABF31918AFCEC556D5D2C6E376675D57")
    #expect(throws: CodedError<PlatformSignatureErrorCode>(.timestampOutsideWindow)) {
      try keys.verify(fields(value), body: body, at: Timestamp(seconds: 1_795_000_000))
    }
    #expect(throws: CodedError<PlatformSignatureErrorCode>(.wrongSignature)) {
      try keys.verify(fields(value), body: body + [0x0A], at: signed)
    }
    let outcome = WeChatPayCall.prepay(.h5, body: []).outcome(
      of: HTTPResponse(status: 200, fields: try fields(value), body: body), keys: keys, at: signed)
    guard case .h5URL(let url) = outcome.answer else {
      Issue.record("it is the answer to an H5 prepay call")
      return
    }
    #expect(url.hasPrefix("https://wx.tenpay.com/cgi-bin/mmpayweb-bin/checkmweb?prepay_id=wx16220223998099f"))
  }

  @Test func `of a notification is valid, of an unknown event, and its short key is refused`() throws {
    let value = try fixture("notify-payscore-go")
    let keys = try keyRing(text(value, "certificate_pem"))
    let body = Array(try text(value, "body").utf8)
    let received = Timestamp(seconds: 1_624_523_846)
    #expect("\(try keys.verify(fields(value), body: body, at: received))" == "D7CE59D1F522D701")
    #expect(throws: CodedError<MerchantKeyErrorCode>(.apiV3KeyLength)) {
      try APIv3Key(Secret(text(value, "apiv3_key").utf8))
    }
    let notification = try WeChatPayNotification(
      fields: fields(value), body: body, keys: keys, apiV3Key: WeChatPayBench().merchant.apiV3Key, at: received)
    #expect(notification.id == "3119dfba-e649-5eec-ab1e-3412bc4d2e17")
    #expect(notification.content == .other)
    #expect(throws: CodedError<MerchantKeyErrorCode>(.apiV3KeyLength)) {
      try APIv3Key(Secret(text(fixture("aes-gcm-small"), "key").utf8))
    }
  }

  @Test func `of a request has the same signature`() throws {
    let value = try fixture("request-sign-jsapi-official")
    let key = try RSAPrivateKey(file: Secret(text(value, "private_key_pem").utf8))
    let message = SignedText.request(
      method: try text(value, "method"), target: try text(value, "path"), timestamp: 1_554_208_460,
      nonce: try text(value, "nonce_str"), body: Array(try text(value, "body").utf8))
    #expect(String(decoding: message, as: UTF8.self) == (try text(value, "message")))
    #expect(Base64.encode(key.signature(for: message)) == (try text(value, "signature")))
  }

  @Test func `with keys of 4096 bits is signed alike in both forms of the key`() throws {
    let value = try fixture("sign-rsa4096")
    let message = try text(value, "message")
    let publicKey = try RSAPublicKey(file: Array(text(value, "public_key_pem").utf8))
    #expect(publicKey.bitCount == 4096)
    for form in ["private_key_pkcs8_pem", "private_key_pkcs1_pem"] {
      let key = try RSAPrivateKey(file: Secret(text(value, form).utf8))
      #expect(Base64.encode(key.signature(for: message.utf8)) == (try text(value, "signature")))
      #expect(key.publicKey == publicKey)
    }
    let certificate = try X509Certificate.certificates(inPEM: Array(text(value, "certificate_pem").utf8))[0]
    #expect(certificate.rsaPublicKey == publicKey)
    #expect(CertificateSerial(of: certificate).text == (try text(value, "certificate_serial")).uppercased())
    #expect(certificate.notBefore == Timestamp(iso8601: "2021-11-25T18:37:48Z"))
  }

  @Test func `that is sealed opens to the published text`() throws {
    let value = try fixture("aes-256-gcm-certificate")
    let sealed = try SealedResource(JSONFields(value.with([("algorithm", "AEAD_AES_256_GCM")])))
    let plaintext = try sealed.open(APIv3Key(Secret(text(value, "key").utf8)))
    #expect(String(decoding: plaintext, as: UTF8.self) == (try text(value, "plaintext")))
    let certificate = try X509Certificate.certificates(inPEM: plaintext)[0]
    #expect(certificate.rsaPublicKey?.bitCount == 2048)
    #expect(certificate.subject.description.contains("Tenpay.com sign"))
    let notification = try fixture("notify-resource-transaction-success")
    let resource = try SealedResource(JSONFields(try #require(notification["resource"])))
    let opened = try resource.open(APIv3Key(Secret(text(notification, "apiv3_key").utf8)))
    #expect(String(decoding: opened, as: UTF8.self) == (try text(notification, "plaintext")))
    let transaction = try PaymentTransaction(JSONReader.read(opened))
    #expect(transaction.transactionId == "1217752501201407033233368018")
    #expect(transaction.tradeState == .known(.success))
    #expect(transaction.tradeType == .other("MICROPAY"))
    #expect(transaction.total == 100)
  }

  @Test(arguments: [
    ("java-merchant_certificate", "5F1C72E2A8931B72A2E13AF8DEE92471EB397115"),
    ("java-wechat_pay_certificate", "440024045C4A427599D09BB4E3DE0279F2E813FD"),
  ])
  func `in certificates is read with its serial number`(_ name: String, _ serial: String) throws {
    let file = try Fixtures.bytes("wechatpay/\(name).pem")
    let certificate = try X509Certificate.certificates(inPEM: file)[0]
    #expect(CertificateSerial(of: certificate).text == serial)
    #expect(certificate.rsaPublicKey != nil)
    #expect(throws: CodedError<CryptographyErrorCode>(.certificateInsteadOfPrivateKey)) {
      try RSAPrivateKey(file: Secret(file))
    }
    let publicKey = try RSAPublicKey(file: Fixtures.bytes("wechatpay/java-wechat_pay_public_key.pem"))
    #expect(publicKey.bitCount == 2048)
  }

  @Test func `of a day is a bill of 45 lines that add up`() throws {
    let bill = try TradeBill(Fixtures.bytes("wechatpay/bill-trade-all.csv"))
    #expect(bill.rows.count == 45)
    #expect(bill.columns.count == 27)
    #expect(bill.paymentTotal == 47)
    #expect(bill.refundTotal == 14)
    #expect(bill.rows.reduce(0) { $0 + $1.feeUnits } == 8000)
    #expect(bill.rows.allSatisfy { $0.mchid == "1921000401" })
    #expect(bill.rows.allSatisfy { ($0.refund?.refundId.isEmpty ?? true) == ($0.event == .payment) })
    #expect(bill.rows.allSatisfy { BeijingTime.day($0.date) == "2019-02-19" })
  }

  @Test func `in the documentation's examples is read`() throws {
    let sample = { (name: String) throws -> JSONValue in
      let bytes = try Fixtures.bytes("wechatpay/samples/\(name).json")
      return try JSONReader.read(Array(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]))
    }
    let transaction = try PaymentTransaction(sample("EventSamples__Transactions__TransactionResource"))
    #expect(transaction.total == 100)
    let accepted = try RefundFacts(sample("ModelSamples__Refund__CreateRefundDomesticRefundResponse"))
    #expect(accepted.status == .known(.processing))
    #expect(accepted.refund == 1)
    let abnormal = try RefundFacts(sample("ModelSamples__Refund__CreateRefundDomesticAbnormalRefundApplyResponse"))
    #expect(abnormal.status == .known(.success))
    let bench = try WeChatPayBench()
    for (name, type) in [("App", TradeType.app), ("Jsapi", .jsapi), ("H5", .h5), ("Native", .native)] {
      let body = try sample("ModelSamples__PayTransactions__CreatePayTransaction\(name)Response").text
      #expect(bench.outcome(WeChatPayCall.prepay(type, body: []), bench.answer(200, body)).answer != nil)
    }
    // The partner's resource has `sp_mchid` instead of `mchid`: it is read, and is no payment in merchant mode.
    let partner = try PaymentTransaction(sample("EventSamples___Partner__Transactions__PartnerTransactionResource"))
    #expect(partner.mchid == nil)
    #expect(throws: CodedError<WeChatPayEvidenceErrorCode>(.missingField)) {
      try WeChatPayEvidence.finding(
        of: partner, app: "shop", environment: .production, signedDate: WeChatPayBench.now)
    }
  }
}
