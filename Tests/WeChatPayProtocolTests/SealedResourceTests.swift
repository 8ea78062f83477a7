import Cryptography
import HTTPMessages
import PaymentPrimitives
import SigningAuthorities
import StrictJSON
import TestFixtures
import Testing
import WeChatPayProtocol

@Suite struct `A sealed resource` {
  private let bench: WeChatPayBench

  init() throws { bench = try WeChatPayBench() }

  private func sealed(
    ciphertext: String = WeChatPayVectors.sealedCertificate, nonce: String = "61f9c719728a",
    associatedData: String? = "certificate", algorithm: String = "AEAD_AES_256_GCM"
  ) throws -> SealedResource {
    try SealedResource(
      JSONFields(
        .members([
          ("algorithm", .string(algorithm)), ("nonce", .string(nonce)), ("ciphertext", .string(ciphertext)),
          ("associated_data", associatedData.map { .string($0) }),
        ])))
  }

  @Test func `is refused after any change, and under another key`() throws {
    let key = bench.merchant.apiV3Key
    let bytes = try #require(Base64.decode(WeChatPayVectors.sealedCertificate))
    var flipped = bytes
    flipped[3] ^= 1
    let wrong = [
      try sealed(ciphertext: Base64.encode(flipped)), try sealed(ciphertext: Base64.encode(bytes.dropLast(16))),
      try sealed(associatedData: "transaction"), try sealed(associatedData: nil), try sealed(associatedData: ""),
      try sealed(nonce: "61f9c719728"), try sealed(nonce: "61f9c719728a0"), try sealed(nonce: "61f9c719728b"),
      try sealed(ciphertext: "not Base64"), try sealed(ciphertext: WeChatPayVectors.sealedCertificate + "\n"),
    ]
    for resource in wrong {
      #expect(throws: CodedError<SealedResourceErrorCode>(.decryption)) { try resource.open(key) }
    }
    let other = try APIv3Key(Secret([UInt8](repeating: 0x61, count: 32)))
    #expect(throws: CodedError<SealedResourceErrorCode>(.decryption)) { try sealed().open(other) }
    #expect(throws: CodedError<SealedResourceErrorCode>(.unsupportedAlgorithm)) {
      try sealed(algorithm: "AEAD_SM4_GCM").open(key)
    }
  }

  @Test func `opens to the certificate that was sealed, and is sealed to the same text (G2)`() throws {
    let plaintext = try sealed().open(bench.merchant.apiV3Key)
    #expect(String(decoding: plaintext, as: UTF8.self) == WeChatPayVectors.platformCertificate)
    let again = SealedResource(
      sealing: plaintext, key: bench.merchant.apiV3Key, nonce: "61f9c719728a", associatedData: "certificate")
    #expect(again.ciphertext == WeChatPayVectors.sealedCertificate)
  }

  @Test func `without associated data opens as with an empty value (G0, G1)`() throws {
    let key = try APIv3Key(Secret("a7cde1ZJB1kG2e7VfTs3jQzaWizur8Gb".utf8))
    let published = try sealed(
      ciphertext: "ulwSiIajGClcvcOYvOQ7+l+0PAbzzwI=", nonce: "uluk4a9R25RW", associatedData: "associatedData")
    #expect(String(decoding: try published.open(key), as: UTF8.self) == "message")
    for empty in [nil, ""] {
      let resource = try sealed(
        ciphertext: "QPvmqthqfwSsl9FILieIurrCC1Y26g==", nonce: "uluk4a9R25RW", associatedData: empty)
      #expect(String(decoding: try resource.open(bench.merchant.apiV3Key), as: UTF8.self) == "你好")
    }
  }

  @Test func `can be a single field sealed by RSA, which the merchant's key opens`() throws {
    let key = bench.merchant.privateKey
    #expect(SensitiveField.decrypt(WeChatPayVectors.sealedName, with: key) == "test-name-张三")
    #expect(SensitiveField.decrypt(WeChatPayVectors.sealedName, with: bench.platformKey) == nil)
    #expect(SensitiveField.decrypt("test-name", with: key) == nil)
    let long = String(repeating: "a", count: 214)
    let sealed = try #require(SensitiveField.encrypt(long, to: key.publicKey))
    #expect(SensitiveField.decrypt(sealed, with: key) == long)
    #expect(SensitiveField.encrypt(long + "a", to: key.publicKey) == nil)
  }
}

@Suite struct `A download of platform certificates` {
  private let bench: WeChatPayBench
  private let now = WeChatPayBench.now

  init() throws { bench = try WeChatPayBench() }

  private func response(
    _ items: [JSONValue], by signer: PlatformSigner? = nil, at moment: Timestamp? = nil
  ) -> HTTPResponse {
    bench.answer(
      200, JSONValue.members([("data", .array(items))]).text, at: moment ?? now, by: signer ?? bench.byCertificate)
  }

  private func item(_ certificate: X509Certificate) -> JSONValue {
    CertificateDownload.item(certificate, apiV3Key: bench.merchant.apiV3Key, nonce: "61f9c719728a")
  }

  private func code(
    _ response: HTTPResponse, keys: PlatformKeyRing = PlatformKeyRing(), apiV3Key: APIv3Key? = nil
  ) -> CertificateDownloadErrorCode? {
    do throws(CodedError<CertificateDownloadErrorCode>) {
      _ = try CertificateDownload.certificates(
        in: response, keys: keys, apiV3Key: apiV3Key ?? bench.merchant.apiV3Key, at: now)
      return nil
    } catch { return error.code }
  }

  private static let otherKey = RSAPrivateKey(randomBytes: [UInt8](repeating: 3, count: 32))

  private func other(from: Int64 = -1, to: Int64 = 100) -> X509Certificate {
    X509CertificateBuilder(
      subject: X509NameParts(commonName: "Made for tests"), serialNumber: [7], notBefore: now + .days(from),
      notAfter: now + .days(to)
    ).selfSigned(by: Self.otherKey)
  }

  @Test func `is refused when it does not contain its signer's certificate`() {
    #expect(code(response([item(other())])) == .unverified)
    var unsigned = response([item(bench.certificate)])
    unsigned.fields.set("Wechatpay-Signature", nil)
    #expect(code(unsigned) == .unverified)
    #expect(code(response([item(bench.certificate)], at: now - .seconds(301))) == .unverified)
    // A trusted key with a signature that is not its own: no self-check can replace that.
    var forged = response([item(bench.certificate), item(other())])
    forged.fields.set("Wechatpay-Nonce", "changed")
    #expect(code(forged, keys: bench.keys) == .unverified)
  }

  @Test func `is refused when it does not open, or contains another certificate than it states`() throws {
    let wrongKey = try APIv3Key(Secret([UInt8](repeating: 0x61, count: 32)))
    #expect(code(response([item(bench.certificate)]), apiV3Key: wrongKey) == .decryption)
    let misnamed = item(bench.certificate).with([("serial_no", "5157F09EFDC096DE15EBE81A47057A7232F1B8E1")])
    #expect(code(response([misnamed])) == .certificate)
    let nothing = SealedResource(
      sealing: Array("text".utf8), key: bench.merchant.apiV3Key, nonce: "61f9c719728a", associatedData: "certificate")
    #expect(code(response([item(bench.certificate).with([("encrypt_certificate", nothing.json)])])) == .certificate)
    #expect(code(response([item(other(from: -9, to: -1))])) == .expired)
    #expect(code(response([])) == .expired)
    #expect(code(bench.answer(200, "{\"data\":{}}", by: bench.byCertificate)) == .malformed)
    #expect(code(bench.answer(200, "<html>", by: bench.byCertificate)) == .malformed)
  }

  @Test func `for a merchant with a public key reports that none was issued (1.4)`() {
    let notFound = "{\"code\":\"RESOURCE_NOT_EXISTS\",\"message\":\"无可用的平台证书\"}"
    #expect(code(HTTPResponse(status: 404, body: Array(notFound.utf8))) == .notIssued)
    let expired = "{\"code\":\"NOT_ENOUGH\",\"message\":\"证书已过期\"}"
    #expect(code(HTTPResponse(status: 403, body: Array(expired.utf8))) == .expired)
    #expect(code(HTTPResponse(status: 401, body: Array("{\"code\":\"SIGN_ERROR\"}".utf8))) == .refused)
    #expect(code(HTTPResponse(status: 502)) == .refused)
    #expect(CertificateDownloadErrorCode.notIssued.remedy.english.contains("public key"))
  }

  @Test func `is trusted when it opens and its own certificate signed it, even the first one`() throws {
    let both = response([item(bench.certificate), item(other(from: 5))])
    let learned = try CertificateDownload.certificates(
      in: both, keys: PlatformKeyRing(), apiV3Key: bench.merchant.apiV3Key, at: now)
    #expect(learned == [bench.certificate, other(from: 5)])
    let again = try CertificateDownload.certificates(
      in: response([item(other())]), keys: bench.keys, apiV3Key: bench.merchant.apiV3Key, at: now)
    #expect(again == [other()])
  }

  @Test func `is requested with a signature and without a platform key`() throws {
    let request = CertificateDownload.request(by: bench.merchant, to: .primary, at: now, nonce: WeChatPayBench.nonce)
    #expect(request.target == "https://api.mch.weixin.qq.com/v3/certificates?algorithm_type=RSA")
    #expect(request.fields["Wechatpay-Serial"] == nil)
    let signature = try RequestSignature(authorization: try #require(request.fields["Authorization"]))
    try signature.verify(
      method: "GET", target: CertificateDownload.target, body: [], key: bench.merchant.privateKey.publicKey, at: now)
  }
}
