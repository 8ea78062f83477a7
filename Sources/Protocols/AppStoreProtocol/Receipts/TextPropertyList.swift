/// A property list in NeXTSTEP's text form: one dictionary with text values. A transaction receipt of iOS 6 consists of
/// two, one inside the other.
///
/// Nested lists, data and dictionaries are errors, and so is a duplicate key: one reader would take the first value and
/// another the last.
package enum TextPropertyList {
  /// The maximum of keys; receipts have 20.
  static let keysMax = 256

  /// The texts by key; nil for any other form.
  package static func read(_ bytes: [UInt8]) -> [String: String]? {
    var reader = Reader(bytes: bytes)
    return reader.dictionary()
  }

  private struct Reader {
    let bytes: [UInt8]
    var position = 0

    mutating func dictionary() -> [String: String]? {
      var entries: [String: String] = [:]
      guard take(0x7B) else { return nil }
      while !take(0x7D) {
        guard entries.count < keysMax, let key = text(), take(0x3D), let value = text(), take(0x3B),
          entries.updateValue(value, forKey: key) == nil
        else { return nil }
      }
      skipSpace()
      return position == bytes.count ? entries : nil
    }

    private mutating func skipSpace() {
      while position < bytes.count, bytes[position] == 0x20 || (0x09...0x0D).contains(bytes[position]) {
        position += 1
      }
    }

    private mutating func take(_ character: UInt8) -> Bool {
      skipSpace()
      guard position < bytes.count, bytes[position] == character else { return false }
      position += 1
      return true
    }

    /// A quoted text, or an unquoted text of letters, digits and a few signs.
    private mutating func text() -> String? {
      guard take(0x22) else { return bare() }
      var content: [UInt8] = []
      while position < bytes.count {
        let byte = bytes[position]
        position += 1
        switch byte {
        case 0x22: return Self.valid(content)
        case 0x5C:
          guard let escaped = escape() else { return nil }
          content += escaped
        default: content.append(byte)
        }
      }
      return nil
    }

    private mutating func bare() -> String? {
      let start = position
      while position < bytes.count, Self.isBare(bytes[position]) { position += 1 }
      return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
    }

    private static func isBare(_ byte: UInt8) -> Bool {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x24, 0x2F, 0x3A, 0x2E, 0x2D: true
      default: false
      }
    }

    /// An escape: `\"`, `\\`, `\n` and similar, or `\U` with four hexadecimal digits.
    private mutating func escape() -> [UInt8]? {
      guard position < bytes.count else { return nil }
      let byte = bytes[position]
      position += 1
      switch byte {
      case 0x22, 0x27, 0x5C: return [byte]
      case 0x6E: return [0x0A]
      case 0x72: return [0x0D]
      case 0x74: return [0x09]
      case 0x55:
        guard bytes.count - position >= 4 else { return nil }
        let digits = bytes[position..<position + 4]
        position += 4
        guard digits.allSatisfy({ $0 != 0x2B && $0 != 0x2D }),
          let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16), let scalar = Unicode.Scalar(value)
        else { return nil }
        return Array(String(Character(scalar)).utf8)
      default: return nil
      }
    }

    private static func valid(_ bytes: [UInt8]) -> String? {
      let text = String(decoding: bytes, as: UTF8.self)
      // Decoding replaces invalid UTF-8, so the bytes of a replaced text differ.
      return text.utf8.elementsEqual(bytes) ? text : nil
    }
  }
}
