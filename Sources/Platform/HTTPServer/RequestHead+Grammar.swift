import PaymentPrimitives

/// The lines of a head: each ends with CR LF, the last is empty.
struct HeadLines {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  /// The next line without its end; nil for the empty line.
  mutating func next() throws(CodedError<HTTPServerErrorCode>) -> ArraySlice<UInt8>? {
    let start = position
    while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      case 0x0D:
        guard position + 1 < bytes.count, bytes[position + 1] == 0x0A else {
          throw CodedError(.malformed, "A carriage return stands alone.")
        }
        let line = bytes[start..<position]
        position += 2
        return line.isEmpty ? nil : line
      case 0x09, 0x20...0x7E, 0x80...0xFF: position += 1
      default: throw CodedError(.malformed, "A line feed or another control character stands alone.")
      }
    }
    throw CodedError(.malformed, "The head does not end with an empty line.")
  }
}

extension RequestHead {
  /// RFC 9110 §5.6.2: one or more of the characters allowed in names.
  static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy(isPartOfToken)
  }

  static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  static func isPartOfToken(_ byte: UInt8) -> Bool {
    switch byte {
    // ! # $ % & ' * + - . ^ _ ` | ~
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }

  /// Letters, digits and `-.:[]_~`: names, addresses of both families, a port. Not `@`, `/` or `,`, because other
  /// readers split at them.
  static func isPartOfHost(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x2D, 0x2E, 0x3A, 0x5B, 0x5D, 0x5F, 0x7E: true
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }

  /// The bytes without the spaces and tabs around them.
  static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var bytes = bytes
    while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
    while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
    return bytes
  }
}
