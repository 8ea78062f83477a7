import Cryptography
import TestDoubles
import Testing

// A test is a sentence: the suite is its subject, the function its predicate.

@Suite struct `A digest` {
  /// Published examples of FIPS 180-4, and the empty text.
  @Test(arguments: [
    (DigestFunction.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      .sha256, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      .sha384, "abc",
      "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
        + "8086072ba1e7cc2358baeca134c825a7"
    ),
    (
      .sha512, "abc",
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    ),
  ]) func `is that of the standard`(_ function: DigestFunction, _ text: String, _ expected: String) {
    #expect(function.hash(text.utf8).hexadecimal == expected)
  }

  @Test func `of a million letters is that of the standard`() {
    let digest = SHA256.hash(repeatElement(UInt8(ascii: "a"), count: 1_000_000))
    #expect(
      digest.hexadecimal == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test func `does not depend on the memory layout of the bytes`() {
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    #expect(SHA256.hash(bytes) == SHA256.hash(bytes.lazy.map { $0 }))
    #expect(SHA384.hash(bytes) == SHA384.hash(bytes[...]))
  }
}

@Suite struct `A message authentication code` {
  /// RFC 4231 §4.2 to 4.8, without the truncated case.
  @Test(arguments: [
    (
      [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
      "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
    ),
    (
      [UInt8](repeating: 0xAA, count: 131),
      Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ]) func `is that of RFC 4231`(_ key: [UInt8], _ message: [UInt8], _ expected: String) {
    #expect(HMACSHA256.code(for: message, key: Secret(key)).hexadecimal == expected)
  }

  @Test func `under an empty key differs from that of the previous key`() {
    let first = HMACSHA256.code(for: [1], key: Secret([9, 9, 9]))
    let empty = HMACSHA256.code(for: [1], key: Secret([UInt8]()))
    #expect(first != empty)
    #expect(
      HMACSHA256.code(for: [UInt8](), key: Secret([UInt8]())).hexadecimal
        == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
  }

  @Test func `refuses a code that differs in one bit or in length`() {
    let key = Secret(Array("made for tests".utf8))
    let code = HMACSHA256.code(for: [1, 2, 3], key: key)
    #expect(HMACSHA256.isValid(code, for: [1, 2, 3], key: key))
    for bit in 0..<256 {
      var wrong = code
      wrong[bit / 8] ^= 1 << (bit % 8)
      #expect(!HMACSHA256.isValid(wrong, for: [1, 2, 3], key: key))
    }
    #expect(!HMACSHA256.isValid(code.dropLast(), for: [1, 2, 3], key: key))
    #expect(!HMACSHA256.isValid([UInt8](), for: [1, 2, 3], key: key))
  }
}
