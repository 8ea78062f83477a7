import Cryptography
import PaymentPrimitives
import TestDoubles
import Testing
import WeChatPayProtocol

@Suite struct `A signed request` {
  private let bench: WeChatPayBench

  init() throws { bench = try WeChatPayBench() }

  @Test(arguments: WeChatPayVectors.requests)
  func `has exactly the published signature (P1 to P3, R1 to R3)`(_ vector: RequestVector) throws {
    let body = Array(vector.body.utf8)
    let text = SignedText.request(
      method: vector.method, target: vector.target, timestamp: vector.timestamp, nonce: vector.nonce, body: body)
    #expect(text.count == vector.byteCount)
    let signature = bench.merchant.authorization(
      method: vector.method, target: vector.target, body: body, at: Timestamp(seconds: vector.timestamp),
      nonce: vector.nonce)
    #expect(Base64.encode(signature.signature) == vector.signature)
    #expect(
      signature.authorization == "WECHATPAY2-SHA256-RSA2048 mchid=\"1900007291\",nonce_str=\"\(vector.nonce)\","
        + "signature=\"\(vector.signature)\",timestamp=\"\(vector.timestamp)\","
        + "serial_no=\"\(WeChatPayVectors.merchantSerial)\"")
    let read = try RequestSignature(authorization: signature.authorization)
    #expect(read == signature)
    try read.verify(
      method: vector.method, target: vector.target, body: body, key: bench.merchant.privateKey.publicKey,
      at: Timestamp(seconds: vector.timestamp))
  }

  @Test func `ends in two line feeds without a body, and also when the body itself ends in one`() {
    let get = SignedText.request(
      method: "GET", target: "/v3/certificates", timestamp: 1_624_523_846, nonce: "A1B2C3D4E5F6G7", body: [])
    #expect(String(decoding: get, as: UTF8.self) == "GET\n/v3/certificates\n1624523846\nA1B2C3D4E5F6G7\n\n")
    let post = SignedText.request(
      method: "POST", target: "/x", timestamp: 1, nonce: "n", body: Array("Hello World!\n".utf8))
    #expect(String(decoding: post, as: UTF8.self) == "POST\n/x\n1\nn\nHello World!\n\n")
  }

  @Test func `is refused by the platform after any change of the signed data (A12)`() throws {
    let key = bench.merchant.privateKey.publicKey
    let now = WeChatPayBench.now
    let body = Array("{\"mchid\":\"1900007291\"}".utf8)
    let signature = bench.merchant.authorization(method: "POST", target: "/v3/x?a=b", body: body, at: now, nonce: "n1")
    let wrong: [(String, String, [UInt8])] = [
      ("GET", "/v3/x?a=b", body), ("POST", "/v3/x?a=c", body), ("POST", "/v3/x", body),
      ("POST", "/v3/x?a=b", body + [0x0A]), ("POST", "/v3/x?a=b", []),
    ]
    for (method, target, body) in wrong {
      #expect(throws: CodedError<RequestSignatureErrorCode>(.requestSignature)) {
        try signature.verify(method: method, target: target, body: body, key: key, at: now)
      }
    }
    #expect(throws: CodedError<RequestSignatureErrorCode>(.requestSignature)) {
      try signature.verify(
        method: "POST", target: "/v3/x?a=b", body: body, key: bench.platformKey.publicKey, at: now)
    }
  }

  @Test(arguments: [(-301, false), (-300, true), (0, true), (300, true), (301, false)])
  func `is accepted within 300 seconds and not later`(_ seconds: Int, _ isTaken: Bool) throws {
    let signature = bench.merchant.authorization(
      method: "GET", target: "/v3/x", body: [], at: WeChatPayBench.now, nonce: "n1")
    let verify: () throws -> Void = {
      try signature.verify(
        method: "GET", target: "/v3/x", body: [], key: bench.merchant.privateKey.publicKey,
        at: WeChatPayBench.now + .seconds(Int64(seconds)))
    }
    if isTaken {
      #expect(throws: Never.self) { try verify() }
    } else {
      #expect(throws: CodedError<RequestSignatureErrorCode>(.requestTimestamp)) { try verify() }
    }
  }

  @Test func `is read with its pairs in any order and spaces between them`() throws {
    let read = try RequestSignature(
      authorization: "WECHATPAY2-SHA256-RSA2048 serial_no=\"0a\", timestamp=\"1554208460\",signature=\"AA==\", "
        + "nonce_str=\"n\",mchid=\"1900007291\"")
    #expect(read.mchid == "1900007291")
    #expect(read.nonce == "n")
    #expect(read.timestamp == 1_554_208_460)
    #expect(read.signature == [0])
    #expect(read.certificateSerial.text == "0A")
  }

  @Test(arguments: [
    "", "WECHATPAY2-SHA256-RSA2048", "WECHATPAY2-SM2-WITH-SM3 mchid=\"1\"", "Bearer x",
    "WECHATPAY2-SHA256-RSA2048 mchid=1,nonce_str=\"n\",timestamp=\"1\",signature=\"AA==\",serial_no=\"0A\"",
    "WECHATPAY2-SHA256-RSA2048 nonce_str=\"n\",timestamp=\"1\",signature=\"AA==\",serial_no=\"0A\"",
    "WECHATPAY2-SHA256-RSA2048 mchid=\"1\",mchid=\"2\",nonce_str=\"n\",timestamp=\"1\",signature=\"AA==\","
      + "serial_no=\"0A\"",
    "WECHATPAY2-SHA256-RSA2048 mchid=\"1\",nonce_str=\"n\",timestamp=\"x\",signature=\"AA==\",serial_no=\"0A\"",
    "WECHATPAY2-SHA256-RSA2048 mchid=\"1\",nonce_str=\"n\",timestamp=\"-1\",signature=\"AA==\",serial_no=\"0A\"",
    "WECHATPAY2-SHA256-RSA2048 mchid=\"1\",nonce_str=\"n\",timestamp=\"1\",signature=\"A\",serial_no=\"0A\"",
    "WECHATPAY2-SHA256-RSA2048 mchid=\"1\",nonce_str=\"n\",timestamp=\"1\",signature=\"AA==\",serial_no=\"zz\"",
    "WECHATPAY2-SHA256-RSA2048 mchid=\"1\",nonce_str=\"\(String(repeating: "n", count: 33))\",timestamp=\"1\","
      + "signature=\"AA==\",serial_no=\"0A\"",
  ])
  func `is refused in any other form`(_ authorization: String) {
    #expect(throws: CodedError<RequestSignatureErrorCode>(.malformedAuthorization)) {
      try RequestSignature(authorization: authorization)
    }
  }

  @Test func `has a random nonce of 32 letters and digits`() {
    var chance = SplitMix64(seed: 1)
    let texts = (0..<100).map { _ in Nonce.text(randomBytes: chance.bytes(32)) }
    #expect(Set(texts).count == 100)
    #expect(texts.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } })
  }
}

@Suite struct `A merchant's settings` {
  private let bench: WeChatPayBench

  init() throws { bench = try WeChatPayBench() }

  @Test func `are refused when one is wrong, and the error names it`() throws {
    let key = bench.merchant.privateKey
    let apiV3Key = bench.merchant.apiV3Key
    for mchid in ["", "19000072 91", "wx2421b1c4370ec43b", String(repeating: "1", count: 33)] {
      #expect(throws: CodedError<MerchantKeyErrorCode>(.merchantNumber)) {
        try MerchantCredentials(mchid: mchid, certificateSerial: "0A", privateKey: key, apiV3Key: apiV3Key)
      }
    }
    for serial in ["", "0x0A", "PUB_KEY_ID_0119000072912025", "408B07E7 9B82"] {
      #expect(throws: CodedError<MerchantKeyErrorCode>(.certificateSerial)) {
        try MerchantCredentials(mchid: "1", certificateSerial: serial, privateKey: key, apiV3Key: apiV3Key)
      }
    }
    #expect(throws: CodedError<MerchantKeyErrorCode>(.keyPairMismatch)) {
      try MerchantCredentials(mchid: "1", certificate: bench.certificate, privateKey: key, apiV3Key: apiV3Key)
    }
    let own = try MerchantCredentials(
      mchid: "1", certificate: bench.certificate, privateKey: bench.platformKey, apiV3Key: apiV3Key)
    #expect(own.certificateSerial.text == WeChatPayVectors.platformSerial)
  }

  @Test func `have an APIv3 key of 32 bytes, apart from a line end after it (G3)`() throws {
    for key in ["testAPIv3Key0000", "", "0123456789abcdefghijklmnopqrstuvw", "0123456789abcdefghijklmnopqrstu"] {
      #expect(throws: CodedError<MerchantKeyErrorCode>(.apiV3KeyLength)) { try APIv3Key(Secret(key.utf8)) }
    }
    _ = try APIv3Key(Secret("0123456789abcdefghijklmnopqrstuv\n".utf8))
    _ = try APIv3Key(Secret("0123456789abcdefghijklmnopqrstuv\r\n".utf8))
    #expect("\(bench.merchant.apiV3Key)" == "(APIv3 key)")
  }
}
