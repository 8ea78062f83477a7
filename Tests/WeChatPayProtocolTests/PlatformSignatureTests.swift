import Cryptography
import HTTPMessages
import PaymentPrimitives
import SigningAuthorities
import TestDoubles
import Testing
import WeChatPayProtocol

@Suite struct `WeChat Pay's signature` {
  private let bench: WeChatPayBench
  private let now = WeChatPayBench.now

  init() throws { bench = try WeChatPayBench() }

  private func code(_ fields: HTTPFields, _ body: [UInt8], at moment: Timestamp? = nil) -> PlatformSignatureErrorCode? {
    do throws(CodedError<PlatformSignatureErrorCode>) {
      try bench.keys.verify(fields, body: body, at: moment ?? now)
      return nil
    } catch { return error.code }
  }

  private let vector = WeChatPayVectors.prepayAnswer

  @Test(arguments: ["Wechatpay-Timestamp", "Wechatpay-Nonce", "Wechatpay-Serial", "Wechatpay-Signature"])
  func `is refused when a header is missing, empty or repeated`(_ name: String) {
    let body = Array(vector.body.utf8)
    var fields = vector.fields()
    fields.set(name, nil)
    #expect(code(fields, body) == .headerMissing)
    fields.set(name, "")
    #expect(code(fields, body) == .headerMissing)
    fields = vector.fields()
    fields.add(name, vector.fields()[name] ?? "")
    #expect(code(fields, body) == .headerRepeated)
    fields.set(name, vector.fields()[name])
    #expect(code(fields, body) == nil)
  }

  @Test func `is refused after any change of what was signed (A12)`() {
    let body = Array(vector.body.utf8)
    var spaced = body
    spaced.insert(0x20, at: 13)
    var changed = body
    changed[20] ^= 1
    for wrong in [spaced, changed, body + [0x0A], Array(body.dropLast()), []] {
      #expect(code(vector.fields(), wrong) == .wrongSignature)
    }
    var swapped = vector.fields()
    swapped.set("Wechatpay-Nonce", "\(vector.timestamp)")
    #expect(code(swapped, body) == .wrongSignature)
    swapped.set("Wechatpay-Timestamp", vector.nonce)
    #expect(code(swapped, body) == .malformedTimestamp)
    var later = vector.fields()
    later.set("Wechatpay-Timestamp", "\(vector.timestamp + 1)")
    #expect(code(later, body) == .wrongSignature)
  }

  @Test func `is refused unless it is Base64 on one line, and of the known scheme`() {
    let body = Array(vector.body.utf8)
    var fields = vector.fields()
    let signature = vector.signature
    for wrong in [signature.dropLast() + "", signature.prefix(76) + "\n" + signature.dropFirst(76), "%%%", " "] {
      fields.set("Wechatpay-Signature", String(wrong))
      #expect(code(fields, body) == .malformedSignature)
    }
    fields = vector.fields()
    for wrong in ["WECHATPAY2-SM2-WITH-SM3", "", "wechatpay2-sha256-rsa2048"] {
      fields.set("Wechatpay-Signature-Type", wrong)
      #expect(code(fields, body) == .unsupportedSignatureType)
    }
    fields.set("Wechatpay-Signature-Type", "WECHATPAY2-SHA256-RSA2048")
    #expect(code(fields, body) == nil)
    fields.add("Wechatpay-Signature-Type", "WECHATPAY2-SHA256-RSA2048")
    #expect(code(fields, body) == .headerRepeated)
  }

  @Test(arguments: [
    (-301, PlatformSignatureErrorCode.timestampOutsideWindow), (-300, nil), (-1, nil), (0, nil), (299, nil),
    (300, nil), (301, .timestampOutsideWindow), (86_400, .timestampOutsideWindow),
  ])
  func `is valid from 300 seconds before to 300 seconds after its timestamp (A12)`(
    _ seconds: Int, _ expected: PlatformSignatureErrorCode?
  ) {
    #expect(code(vector.fields(), Array(vector.body.utf8), at: now + .seconds(Int64(seconds))) == expected)
  }

  @Test(arguments: ["", " 1760000000", "+1760000000", "-1760000000", "1760000000.0", "0x68E7A700", "1e9", "１７６"])
  func `is refused with a timestamp that is not a plain number`(_ timestamp: String) {
    var fields = vector.fields()
    fields.set("Wechatpay-Timestamp", timestamp)
    #expect(code(fields, Array(vector.body.utf8)) == (timestamp.isEmpty ? .headerMissing : .malformedTimestamp))
    fields.set("Wechatpay-Timestamp", "9223372036854775807")
    #expect(code(fields, Array(vector.body.utf8)) == .malformedTimestamp)
    fields.set("Wechatpay-Timestamp", "999999999999999999")
    #expect(code(fields, Array(vector.body.utf8)) == .timestampOutsideWindow)
  }

  @Test func `that only tests whether we check it is refused as a probe`() {
    let body = Array(vector.body.utf8)
    var fields = bench.byCertificate.probeFields(at: now, nonce: "n", randomBytes: [UInt8](repeating: 5, count: 256))
    #expect(fields["Wechatpay-Signature"]?.hasPrefix("WECHATPAY/SIGNTEST/") == true)
    #expect(code(fields, body) == .probeSignature)
    // With an unknown serial number, too: it must cause no download.
    fields.set("Wechatpay-Serial", "5157F09EFDC096DE15EBE81A47057A7232F1B8E1")
    #expect(code(fields, body) == .probeSignature)
    fields.set("Wechatpay-Signature", "WECHATPAY/SIGNTEST/" + vector.signature)
    #expect(code(fields, body) == .probeSignature)
  }

  @Test func `by an unknown key is refused, and the error lists the known keys`() throws {
    var fields = vector.fields(serial: "5157F09EFDC096DE15EBE81A47057A7232F1B8E1")
    let body = Array(vector.body.utf8)
    #expect(code(fields, body) == .unknownKey)
    do throws(CodedError<PlatformSignatureErrorCode>) {
      try bench.keys.verify(fields, body: body, at: now)
    } catch {
      #expect(error.details.contains(WeChatPayVectors.platformSerial))
      #expect(error.details.contains(WeChatPayVectors.publicKeyIdentifier))
      #expect(error.details.contains("5157F09E"))
    }
    for serial in ["PUB_KEY_ID_1", "PUB_KEY_ID_", "not a serial", WeChatPayVectors.platformSerial + "0"] {
      fields.set("Wechatpay-Serial", serial)
      #expect(code(fields, body) == .unknownKey)
    }
  }

  @Test func `of answers with and without a body is valid, by certificate and by public key`() throws {
    for vector in [WeChatPayVectors.prepayAnswer, WeChatPayVectors.closeAnswer] {
      let body = Array(vector.body.utf8)
      let certificate = try bench.keys.verify(vector.fields(), body: body, at: now)
      #expect("\(certificate)" == WeChatPayVectors.platformSerial)
      let publicKey = try bench.keys.verify(
        vector.fields(serial: WeChatPayVectors.publicKeyIdentifier), body: body, at: now)
      #expect("\(publicKey)" == WeChatPayVectors.publicKeyIdentifier)
      // Serial numbers are numbers: their case and leading zeros mean nothing.
      let serial = WeChatPayVectors.platformSerial
      #expect(code(vector.fields(serial: serial.lowercased()), body) == nil)
      #expect(code(vector.fields(serial: String(serial.dropFirst())), body) == nil)
    }
  }

  @Test func `made by our platform signer equals the vectors' bytes`() {
    let vector = WeChatPayVectors.prepayAnswer
    let fields = bench.byCertificate.fields(signing: Array(vector.body.utf8), at: now, nonce: vector.nonce)
    #expect(fields["Wechatpay-Signature"] == vector.signature)
    #expect(fields["Wechatpay-Serial"] == WeChatPayVectors.platformSerial)
    #expect(fields["Wechatpay-Timestamp"] == "1760000000")
  }

  @Test func `is valid for any body, nonce and time, and not for another body`() throws {
    var chance = SplitMix64(seed: 7)
    for _ in 0..<50 {
      let body = chance.bytes(chance.number(below: 400))
      let moment = Timestamp(seconds: 1_750_000_000 + Int64(chance.number(below: 40_000_000)))
      let nonce = Nonce.text(randomBytes: chance.bytes(32))
      let signer = chance.number(below: 2) == 0 ? bench.byPublicKey : bench.byCertificate
      let fields = signer.fields(signing: body, at: moment, nonce: nonce)
      #expect(try bench.keys.verify(fields, body: body, at: moment) == signer.identifier)
      #expect(code(fields, body + chance.bytes(1), at: moment) == .wrongSignature)
    }
  }
}

@Suite struct `A ring of platform keys` {
  private let bench: WeChatPayBench
  private let now = WeChatPayBench.now

  init() throws { bench = try WeChatPayBench() }

  private static let otherKey = RSAPrivateKey(randomBytes: [UInt8](repeating: 3, count: 32))

  private func certificate(
    _ serial: UInt8, from: Int64, to: Int64, key: RSAPrivateKey = otherKey
  ) -> X509Certificate {
    X509CertificateBuilder(
      subject: X509NameParts(commonName: "Made for tests"), serialNumber: [serial], notBefore: now + .days(from),
      notAfter: now + .days(to)
    ).selfSigned(by: key)
  }

  @Test func `refuses the merchant's own key, a malformed id, and two keys under one id`() throws {
    var keys = bench.keys
    let own = bench.merchant.privateKey
    #expect(throws: CodedError<MerchantKeyErrorCode>(.merchantKeyAsPlatformKey)) {
      try keys.add(publicKey: own.publicKey, identifier: "PUB_KEY_ID_1")
    }
    #expect(throws: CodedError<MerchantKeyErrorCode>(.merchantKeyAsPlatformKey)) {
      try keys.add(certificate: certificate(9, from: -1, to: 1, key: own))
    }
    for identifier in ["", "PUB_KEY_ID_", "PUB_KEY_ID_12x", "pub_key_id_12", "0A5E10EF", "12"] {
      #expect(throws: CodedError<MerchantKeyErrorCode>(.publicKeyIdentifier)) {
        try keys.add(publicKey: Self.otherKey.publicKey, identifier: identifier)
      }
    }
    #expect(throws: CodedError<MerchantKeyErrorCode>(.doubledPlatformKey)) {
      try keys.add(publicKey: Self.otherKey.publicKey, identifier: WeChatPayVectors.publicKeyIdentifier)
    }
    let elliptic = ECDSAPrivateKey(curve: .p256, randomBytes: [UInt8](repeating: 1, count: 32))
    let foreign = X509CertificateBuilder(
      subject: X509NameParts(commonName: "Made for tests"), serialNumber: [1], notBefore: now, notAfter: now
    ).selfSigned(by: elliptic)
    #expect(throws: CodedError<MerchantKeyErrorCode>(.platformCertificateKey)) { try keys.add(certificate: foreign) }
    try keys.add(certificate: bench.certificate)
    #expect(keys.entries.count == 2)
  }

  @Test func `accepts the old and the new certificate while both are valid`() throws {
    let old = certificate(1, from: -100, to: 10)
    let newKey = bench.platformKey
    let new = certificate(2, from: -5, to: 1000, key: newKey)
    var keys = PlatformKeyRing()
    try keys.add(certificate: old)
    try keys.add(certificate: new)
    let oldSigner = PlatformSigner(identifier: .certificate(CertificateSerial(of: old)), privateKey: Self.otherKey)
    let newSigner = PlatformSigner(identifier: .certificate(CertificateSerial(of: new)), privateKey: newKey)
    for signer in [oldSigner, newSigner] {
      #expect(throws: Never.self) {
        try keys.verify(signer.fields(signing: [1], at: now, nonce: "n"), body: [1], at: now)
      }
    }
    // One certificate's name with the other's signature is wrong.
    let mixed = PlatformSigner(identifier: oldSigner.identifier, privateKey: newKey)
    #expect(throws: CodedError<PlatformSignatureErrorCode>(.wrongSignature)) {
      try keys.verify(mixed.fields(signing: [1], at: now, nonce: "n"), body: [1], at: now)
    }
    let later = now + .days(11)
    #expect(throws: CodedError<PlatformSignatureErrorCode>(.keyNotValid)) {
      try keys.verify(oldSigner.fields(signing: [1], at: later, nonce: "n"), body: [1], at: later)
    }
    let earlier = now - .days(6)
    #expect(throws: CodedError<PlatformSignatureErrorCode>(.keyNotValid)) {
      try keys.verify(newSigner.fields(signing: [1], at: earlier, nonce: "n"), body: [1], at: earlier)
    }
    keys.removeExpired(at: old.notAfter)
    #expect(keys.entries.count == 2)
    keys.removeExpired(at: old.notAfter + .milliseconds(1))
    #expect(keys.entries.map(\.identifier) == [newSigner.identifier])
  }

  @Test func `names the public key in requests, else the valid certificate that expires last`() throws {
    var keys = PlatformKeyRing()
    #expect(keys.preferred(at: now) == nil)
    let future = certificate(3, from: 1, to: 2000)
    for item in [certificate(1, from: -10, to: 10), future, certificate(2, from: -10, to: 500)] {
      try keys.add(certificate: item)
    }
    #expect(keys.preferred(at: now)?.identifier == PlatformKeyIdentifier("02"))
    #expect(keys.preferred(at: now + .days(1))?.identifier == PlatformKeyIdentifier("03"))
    #expect(keys.preferred(at: now + .days(3000)) == nil)
    try keys.add(publicKey: bench.platformKey.publicKey, identifier: "PUB_KEY_ID_7")
    try keys.add(publicKey: Self.otherKey.publicKey, identifier: "PUB_KEY_ID_8")
    #expect(keys.preferred(at: now)?.identifier == .publicKey("PUB_KEY_ID_7"))
    #expect(keys.entries.count == 5)
  }

  @Test func `prints serial numbers byte by byte, with their leading zero`() throws {
    #expect(CertificateSerial(of: bench.certificate).text == "0A5E10EF55877E3CF6C33255C2E7DEFFF7E427EC")
    #expect(CertificateSerial(of: bench.certificate) == CertificateSerial("a5e10ef55877e3cf6c33255c2e7defff7e427ec"))
    #expect(CertificateSerial("A5E1")?.text == "A5E1")
    #expect(CertificateSerial("A5E")?.text == "0A5E")
    #expect(CertificateSerial("D7CE59D1F522D701")?.text == "D7CE59D1F522D701")
    let numbers: Set<CertificateSerial?> = [
      CertificateSerial("00A5"), CertificateSerial("a5"), CertificateSerial("5A"),
    ]
    #expect(numbers.count == 2)
  }
}
