extension JSONValue {
  /// The value as compact JSON text, members in their order: the same value always gives the same bytes.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The value as compact JSON, UTF-8.
  public var bytes: [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(256)
    write(to: &output)
    return output
  }

  func write(to output: inout [UInt8]) {
    switch self {
    case .null: output.append(contentsOf: "null".utf8)
    case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
    case .number(let digits): output.append(contentsOf: digits.utf8)
    case .string(let text): Self.write(text, to: &output)
    case .array(let items):
      output.append(0x5B)
      for (index, item) in items.enumerated() {
        if index > 0 { output.append(0x2C) }
        item.write(to: &output)
      }
      output.append(0x5D)
    case .object(let members):
      output.append(0x7B)
      for (index, member) in members.enumerated() {
        if index > 0 { output.append(0x2C) }
        Self.write(member.name, to: &output)
        output.append(0x3A)
        member.value.write(to: &output)
      }
      output.append(0x7D)
    }
  }

  static func write(_ text: String, to output: inout [UInt8]) {
    output.append(0x22)
    var text = text
    text.withUTF8 { text in
      // Nearly all texts contain nothing to escape.
      if text.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C && $0 != 0x7F }) {
        output.append(contentsOf: text)
      } else {
        writeEscaped(text, to: &output)
      }
    }
    output.append(0x22)
  }

  private static func writeEscaped(_ text: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    for byte in text {
      switch byte {
      case 0x22: output.append(contentsOf: [0x5C, 0x22])
      case 0x5C: output.append(contentsOf: [0x5C, 0x5C])
      case 0x0A: output.append(contentsOf: [0x5C, 0x6E])
      case 0x0D: output.append(contentsOf: [0x5C, 0x72])
      case 0x09: output.append(contentsOf: [0x5C, 0x74])
      case 0x00..<0x20, 0x7F:
        output.append(contentsOf: "\\u00".utf8)
        output.append(hexadecimalDigits[Int(byte >> 4)])
        output.append(hexadecimalDigits[Int(byte & 15)])
      default: output.append(byte)
      }
    }
  }

  private static let hexadecimalDigits = Array("0123456789abcdef".utf8)
}
