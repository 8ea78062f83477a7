import Cryptography
import PaymentPrimitives
import SigningAuthorities
import TestDoubles
import Testing

@Suite struct `A private key` {
  private func errorCode(_ body: () throws -> Void) -> CryptographyErrorCode? {
    do {
      try body()
      return nil
    } catch {
      return (error as? CodedError<CryptographyErrorCode>)?.code
    }
  }

  @Test func `is refused when it is encrypted with a passphrase`() {
    #expect(errorCode { _ = try ECDSAPrivateKey(pem: Secret(KeysMadeForTests.pkcs8Encrypted.utf8)) } == .encryptedKey)
  }

  @Test func `is refused on another curve`() {
    #expect(
      errorCode { _ = try ECDSAPrivateKey(pem: Secret(KeysMadeForTests.pkcs8OnSecp256k1.utf8)) } == .unsupportedKey)
  }

  @Test func `is refused unless it is exactly one block`() {
    for text in ["", KeysMadeForTests.spki, KeysMadeForTests.pkcs8 + "\n" + KeysMadeForTests.sec1] {
      #expect(errorCode { _ = try ECDSAPrivateKey(pem: Secret(text.utf8)) } == .malformedKey)
    }
  }

  @Test func `is refused as damaged DER, wherever it is cut`() throws {
    let der = try PEM.blocks(in: KeysMadeForTests.pkcs8)[0].bytes.withBytes { Array($0) }
    for length in 0..<der.count {
      #expect(errorCode { _ = try ECDSAPrivateKey(der: Secret(der.prefix(length))) } != nil)
    }
    #expect(errorCode { _ = try ECDSAPrivateKey(der: Secret(der + [0])) } == .malformedKey)
  }

  @Test(arguments: EllipticCurve.allCases)
  func `is refused if it is zero, the curve's order or above`(_ curve: EllipticCurve) {
    let order =
      curve == .p256
      ? "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551"
      : "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973"
    var last = hexadecimal(order)
    let zero = [UInt8](repeating: 0, count: curve.byteCount)
    let above = [UInt8](repeating: 0xFF, count: curve.byteCount)
    for scalar in [zero, last, above, [1], zero + [1]] {
      #expect(errorCode { _ = try ECDSAPrivateKey(curve: curve, scalar: Secret(scalar)) } == .malformedKey)
    }
    last[last.count - 1] -= 1
    #expect(errorCode { _ = try ECDSAPrivateKey(curve: curve, scalar: Secret(last)) } == nil)
    #expect(errorCode { _ = try ECDSAPrivateKey(curve: curve, scalar: Secret(zero.dropLast() + [1])) } == nil)
  }

  @Test func `is the same in SEC 1 and PKCS 8, and fits its public key`() throws {
    let sec1 = try ECDSAPrivateKey(pem: Secret(KeysMadeForTests.sec1.utf8))
    let pkcs8 = try ECDSAPrivateKey(pem: Secret(KeysMadeForTests.pkcs8.utf8))
    let spki = try ECDSAPublicKey(pem: KeysMadeForTests.spki)
    #expect(sec1.publicKey == spki && pkcs8.publicKey == spki)
    #expect(try PEM.blocks(in: KeysMadeForTests.pkcs8)[0].bytes == pkcs8.pkcs8)
    #expect(try PEM.blocks(in: KeysMadeForTests.spki)[0].bytes == Secret(spki.spki))
    let large = try ECDSAPrivateKey(pem: Secret(KeysMadeForTests.pkcs8OnP384.utf8))
    #expect(large.curve == .p384)
    #expect(try PEM.blocks(in: KeysMadeForTests.pkcs8OnP384)[0].bytes == large.pkcs8)
    #expect(try ECDSAPublicKey(pem: KeysMadeForTests.spkiOnP384) == large.publicKey)
  }

  @Test(arguments: EllipticCurve.allCases)
  func `is the same from the same random bytes, and another from others`(_ curve: EllipticCurve) {
    let bytes = (0..<48).map { UInt8($0) }
    let key = ECDSAPrivateKey(curve: curve, randomBytes: bytes)
    #expect(ECDSAPrivateKey(curve: curve, randomBytes: bytes).publicKey == key.publicKey)
    #expect(ECDSAPrivateKey(curve: curve, randomBytes: bytes.reversed()).publicKey != key.publicKey)
    #expect(key.publicKey.isValid(key.signature(for: [1]), for: [1]))
  }
}

@Suite struct `A public key` {
  @Test(arguments: EllipticCurve.allCases)
  func `is refused off the curve, compressed, at infinity or in another length`(_ curve: EllipticCurve) throws {
    let point = ECDSAPrivateKey(curve: curve, randomBytes: [UInt8](repeating: 6, count: 48)).publicKey.point
    var off = point
    off[off.count - 1] ^= 1
    let compressed = [2 + point[point.count - 1] % 2] + point[1...curve.byteCount]
    let hybrid = [6 + point[point.count - 1] % 2] + point[1...]
    let others = [
      off, compressed, hybrid, [0], [], point + [0], [4] + [UInt8](repeating: 0, count: 2 * curve.byteCount),
    ]
    for wrong in others {
      #expect(throws: CodedError<CryptographyErrorCode>(.malformedKey)) {
        try ECDSAPublicKey(curve: curve, point: wrong)
      }
    }
    #expect(try ECDSAPublicKey(curve: curve, point: point).point == point)
  }

  @Test func `is refused with an explicit curve, or if it is of another kind (A3)`() throws {
    let rsa = try X509Certificate.certificates(inPEM: Array(KeysMadeForTests.certificateOnRSA.utf8))[0]
    #expect(rsa.publicKey == nil)
    let der = try PEM.blocks(in: KeysMadeForTests.spki)[0].bytes.withBytes { Array($0) }
    for wrong in [[], Array(der.dropLast()), der + [0], [0x31] + der.dropFirst()] {
      #expect(throws: CodedError<CryptographyErrorCode>(.unsupportedKey)) { try ECDSAPublicKey(spki: wrong) }
    }
    #expect(throws: CodedError<CryptographyErrorCode>(.malformedKey)) {
      try ECDSAPublicKey(pem: KeysMadeForTests.pkcs8)
    }
  }
}

@Suite struct `A compact JWS` {
  @Test(arguments: [
    "", ".", "..", "a.b", "YQ.YQ.", ".YQ.YQ", "YQ..YQ", "YQ.YQ.YQ.", "YQ.YQ.YQ.YQ", "YQ==.YQ.YQ", "YQ.Y.YQ",
    "YQ.YQ.YQ\n", " YQ.YQ.YQ",
  ]) func `is refused unless it has three parts of strict Base64URL`(_ text: String) {
    #expect(CompactJWS(text.utf8, bytesMax: 100) == nil)
  }

  @Test func `is refused above its limit`() {
    #expect(CompactJWS("YQ.YQ.YQ".utf8, bytesMax: 8) != nil)
    #expect(CompactJWS("YQ.YQ.YQ".utf8, bytesMax: 7) == nil)
  }

  /// RFC 7515 A.1.
  @Test func `under HS256 is that of RFC 7515`() throws {
    let key = try #require(
      Base64URL.decode("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"))
    let token = CompactJWS.token(
      header: "{\"typ\":\"JWT\",\r\n \"alg\":\"HS256\"}".utf8,
      payload: "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}".utf8
    ) { HMACSHA256.code(for: $0, key: Secret(key)) }
    #expect(token.hasSuffix(".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
    let parts = try #require(CompactJWS(token.utf8, bytesMax: 4096))
    #expect(HMACSHA256.isValid(parts.signature, for: parts.signed, key: Secret(key)))
  }
}
