import Cryptography
import PaymentPrimitives
import Testing

@Suite struct `The Base64 codec` {
  @Test(arguments: [
    "Zg", "Zg=", "Zg===", "Z===", "=", "====", "Zm9v=", "Z=g=", "Zg==Zg==", "Zm 9v", "Zm9v\n", "Zm9-", "Zm9_",
    "Zm9vé", "Zh==", "Zm9=", "Zv//==", "\u{0}m9v",
  ]) func `refuses a text that encoding never produces`(_ text: String) {
    #expect(Base64.decode(text) == nil)
  }

  /// RFC 4648 §10.
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ]) func `is that of RFC 4648`(_ text: String, _ encoded: String) {
    #expect(Base64.encode(text.utf8) == encoded)
    #expect(Base64.decode(encoded) == Array(text.utf8))
    let unpadded = encoded.filter { $0 != "=" }
    #expect(Base64URL.encode(text.utf8) == unpadded)
    #expect(Base64URL.decode(unpadded) == Array(text.utf8))
  }

  @Test func `decodes every encoded sequence of bytes, of every length`() {
    for length in 0..<200 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: ($0 &* 197) &+ length &* 31) }
      #expect(Base64.decode(Base64.encode(bytes)) == bytes)
      #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
    }
  }

  @Test func `has only one text for each sequence of bytes`() {
    // Every text of three characters: exactly those decode that encoding produces.
    let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var decoded = 0
    for a in characters {
      for b in characters {
        for c in characters {
          guard let bytes = Base64URL.decode([a, b, c]) else { continue }
          decoded += 1
          #expect(Base64URL.encode(bytes).utf8.elementsEqual([a, b, c]))
        }
      }
    }
    #expect(decoded == 65536)
  }
}

@Suite struct `The Base64 codec for URLs` {
  @Test(arguments: ["Zg==", "Zm8=", "Z", "Zm9vY", "Zm+v", "Zm/v", "Zh", "Zm9", "Zm9v.", "Zm 9", "Zm9v\n"])
  func `refuses padding, the other alphabet and spare bits`(_ text: String) {
    #expect(Base64URL.decode(text) == nil)
  }

  @Test func `refuses each byte outside its alphabet`() {
    let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    for byte in UInt8.min...UInt8.max {
      for place in 0..<4 {
        var text = Array("AAAA".utf8)
        text[place] = byte
        #expect((Base64URL.decode(text) != nil) == alphabet.contains(byte))
      }
    }
  }
}

@Suite struct `The PEM reader` {
  @Test(arguments: [
    ("-----BEGIN A-----\nZg==", "does not end"), ("-----END A-----\n", "did not begin"),
    ("-----BEGIN A-----\n-----BEGIN B-----\n", "begins within"),
    ("-----BEGIN A-----\nZg=\n-----END A-----", "not Base64"),
    ("-----BEGIN A-----\nZg==\n-----END B-----", "did not begin"),
    ("-----BEGIN A-----\nProc-Type: 4,ENCRYPTED\n\nZg==\n-----END A-----", "not Base64"),
  ]) func `refuses an incomplete block`(_ text: String, _ reason: String) {
    let error = #expect(throws: CodedError<CryptographyErrorCode>.self) { try PEM.blocks(in: text) }
    #expect(error?.code == .malformedPEM)
    #expect(error?.details.contains(reason) == true)
  }

  @Test func `refuses a text of more than a mebibyte`() {
    #expect(throws: CodedError<CryptographyErrorCode>(.malformedPEM)) {
      try PEM.blocks(in: String(repeating: "\n", count: 1 << 20 + 1))
    }
  }

  @Test func `returns blocks in their order, whatever is between them`() throws {
    let text =
      "words\r\n-----BEGIN A B-----\r\nZm9v\r\nYmFy \r\n-----END A B-----\r\nmore\n-----BEGIN C-----\n\n-----END C-----"
    let blocks = try PEM.blocks(in: text)
    #expect(blocks.map(\.label) == ["A B", "C"])
    #expect(blocks.map { $0.bytes.withBytes { Array($0) } } == [Array("foobar".utf8), []])
  }

  @Test func `reads what its writer writes, in lines of 64`() throws {
    let bytes = (0..<100).map { UInt8($0) }
    let text = PEM.text(label: "TEST", bytes: bytes)
    #expect(text.split(separator: "\n").map(\.count).max() == 64)
    #expect(try PEM.blocks(in: text)[0].bytes == Secret(bytes))
  }
}
