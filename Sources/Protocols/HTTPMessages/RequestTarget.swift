/// Path and query of a request, split and percent-decoded.
public struct RequestTarget: Hashable, Sendable {
  /// The segments of the path; `/v1/orders/` is `["v1", "orders"]`.
  public let path: [String]
  /// Names and values of the query, in their order.
  public let query: [QueryItem]

  /// One `name=value` of a query.
  public struct QueryItem: Hashable, Sendable {
    /// The name.
    public let name: String
    /// The value; empty when there was no `=`.
    public let value: String
  }

  /// Splits a target of the form `/path?query`. Nil for any other form, for more than 4,096 bytes, a broken escape, an
  /// escaped NUL, a `.` or `..` segment, or bytes that are not UTF-8. An escaped `/` belongs to its segment and
  /// separates nothing.
  public init?(_ target: String) {
    guard target.utf8.first == 0x2F, target.utf8.count <= 4096 else { return nil }
    let parts = target.utf8.split(separator: 0x3F, maxSplits: 1, omittingEmptySubsequences: false)
    var path: [String] = []
    for segment in parts[0].split(separator: 0x2F) {
      guard let text = Self.decode(segment, plusIsSpace: false), text != ".", text != "..",
        !text.utf8.contains(0)
      else { return nil }
      path.append(text)
    }
    var query: [QueryItem] = []
    for item in parts.count > 1 ? parts[1].split(separator: 0x26) : [] {
      let pair = item.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Self.decode(pair[0], plusIsSpace: true),
        let value = pair.count > 1 ? Self.decode(pair[1], plusIsSpace: true) : ""
      else { return nil }
      query.append(QueryItem(name: name, value: value))
    }
    self.path = path
    self.query = query
  }

  /// The value of the first query item with that name.
  public subscript(_ name: String) -> String? { query.first { $0.name == name }?.value }

  /// The text with everything except letters, digits and `-._~` escaped, for a path segment or a query value.
  public static func encode(_ text: String) -> String {
    var output: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: output.append(byte)
      default:
        let digits = Array("0123456789ABCDEF".utf8)
        output += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static func decode(_ bytes: Substring.UTF8View, plusIsSpace: Bool) -> String? {
    var output: [UInt8] = []
    var iterator = bytes.makeIterator()
    while let byte = iterator.next() {
      switch byte {
      case 0x25:
        guard let high = iterator.next().flatMap(hexadecimal),
          let low = iterator.next().flatMap(hexadecimal)
        else { return nil }
        output.append(high << 4 | low)
      case 0x2B where plusIsSpace: output.append(0x20)
      default: output.append(byte)
      }
    }
    let text = String(decoding: output, as: UTF8.self)
    return text.utf8.elementsEqual(output) ? text : nil
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
