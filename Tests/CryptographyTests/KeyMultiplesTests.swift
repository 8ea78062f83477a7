import Cryptography
import PaymentPrimitives
import SigningAuthorities
import TestDoubles
import Testing

/// A signature with its digest and key, in hexadecimal.
private struct Example: Sendable {
  let x, y, digest, r, s: String

  var key: ECDSAPublicKey {
    get throws { try ECDSAPublicKey(curve: .p256, point: [4] + hexadecimal(x) + hexadecimal(y)) }
  }

  var signature: ECDSASignature? { ECDSASignature(raw: hexadecimal(r) + hexadecimal(s), curve: .p256) }
}

@Suite struct `A table of the multiples of a key` {
  private static let order = hexadecimal("FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551")
  private static let field = hexadecimal("FFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF")
  /// The key with the private number 0xC0FFEE0123456789.
  private static let x = "79DB68E98F7F8FFDF9464253154D366CCF0DCD1F527B8E7DB2D0876848EB325F"
  private static let y = "B05B8C82BD12BF7088DF9F9F8EC3D4BA9BAE1DD849473F6C561CB652771DE0CF"
  private static let r = "A098594572A2B2E4A5EF9CC6071A743E88C327ADF02A5E8726F8D2CD6EC46981"

  private func number(_ last: UInt8) -> [UInt8] { [UInt8](repeating: 0, count: 31) + [last] }

  @Test func `refuses numbers outside the range of signatures, as OpenSSL does`() throws {
    let key = ECDSAPrivateKey(curve: .p256, randomBytes: [UInt8](repeating: 3, count: 32))
    let table = try #require(KeyMultiples(of: key.publicKey))
    let digest = SHA256.hash("text")
    let good = key.deterministicSignature(for: "text".utf8).raw
    var above = Self.order
    above[31] += 1
    let numbers = [
      number(0), number(1), Self.order, above, Self.field, [UInt8](repeating: 0xFF, count: 32), Array(good.prefix(32)),
      Array(good.suffix(32)),
    ]
    for r in numbers {
      for s in numbers {
        let signature = try #require(ECDSASignature(raw: r + s, curve: .p256))
        let isValid = table.isValid(signature, forDigest: digest)
        #expect(isValid == key.publicKey.isValid(signature, forDigest: digest))
        #expect(isValid == (r + s == good))
      }
    }
  }

  @Test func `refuses a signature whose two products cancel each other`() throws {
    let example = Example(
      x: Self.x, y: Self.y, digest: "752261AF735075420693F3CE193E32524E02BE66E97AD122CCBF35A5E946FA47", r: Self.r,
      s: "0000000000000000000000000000000000000000000000000000000000000055")
    let table = try #require(try KeyMultiples(of: example.key))
    let signature = try #require(example.signature)
    #expect(try !example.key.isValid(signature, forDigest: hexadecimal(example.digest)))
    #expect(!table.isValid(signature, forDigest: hexadecimal(example.digest)))
  }

  @Test(arguments: [
    // The sum of both products has an x beyond the order of the curve.
    Example(
      x: "A551E484EEC9C0EEF0E60FC6A5078A4B107EAA811E6C23B2F554BCDFC450B503",
      y: "98AE18D060AEFBC687CCFEF3C9ADC0479F54668FD04DBEE44FBB92EED6986FDE",
      digest: "B6A03CF80A0EA07F42771AD2EDD632BE7E63F36A1AC453061C173A43887A183D",
      r: "0000000000000000000000000000000000000000000000000000000000000003",
      s: "4251572F98F6751065A9BB0977E7FADCA48666C52CA97AE61B25173BFD1BD1CB"),
    // Both products are the same point.
    Example(
      x: x, y: y, digest: "8ADD9E4F8CAF8ABEF96C0C31E6C1CDAD6EE43C46BD9CCD6226FA951D131C2B0A", r: r,
      s: "E0CF95F8FA9EB1D8800416C082910D186531AB0F2427D2DD2265A2320012918D"),
    // The digest is the order of the curve: the first product is no point.
    Example(
      x: x, y: y, digest: "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551", r: r,
      s: "F067CAFBFD4F58ECC0020B604148868C110C52DE659FB8B10B0FB67A7E3ADB6F"),
  ])
  private func `accepts the signatures at the edges of the arithmetic`(_ example: Example) throws {
    let table = try #require(try KeyMultiples(of: example.key))
    let signature = try #require(example.signature)
    let digest = hexadecimal(example.digest)
    #expect(try example.key.isValid(signature, forDigest: digest))
    #expect(table.isValid(signature, forDigest: digest))
    for position in 0..<32 {
      var other = digest
      other[position] ^= 1
      #expect(!table.isValid(signature, forDigest: other))
    }
  }

  @Test func `agrees with OpenSSL's own verification for genuine, changed and foreign signatures`() throws {
    var random = SplitMix64(seed: 11)
    var valid = 0
    for seed in UInt8(1)...6 {
      let key = ECDSAPrivateKey(curve: .p256, randomBytes: [UInt8](repeating: seed, count: 48))
      let table = try #require(KeyMultiples(of: key.publicKey))
      for number in 0..<300 {
        let text = "text \(number)"
        let digest = SHA256.hash(text)
        var raw = key.deterministicSignature(for: text.utf8).raw
        if number % 3 == 1 {
          raw[random.number(below: 64)] ^= 1 << UInt8(random.number(below: 8))
        }
        if number % 3 == 2 { raw = Array(raw.suffix(32) + raw.prefix(32)) }
        let signature = try #require(ECDSASignature(raw: raw, curve: .p256))
        let isValid = table.isValid(signature, forDigest: digest)
        #expect(isValid == key.publicKey.isValid(signature, forDigest: digest))
        if isValid { valid += 1 }
      }
    }
    #expect(valid == 600)
  }

  @Test func `is made for P-256 only, and for digests of 32 bytes`() throws {
    let large = ECDSAPrivateKey(curve: .p384, randomBytes: [UInt8](repeating: 7, count: 48))
    #expect(KeyMultiples(of: large.publicKey) == nil)
    let key = ECDSAPrivateKey(curve: .p256, randomBytes: [UInt8](repeating: 7, count: 32))
    let table = try #require(KeyMultiples(of: key.publicKey))
    let signature = key.deterministicSignature(for: "text".utf8)
    #expect(!table.isValid(signature, forDigest: Array(SHA256.hash("text").dropLast())))
    #expect(table.isValid(signature, forDigest: SHA256.hash("text")))
  }

  @Test func `changes no verdict of a verifier that makes one after some signatures`() {
    let key = ECDSAPrivateKey(curve: .p256, randomBytes: [UInt8](repeating: 5, count: 32))
    let verifier = PrefixedSignatureVerifier(key: key.publicKey, beginning: [1, 2, 3], tableAfter: 4)
    for number in UInt8(0)..<12 {
      let raw = key.deterministicSignature(for: [1, 2, 3, number]).raw
      #expect(verifier.isValid(raw, forRest: [number]))
      #expect(!verifier.isValid(raw, forRest: [number &+ 1]))
    }
  }
}
