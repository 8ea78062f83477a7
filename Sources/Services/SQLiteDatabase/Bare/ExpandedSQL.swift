/// Reads the values of a statement from SQLite's expanded text of it.
///
/// The statements of this module mark parameters by bare question marks and contain no others. So text and expanded
/// text are equal up to each of them.
enum ExpandedSQL {
  private static let questionMark = UInt8(ascii: "?")
  private static let quote = UInt8(ascii: "'")

  /// The values, in the order of the question marks.
  static func values(of text: String, in expanded: [UInt8]) -> [RecordedValue] {
    var values: [RecordedValue] = []
    var position = 0
    for byte in text.utf8 {
      if byte == questionMark {
        values.append(value(in: expanded, at: &position))
      } else {
        precondition(position < expanded.count && expanded[position] == byte, "SQLite changes nothing but parameters")
        position += 1
      }
    }
    precondition(position == expanded.count, "nothing follows the last parameter but the rest of the text")
    return values
  }

  /// A literal as SQLite writes it: `NULL`, `x'00ff'`, `'it''s'` or a whole number. A database about money contains no
  /// other kind.
  private static func value(in bytes: [UInt8], at position: inout Int) -> RecordedValue {
    switch bytes[position] {
    case UInt8(ascii: "N"):
      position += 4
      return .null
    case UInt8(ascii: "x"):
      position += 1
      return .blob(hexadecimal(quoted(in: bytes, at: &position)))
    case quote: return .text(quoted(in: bytes, at: &position))
    default: return .integer(integer(in: bytes, at: &position))
    }
  }

  private static func quoted(in bytes: [UInt8], at position: inout Int) -> [UInt8] {
    position += 1
    var content: [UInt8] = []
    while position < bytes.count {
      if bytes[position] == quote {
        position += 1
        // A quote that is part of the text is written twice.
        guard position < bytes.count, bytes[position] == quote else { break }
      }
      content.append(bytes[position])
      position += 1
    }
    return content
  }

  private static func hexadecimal(_ digits: [UInt8]) -> [UInt8] {
    stride(from: 0, to: digits.count, by: 2).compactMap { start in
      UInt8(String(decoding: digits[start..<start + 2], as: UTF8.self), radix: 16)
    }
  }

  private static func integer(in bytes: [UInt8], at position: inout Int) -> Int64 {
    let start = position
    while position < bytes.count, bytes[position] == UInt8(ascii: "-") || (0x30...0x39).contains(bytes[position]) {
      position += 1
    }
    guard let number = Int64(String(decoding: bytes[start..<position], as: UTF8.self)) else {
      preconditionFailure("the database knows no number but whole ones")
    }
    return number
  }
}
