/// Base64 with padding (RFC 4648 §4), read strictly: each sequence of bytes has exactly one text.
///
/// White space, missing padding and unused bits that are not zero are errors. Two texts for the same bytes would be
/// two keys for one object (a known chain, a token that was seen).
package enum Base64 {
  /// The text for these bytes.
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    Base64Alphabet.standard.encode(bytes)
  }

  /// Decodes a text; nil unless `encode` gives exactly this text for the bytes.
  package static func decode(_ text: String) -> [UInt8]? { decode(text.utf8) }

  /// Decodes an ASCII text; nil unless `encode` gives exactly this text for the bytes.
  package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
    withBytes(of: text) { text in
      guard text.count % 4 == 0 else { return nil }
      var length = text.count
      while length > 0, text.count - length < 2, text[length - 1] == 0x3D { length -= 1 }
      return Base64Alphabet.standard.decode(UnsafeRawBufferPointer(rebasing: text[..<length]))
    }
  }
}

/// Base64 for URLs and tokens, without padding (RFC 4648 §5, RFC 7515 §2), read as strictly as `Base64`.
package enum Base64URL {
  /// The text for these bytes.
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    Base64Alphabet.url.encode(bytes)
  }

  /// Decodes a text; nil unless `encode` gives exactly this text for the bytes.
  package static func decode(_ text: String) -> [UInt8]? { decode(text.utf8) }

  /// Decodes an ASCII text; nil unless `encode` gives exactly this text for the bytes.
  package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
    withBytes(of: text) { Base64Alphabet.url.decode($0) }
  }

  /// Decodes an ASCII text in memory; nil unless `encode` gives exactly this text for the bytes.
  package static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    Base64Alphabet.url.decode(text)
  }
}

/// The 64 characters and, for each byte, its six-bit value.
private struct Base64Alphabet: Sendable {
  static let standard = Base64Alphabet(last: "+/", isPadded: true)
  static let url = Base64Alphabet(last: "-_", isPadded: false)

  private static let none: UInt8 = 0xFF
  private let characters: [UInt8]
  private let values: [UInt8]
  private let isPadded: Bool

  private init(last: String, isPadded: Bool) {
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    characters = Array((digits + last).utf8)
    var values = [UInt8](repeating: Self.none, count: 256)
    for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
    self.values = values
    self.isPadded = isPadded
  }

  func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    let rest = text.count % 4
    guard rest != 1, let input = text.baseAddress else { return text.isEmpty ? [] : nil }
    let whole = text.count - rest
    var isSound = true
    let output = values.withUnsafeBufferPointer { table in
      [UInt8](unsafeUninitializedCapacity: whole / 4 * 3 + 2) { buffer, count in
        guard let values = table.baseAddress, let output = buffer.baseAddress else { return }
        // A character outside the alphabet sets high bits here; they are checked once for the whole text.
        var seen: UInt8 = 0
        var position = 0
        while position < whole {
          let a = values[Int(input.load(fromByteOffset: position, as: UInt8.self))]
          let b = values[Int(input.load(fromByteOffset: position + 1, as: UInt8.self))]
          let c = values[Int(input.load(fromByteOffset: position + 2, as: UInt8.self))]
          let d = values[Int(input.load(fromByteOffset: position + 3, as: UInt8.self))]
          seen |= a | b | c | d
          output[count] = a << 2 | b >> 4
          output[count + 1] = b << 4 | c >> 2
          output[count + 2] = c << 6 | d
          count += 3
          position += 4
        }
        if rest > 0 {
          let a = values[Int(input.load(fromByteOffset: whole, as: UInt8.self))]
          let b = values[Int(input.load(fromByteOffset: whole + 1, as: UInt8.self))]
          let c = rest == 3 ? values[Int(input.load(fromByteOffset: whole + 2, as: UInt8.self))] : 0
          seen |= a | b | c
          output[count] = a << 2 | b >> 4
          output[count + 1] = b << 4 | c >> 2
          // Bits after the last whole byte must be zero, otherwise another text has the same bytes.
          if (rest == 2 ? b << 4 : c << 6) != 0 { seen = Self.none }
          count += rest - 1
        }
        isSound = seen < 64
      }
    }
    return isSound ? output : nil
  }

  func encode(_ bytes: some Sequence<UInt8>) -> String {
    withBytes(of: bytes) { input in
      var output: [UInt8] = []
      output.reserveCapacity((input.count + 2) / 3 * 4)
      var position = 0
      while position < input.count {
        let a = input[position]
        let b = position + 1 < input.count ? input[position + 1] : 0
        let c = position + 2 < input.count ? input[position + 2] : 0
        output.append(characters[Int(a >> 2)])
        output.append(characters[Int((a & 3) << 4 | b >> 4)])
        if position + 1 < input.count { output.append(characters[Int((b & 15) << 2 | c >> 6)]) }
        if position + 2 < input.count { output.append(characters[Int(c & 63)]) }
        position += 3
      }
      while isPadded, output.count % 4 != 0 { output.append(0x3D) }
      return String(decoding: output, as: UTF8.self)
    }
  }
}
