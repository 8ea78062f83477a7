import Cryptography
import PaymentPrimitives
import SigningAuthorities
import TestDoubles
import Testing

@Suite struct `An ECDSA signature` {
  @Test func `is refused in DER unless it is the shortest form`() throws {
    let key = ECDSAPrivateKey(curve: .p256, randomBytes: [UInt8](repeating: 7, count: 32))
    let der = key.deterministicSignature(for: "text".utf8).der
    #expect(try ECDSASignature(der: der, curve: .p256).der == der)
    var longLength = der
    longLength.insert(0x81, at: 1)
    var negative = der
    negative[4] |= 0x80
    let wrong: [[UInt8]] = [
      [], [0x30], [0x30, 0], der + [0], Array(der.dropLast()), longLength, negative,
      [0x30, 3, 2, 1, 1], [0x30, 6, 2, 1, 1, 4, 1, 1], [0x31] + der.dropFirst(),
    ]
    for bytes in wrong {
      #expect(throws: CodedError<CryptographyErrorCode>(.malformedSignature)) {
        try ECDSASignature(der: bytes, curve: .p256)
      }
    }
    let large = ECDSAPrivateKey(curve: .p384, randomBytes: [UInt8](repeating: 7, count: 48))
    let tooLarge = large.deterministicSignature(for: "text".utf8).der
    #expect(throws: CodedError<CryptographyErrorCode>(.malformedSignature)) {
      try ECDSASignature(der: tooLarge, curve: .p256)
    }
  }

  @Test(arguments: EllipticCurve.allCases)
  func `is refused by length`(_ curve: EllipticCurve) {
    for length in [0, 1, 63, 65, 95, 97, 128] {
      #expect(ECDSASignature(raw: [UInt8](repeating: 1, count: length), curve: curve) == nil)
    }
  }

  @Test(arguments: EllipticCurve.allCases)
  func `is refused after any change, of itself or of the text`(_ curve: EllipticCurve) throws {
    let key = ECDSAPrivateKey(curve: curve, randomBytes: [UInt8](repeating: 1, count: 48))
    let other = ECDSAPrivateKey(curve: curve, randomBytes: [UInt8](repeating: 2, count: 48))
    let signature = key.signature(for: "text".utf8)
    #expect(key.publicKey.isValid(signature, for: "text".utf8))
    #expect(!key.publicKey.isValid(signature, for: "texT".utf8))
    #expect(!other.publicKey.isValid(signature, for: "text".utf8))
    #expect(!key.publicKey.isValid(signature, for: "text".utf8, digest: .sha512))
    for index in stride(from: 0, to: signature.raw.count, by: 3) {
      var raw = signature.raw
      raw[index] ^= 0x10
      let changed = try #require(ECDSASignature(raw: raw, curve: curve))
      #expect(!key.publicKey.isValid(changed, for: "text".utf8))
    }
    for raw in [
      [UInt8](repeating: 0, count: 2 * curve.byteCount), [UInt8](repeating: 0xFF, count: 2 * curve.byteCount),
    ] {
      let changed = try #require(ECDSASignature(raw: raw, curve: curve))
      #expect(!key.publicKey.isValid(changed, for: "text".utf8))
    }
  }

  @Test func `of one curve is refused by a key on the other (A3)`() throws {
    let small = ECDSAPrivateKey(curve: .p256, randomBytes: [UInt8](repeating: 3, count: 48))
    let large = ECDSAPrivateKey(curve: .p384, randomBytes: [UInt8](repeating: 3, count: 48))
    #expect(!small.publicKey.isValid(large.signature(for: "t".utf8), for: "t".utf8))
    #expect(!large.publicKey.isValid(small.signature(for: "t".utf8), for: "t".utf8))
  }

  /// RFC 6979 A.2.5 and A.2.6, keys and signatures.
  @Test(arguments: DeterministicExample.all)
  func `made deterministically is that of RFC 6979`(_ example: DeterministicExample) throws {
    let key = try ECDSAPrivateKey(curve: example.curve, scalar: Secret(hexadecimal(example.key)))
    #expect(key.publicKey.point == [4] + hexadecimal(example.x) + hexadecimal(example.y))
    let signature = key.deterministicSignature(for: example.text.utf8, digest: example.digest)
    #expect(signature.raw.hexadecimal == (example.r + example.s).lowercased())
    #expect(key.publicKey.isValid(signature, for: example.text.utf8, digest: example.digest))
  }

  /// RFC 7515 A.3: a token that another implementation signed.
  @Test func `of RFC 7515 is valid`() throws {
    let token =
      "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
      + "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djx"
      + "La8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
    let x = try #require(Base64URL.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"))
    let y = try #require(Base64URL.decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
    let key = try ECDSAPublicKey(curve: .p256, point: [4] + x + y)
    let parts = try #require(CompactJWS(token.utf8, bytesMax: 4096))
    let signature = try #require(ECDSASignature(raw: parts.signature, curve: .p256))
    #expect(key.isValid(signature, for: parts.signed))
    #expect(!key.isValid(signature, for: parts.signed.dropLast()))
  }

  @Test func `made twice differs, but made twice deterministically is the same`() {
    let key = ECDSAPrivateKey(curve: .p256, randomBytes: [UInt8](repeating: 4, count: 32))
    #expect(key.signature(for: "t".utf8) != key.signature(for: "t".utf8))
    #expect(key.deterministicSignature(for: "t".utf8) == key.deterministicSignature(for: "t".utf8))
  }
}

/// One example of RFC 6979.
struct DeterministicExample: Sendable {
  let curve: EllipticCurve
  let digest: DigestFunction
  let text: String
  let r: String
  let s: String

  var key: String {
    curve == .p256
      ? "C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721"
      : "6B9D3DAD2E1B8C1C05B19875B6659F4DE23C3B667BF297BA9AA47740787137D896D5724E4C70A825F872C9EA60D2EDF5"
  }

  var x: String {
    curve == .p256
      ? "60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"
      : "EC3A4E415B4E19A4568618029F427FA5DA9A8BC4AE92E02E06AAE5286B300C64DEF8F0EA9055866064A254515480BC13"
  }

  var y: String {
    curve == .p256
      ? "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299"
      : "8015D9B72D7D57244EA8EF9AC0C621896708A59367F9DFB9F54CA84B3F1C9DB1288B231C3AE0D4FE7344FD2533264720"
  }

  static let all = [
    DeterministicExample(
      curve: .p256, digest: .sha256, text: "sample",
      r: "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716",
      s: "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"),
    DeterministicExample(
      curve: .p256, digest: .sha384, text: "sample",
      r: "0EAFEA039B20E9B42309FB1D89E213057CBF973DC0CFC8F129EDDDC800EF7719",
      s: "4861F0491E6998B9455193E34E7B0D284DDD7149A74B95B9261F13ABDE940954"),
    DeterministicExample(
      curve: .p256, digest: .sha512, text: "sample",
      r: "8496A60B5E9B47C825488827E0495B0E3FA109EC4568FD3F8D1097678EB97F00",
      s: "2362AB1ADBE2B8ADF9CB9EDAB740EA6049C028114F2460F96554F61FAE3302FE"),
    DeterministicExample(
      curve: .p256, digest: .sha256, text: "test",
      r: "F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367",
      s: "019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083"),
    DeterministicExample(
      curve: .p384, digest: .sha384, text: "sample",
      r: "94EDBB92A5ECB8AAD4736E56C691916B3F88140666CE9FA73D64C4EA95AD133C81A648152E44ACF96E36DD1E80FABE46",
      s: "99EF4AEB15F178CEA1FE40DB2603138F130E740A19624526203B6351D0A3A94FA329C145786E679E7B82C71A38628AC8"),
    DeterministicExample(
      curve: .p384, digest: .sha256, text: "sample",
      r: "21B13D1E013C7FA1392D03C5F99AF8B30C570C6F98D4EA8E354B63A21D3DAA33BDE1E888E63355D92FA2B3C36D8FB2CD",
      s: "F3AA443FB107745BF4BD77CB3891674632068A10CA67E3D45DB2266FA7D1FEEBEFDC63ECCD1AC42EC0CB8668A4FA0AB0"),
  ]
}

@Suite struct `A verifier of texts with a common beginning` {
  let key = ECDSAPrivateKey(curve: .p256, randomBytes: [UInt8](repeating: 5, count: 32))

  @Test func `agrees with plain verification for beginnings and rests of every length`() {
    for beginning in [0, 1, 63, 64, 65, 4412] {
      let start = [UInt8](repeating: 0x41, count: beginning)
      let verifier = PrefixedSignatureVerifier(key: key.publicKey, beginning: start)
      for rest in [0, 1, 55, 64, 900] {
        let end = (0..<rest).map { UInt8(truncatingIfNeeded: $0) }
        let signature = key.deterministicSignature(for: start + end)
        #expect(verifier.isValid(signature.raw, forRest: end))
        #expect(!verifier.isValid(signature.raw, forRest: end + [1]))
        #expect(!verifier.isValid(signature.raw.reversed(), forRest: end))
      }
    }
  }

  @Test func `refuses signatures of another length`() {
    let verifier = PrefixedSignatureVerifier(key: key.publicKey, beginning: [1])
    let raw = key.deterministicSignature(for: [1, 2]).raw
    #expect(verifier.isValid(raw, forRest: [2]))
    #expect(!verifier.isValid(raw.dropLast() + [], forRest: [2]))
    #expect(!verifier.isValid(raw + [0], forRest: [2]))
    #expect(!verifier.isValid([], forRest: [2]))
  }

  @Test func `serves many tasks at once without mixing them up`() async {
    let verifier = PrefixedSignatureVerifier(key: key.publicKey, beginning: [9])
    let signatures = (0..<16).map { key.deterministicSignature(for: [9, UInt8($0)]).raw }
    let wrong = await withTaskGroup(of: Int.self) { group in
      for start in 0..<8 {
        group.addTask {
          (0..<200).count { step in
            let number = (start + step) % 16
            let isRight = step % 3 != 0
            let rest: [UInt8] = [UInt8(isRight ? number : (number + 1) % 16)]
            return verifier.isValid(signatures[number], forRest: rest) != isRight
          }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(wrong == 0)
  }
}
