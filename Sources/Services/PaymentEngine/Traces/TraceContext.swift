package import HTTPMessages
import PaymentPrimitives

/// The span of another program that a request belongs to: the fields `traceparent` and `tracestate` of W3C Trace
/// Context, level 1.
///
/// Every caller can write anything there. What is malformed counts as absent, and never as an error.
package struct TraceContext: Hashable, Sendable {
  package let trace: TraceIdentifier
  package let span: SpanIdentifier
  /// Whether the caller keeps its own spans.
  package let isSampled: Bool
  /// What tracing systems pass on, as received; nil if it is absent or malformed.
  package var state: String?

  package init(trace: TraceIdentifier, span: SpanIdentifier, isSampled: Bool) {
    self.trace = trace
    self.span = span
    self.isSampled = isSampled
  }

  /// The context of a request; nil if it names none, more than one, or a malformed one.
  package init?(_ fields: HTTPFields) {
    let parents = fields.values("traceparent")
    guard parents.count == 1, let context = TraceContext(traceparent: parents[0]) else { return nil }
    self = context
    state = TraceState.text(of: fields.values("tracestate"))
  }

  /// Reads `traceparent`. A version above 0 may have more parts behind the four that are known.
  package init?(traceparent text: String) {
    // Version 0 has 55 bytes. More are taken only from versions that are not known yet, and not without end.
    let bytes = Array(text.utf8.prefix(Self.bytesMax + 1))
    guard (55...Self.bytesMax).contains(bytes.count), bytes[2] == 0x2D, bytes[35] == 0x2D, bytes[52] == 0x2D,
      let version = Self.number(bytes[0..<2]), version != 0xFF,
      bytes.count == 55 || version > 0 && bytes[55] == 0x2D,
      let high = Self.number(bytes[3..<19]), let low = Self.number(bytes[19..<35]),
      let trace = TraceIdentifier(high: high, low: low),
      let span = Self.number(bytes[36..<52]).flatMap({ SpanIdentifier($0) }), let flags = Self.number(bytes[53..<55])
    else { return nil }
    self.init(trace: trace, span: span, isSampled: flags & 1 == 1)
  }

  private static let bytesMax = 512

  /// The `traceparent` of a request that is sent, in version 0.
  package var traceparent: String { "00-\(trace)-\(span)-0\(isSampled ? 1 : 0)" }

  /// A number of hexadecimal digits in lower case; capitals are not allowed.
  private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    var number: UInt64 = 0
    for byte in digits {
      switch byte {
      case 0x30...0x39: number = number << 4 | UInt64(byte - 0x30)
      case 0x61...0x66: number = number << 4 | UInt64(byte - 0x61 + 10)
      default: return nil
      }
    }
    return number
  }
}

/// The field `tracestate`: up to 32 members, each `key=value`, of up to 512 bytes in all.
enum TraceState {
  private static let bytesMax = 512
  private static let membersMax = 32

  /// The text of one or several fields; nil if nothing is in them, or one member is malformed or stands there twice.
  static func text(of fields: [String]) -> String? {
    guard fields.reduce(0, { $0 + $1.utf8.count + 1 }) <= bytesMax + 1 else { return nil }
    var keys: Set<String> = []
    var members: [String] = []
    for part in fields.flatMap({ $0.split(separator: ",") }) {
      let member = trimmed(part.utf8)
      // Empty members are allowed: a list that was put together may have them.
      guard !member.isEmpty else { continue }
      guard let equals = member.firstIndex(of: 0x3D), isKey(member[..<equals]),
        isValue(member[member.index(after: equals)...]),
        keys.insert(String(decoding: member[..<equals], as: UTF8.self)).inserted
      else { return nil }
      members.append(String(decoding: member, as: UTF8.self))
    }
    guard (1...membersMax).contains(members.count) else { return nil }
    return members.joined(separator: ",")
  }

  private static func trimmed(_ bytes: Substring.UTF8View) -> ArraySlice<UInt8> {
    var bytes = Array(bytes)[...]
    while let byte = bytes.first, byte == 0x20 || byte == 0x09 { bytes.removeFirst() }
    while let byte = bytes.last, byte == 0x20 || byte == 0x09 { bytes.removeLast() }
    return bytes
  }

  /// `vendor`, or `tenant@vendor`.
  private static func isKey(_ key: ArraySlice<UInt8>) -> Bool {
    let parts = key.split(separator: 0x40, omittingEmptySubsequences: false)
    switch parts.count {
    case 1: return isName(parts[0], bytesMax: 256, mayBeginWithDigit: false)
    case 2:
      return isName(parts[0], bytesMax: 241, mayBeginWithDigit: true)
        && isName(parts[1], bytesMax: 14, mayBeginWithDigit: false)
    default: return false
    }
  }

  private static func isName(_ name: ArraySlice<UInt8>, bytesMax: Int, mayBeginWithDigit: Bool) -> Bool {
    guard let first = name.first, name.count <= bytesMax,
      (0x61...0x7A).contains(first) || mayBeginWithDigit && (0x30...0x39).contains(first)
    else { return false }
    return name.allSatisfy { byte in
      (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || [0x5F, 0x2D, 0x2A, 0x2F].contains(byte)
    }
  }

  /// Printable ASCII without comma and equals sign, not empty; its end was trimmed.
  private static func isValue(_ value: ArraySlice<UInt8>) -> Bool {
    (1...256).contains(value.count)
      && value.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x2C && $0 != 0x3D }
  }
}
