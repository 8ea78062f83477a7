extension Collection where Element == UInt8 {
  /// The bytes as lower-case hexadecimal digits, two for each.
  package var hexadecimal: String {
    String(unsafeUninitializedCapacity: count * 2) { text in
      var position = 0
      for byte in self {
        text[position] = hexadecimalDigits[Int(byte >> 4)]
        text[position + 1] = hexadecimalDigits[Int(byte & 15)]
        position += 2
      }
      return position
    }
  }
}

private let hexadecimalDigits = Array("0123456789abcdef".utf8)
