import Cryptography
import Testing

@Suite struct `A secret (A19)` {
  static let text = "made-for-tests-4711"
  static let secret = Secret(text.utf8)

  @Test func `cannot be printed, interpolated or dumped`() throws {
    var dumped = ""
    dump(Self.secret, to: &dumped)
    dump([Self.secret], to: &dumped)
    print(Self.secret, to: &dumped)
    debugPrint(Self.secret, to: &dumped)
    let key = try ECDSAPrivateKey(pem: Secret(KeysMadeForTests.pkcs8.utf8))
    dump(key, to: &dumped)
    for shown in [
      "\(Self.secret)", String(reflecting: Self.secret), "\(Optional(Self.secret) as Any)", "\(key)", dumped,
    ] {
      #expect(!shown.contains("4711"))
      // It is not shown as a list of its bytes either.
      #expect(!shown.contains("52, 55, 49, 49") && !shown.contains("31, 230, 216, 231"))
      #expect(shown.contains("secret") || shown.contains("private key"))
    }
  }

  @Test func `has no children for reflection`() {
    #expect(Mirror(reflecting: Self.secret).children.isEmpty)
  }

  @Test func `cannot be encoded`() {
    #expect(!(Self.secret as Any is any Encodable))
    #expect(!(Self.secret as Any is any LosslessStringConvertible))
  }

  @Test func `gives access to its bytes and is compared by them`() {
    #expect(Self.secret.withBytes { Array($0) } == Array(Self.text.utf8))
    #expect(Self.secret == Secret(Self.text.utf8))
    #expect(Self.secret != Secret("made-for-tests-4712".utf8))
    #expect(Self.secret != Secret("made-for-tests-471".utf8))
    #expect(Secret([UInt8]()) == Secret([UInt8]()))
  }
}
