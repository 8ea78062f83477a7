import Cryptography
import PaymentPrimitives
import TestDoubles
import Testing

@Suite struct `AES-256-GCM` {
  private let cipher: AES256GCM
  private let nonce = Array("uluk4a9R25RW".utf8)

  init() throws { cipher = try AES256GCM(key: Secret("0123456789abcdefghijklmnopqrstuv".utf8)) }

  @Test func `refuses a key that does not have 32 bytes`() {
    for count in [0, 16, 24, 31, 33] {
      #expect(throws: CodedError<CryptographyErrorCode>(.malformedKey)) {
        try AES256GCM(key: Secret([UInt8](repeating: 1, count: count)))
      }
    }
  }

  @Test func `refuses any change of ciphertext, tag, nonce or associated data, and another key`() throws {
    let text = Array("payment".utf8)
    let sealed = cipher.seal(text, nonce: nonce, associatedData: "certificate".utf8)
    #expect(cipher.open(sealed, nonce: nonce, associatedData: "certificate".utf8) == text)
    for bit in 0..<sealed.count * 8 {
      var changed = sealed
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(cipher.open(changed, nonce: nonce, associatedData: "certificate".utf8) == nil)
    }
    #expect(cipher.open(sealed.dropLast(16), nonce: nonce, associatedData: "certificate".utf8) == nil)
    #expect(cipher.open(sealed, nonce: nonce, associatedData: "".utf8) == nil)
    #expect(cipher.open(sealed, nonce: nonce, associatedData: "certificatE".utf8) == nil)
    #expect(cipher.open(sealed, nonce: nonce.dropLast(), associatedData: "certificate".utf8) == nil)
    #expect(cipher.open(sealed, nonce: nonce + [0], associatedData: "certificate".utf8) == nil)
    #expect(cipher.open(sealed, nonce: nonce.reversed(), associatedData: "certificate".utf8) == nil)
    #expect(cipher.open([UInt8](), nonce: nonce, associatedData: "certificate".utf8) == nil)
    let other = try AES256GCM(key: Secret([UInt8](repeating: 9, count: 32)))
    #expect(other.open(sealed, nonce: nonce, associatedData: "certificate".utf8) == nil)
  }

  @Test func `decrypts to the original text of any length`() {
    for count in [0, 1, 15, 16, 17, 4096, 100_001] {
      let text = [UInt8]((0..<count).map { UInt8(truncatingIfNeeded: $0) })
      let sealed = cipher.seal(text, nonce: nonce, associatedData: "a".utf8)
      #expect(sealed.count == count + 16)
      #expect(cipher.open(sealed, nonce: nonce, associatedData: "a".utf8) == text)
    }
  }

  /// NIST's test case 14 of the mode's first publication, and two texts from WeChat Pay's own tests.
  @Test func `returns the published ciphertexts`() throws {
    let zero = try AES256GCM(key: Secret([UInt8](repeating: 0, count: 32)))
    let sealed = zero.seal(
      [UInt8](repeating: 0, count: 16), nonce: [UInt8](repeating: 0, count: 12), associatedData: [])
    #expect(sealed.hexadecimal == "cea7403d4d606b6e074ec5d3baf39d18" + "d0d1c8a799996bf0265b98b5d48ab919")
    let published = try AES256GCM(key: Secret("a7cde1ZJB1kG2e7VfTs3jQzaWizur8Gb".utf8))
    let message = published.seal("message".utf8, nonce: nonce, associatedData: "associatedData".utf8)
    #expect(Base64.encode(message) == "ulwSiIajGClcvcOYvOQ7+l+0PAbzzwI=")
    let chinese = cipher.seal("你好".utf8, nonce: nonce, associatedData: "".utf8)
    #expect(Base64.encode(chinese) == "QPvmqthqfwSsl9FILieIurrCC1Y26g==")
  }

  /// FIPS 180-4's example.
  @Test func `shares its module with SHA-1, which is that of the standard`() {
    #expect(SHA1.hash("abc".utf8).hexadecimal == "a9993e364706816aba3e25717850c26c9cd0d89d")
    #expect(SHA1.hash([]).hexadecimal == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
  }
}
