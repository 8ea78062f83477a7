// Texts and numbers: JSON readers differ from each other in these two places, so one signed text can mean two things.
// Both follow RFC 8259 exactly.

extension JSONScanner {
  /// The digits of a number: `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`, at most 64 characters.
  mutating func number() throws(Failure) -> String {
    let start = position
    if peek() == 0x2D { position += 1 }
    if peek() == 0x30 {
      position += 1
    } else {
      try digits(from: start)
    }
    if peek() == 0x2E {
      position += 1
      try digits(from: start)
    }
    if let exponent = peek(), exponent == 0x65 || exponent == 0x45 {
      position += 1
      if let sign = peek(), sign == 0x2B || sign == 0x2D { position += 1 }
      try digits(from: start)
    }
    if let next = peek(), (0x30...0x39).contains(next) { throw Failure(.malformedNumber, start) }
    guard position - start <= 64 else { throw Failure(.malformedNumber, start) }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func digits(from start: Int) throws(Failure) {
    let first = position
    while let byte = peek(), (0x30...0x39).contains(byte) { position += 1 }
    guard position > first else {
      throw Failure(position == bytes.count ? .unexpectedEnd : .malformedNumber, start)
    }
  }

  /// The text between two quotes; `position` is at the first of them.
  mutating func string() throws(Failure) -> String {
    position += 1
    let start = position
    // Most texts have no escape: they are copied in one piece.
    var isASCII = skipPlainText()
    guard let stop = peek() else { throw Failure(.unexpectedEnd, position) }
    if stop == 0x22 {
      let text = try utf8(UnsafeBufferPointer(rebasing: bytes[start..<position]), isASCII, at: start)
      position += 1
      return text
    }
    var unescaped = Array(bytes[start..<position])
    while let byte = peek(), byte != 0x22 {
      if byte == 0x5C {
        try escape(into: &unescaped)
        isASCII = false
      } else {
        guard byte >= 0x20 else { throw Failure(.malformedString, position) }
        let piece = position
        if !skipPlainText() { isASCII = false }
        unescaped.append(contentsOf: bytes[piece..<position])
      }
    }
    guard peek() != nil else { throw Failure(.unexpectedEnd, position) }
    position += 1
    return try unescaped.withUnsafeBufferPointer { buffer throws(Failure) in
      try utf8(buffer, isASCII, at: start)
    }
  }

  /// Moves to the next quote, backslash or control character; returns whether all before it was ASCII.
  ///
  /// Certificates and nested tokens are texts of thousands of characters, so one step checks eight. A byte is below n
  /// exactly if subtracting n borrows into its highest bit. It is equal to c exactly if it is below 1 after XOR with
  /// c.
  private mutating func skipPlainText() -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let high = ones &* 0x80
    let text = UnsafeRawBufferPointer(bytes)
    var position = position
    var isASCII = true
    while position + 8 <= text.count {
      let word = text.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      let quote = word ^ (ones &* 0x22)
      let backslash = word ^ (ones &* 0x5C)
      let control = (word &- ones &* 0x20) & ~word
      let stops = (control | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash) & high
      // A byte of 0x80 or more can hide a later stop from the subtraction; the slow loop below finds every stop.
      if (stops | word & high) != 0 { break }
      position += 8
    }
    while position < text.count {
      let byte = text[position]
      if byte == 0x22 || byte == 0x5C || byte < 0x20 { break }
      if byte >= 0x80 { isASCII = false }
      position += 1
    }
    self.position = position
    return isASCII
  }

  private func utf8(
    _ text: UnsafeBufferPointer<UInt8>, _ isASCII: Bool, at start: Int
  ) throws(Failure) -> String {
    // Decoding replaces bytes that are not UTF-8, so a replaced text differs from its bytes. (`String(validating:)` is
    // not available on the older systems that the client library supports.)
    let string = String(decoding: text, as: UTF8.self)
    guard isASCII || string.utf8.elementsEqual(text) else { throw Failure(.notUTF8, start) }
    return string
  }

  private mutating func escape(into output: inout [UInt8]) throws(Failure) {
    let start = position
    position += 1
    guard let kind = peek() else { throw Failure(.unexpectedEnd, position) }
    position += 1
    switch kind {
    case 0x22, 0x5C, 0x2F: output.append(kind)
    case 0x62: output.append(0x08)
    case 0x66: output.append(0x0C)
    case 0x6E: output.append(0x0A)
    case 0x72: output.append(0x0D)
    case 0x74: output.append(0x09)
    case 0x75: output.append(contentsOf: Array(String(try escapedScalar(from: start)).utf8))
    default: throw Failure(.malformedString, start)
    }
  }

  /// A character given as `\uXXXX`, or as two of them in a surrogate pair; a lone surrogate is an error.
  private mutating func escapedScalar(from start: Int) throws(Failure) -> Character {
    let unit = try fourDigits(from: start)
    var code = UInt32(unit)
    if (0xD800..<0xDC00).contains(unit) {
      guard peek() == 0x5C, position + 1 < bytes.count, bytes[position + 1] == 0x75 else {
        throw Failure(.malformedString, start)
      }
      position += 2
      let second = try fourDigits(from: start)
      guard (0xDC00..<0xE000).contains(second) else { throw Failure(.malformedString, start) }
      code = 0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(code) else { throw Failure(.malformedString, start) }
    guard code != 0 || limits.allowsNullCharacter else { throw Failure(.nullCharacter, start) }
    return Character(scalar)
  }

  private mutating func fourDigits(from start: Int) throws(Failure) -> UInt16 {
    var value: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = peek() else { throw Failure(.unexpectedEnd, position) }
      switch byte {
      case 0x30...0x39: value = value << 4 | UInt16(byte - 0x30)
      case 0x41...0x46: value = value << 4 | UInt16(byte - 0x41 + 10)
      case 0x61...0x66: value = value << 4 | UInt16(byte - 0x61 + 10)
      default: throw Failure(.malformedString, start)
      }
      position += 1
    }
    return value
  }
}
