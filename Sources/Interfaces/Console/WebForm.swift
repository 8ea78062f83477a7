package import HTTPMessages

/// The fields of a form that a browser has sent (`application/x-www-form-urlencoded`).
package struct WebForm {
  /// A reason of 1,000 characters takes up to 12,000 bytes in this encoding.
  static let bytesMax = 32 << 10
  /// More fields than any form here has.
  private static let fieldsMax = 32

  private let fields: [String: String]

  /// Nil if the request has no such body, or one that cannot be read.
  package init?(_ request: HTTPRequest) {
    let type = request.fields["Content-Type"]?.lowercased().split(separator: ";").first
    guard type == "application/x-www-form-urlencoded", request.body.count <= Self.bytesMax else { return nil }
    var fields: [String: String] = [:]
    for pair in request.body.split(separator: 0x26) {
      let parts = pair.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Self.decoded(parts[0]), let value = parts.count == 2 ? Self.decoded(parts[1]) : "",
        fields[name] == nil, fields.count < Self.fieldsMax
      else { return nil }
      fields[name] = value
    }
    self.fields = fields
  }

  /// The value of a field, without white space around it; nil if it is missing or empty.
  package subscript(_ name: String) -> String? {
    guard let value = fields[name] else { return nil }
    let scalars = value.unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return nil }
    return String(scalars[first...last])
  }

  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
    var output: [UInt8] = []
    var index = bytes.startIndex
    while index < bytes.endIndex {
      switch bytes[index] {
      case 0x2B: output.append(0x20)
      case 0x25:
        guard index + 2 < bytes.endIndex, let high = digit(bytes[index + 1]), let low = digit(bytes[index + 2]) else {
          return nil
        }
        output.append(high << 4 | low)
        index += 2
      case let byte: output.append(byte)
      }
      index += 1
    }
    guard let text = String(validating: output, as: UTF8.self), !text.utf8.contains(0) else { return nil }
    return text
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}
