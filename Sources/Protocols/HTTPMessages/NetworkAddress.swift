/// An address of the Internet Protocol. IPv4 addresses are kept in their IPv6 form (`::ffff:192.0.2.1`), so that one
/// address has one value in any notation.
public struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
  /// The first 64 bits.
  let high: UInt64
  /// The last 64 bits.
  let low: UInt64

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// An address from its 4 or 16 bytes, the highest first; nil for any other count.
  public init?(bytes: [UInt8]) {
    func number(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
    switch bytes.count {
    case 4: self.init(high: 0, low: 0xFFFF << 32 | number(bytes[...]))
    case 16: self.init(high: number(bytes[..<8]), low: number(bytes[8...]))
    default: return nil
    }
  }

  /// An address from its usual text, `192.0.2.1` or `2001:db8::1`; nil for any other text. That includes short, octal
  /// and padded forms, ports, brackets and zones.
  public init?(_ text: some StringProtocol) {
    let text = text.utf8
    guard (2...45).contains(text.count) else { return nil }
    if text.contains(0x3A) {
      guard let bytes = Self.bytes6(Array(text)) else { return nil }
      self.init(bytes: bytes)
    } else {
      guard let bytes = Self.bytes4(Array(text)[...]) else { return nil }
      self.init(bytes: bytes)
    }
  }

  /// The address of the other end of a connection, in a socket's notation; a zone (`fe80::1%eth0`) is ignored.
  public init?(peer text: String) {
    self.init(text.prefix { $0 != "%" })
  }

  /// Whether it is an IPv4 address.
  public var isVersion4: Bool { high == 0 && low >> 32 == 0xFFFF }

  /// The 16 bytes, the highest first.
  public var bytes: [UInt8] {
    [high, low].flatMap { half in stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> $0) } }
  }

  /// The unit for rate limits: the full IPv4 address, or the first 64 bits of IPv6, which belong to one customer.
  public var network: NetworkAddress { isVersion4 ? self : NetworkAddress(high: high, low: 0) }

  /// Whether it is a loopback address of this machine (127.0.0.0/8, ::1).
  public var isLoopback: Bool { isVersion4 ? UInt8(truncatingIfNeeded: low >> 24) == 127 : high == 0 && low == 1 }

  /// The canonical text (RFC 5952); IPv4 addresses with dots.
  public var description: String {
    if isVersion4 { return "\(low >> 24 & 255).\(low >> 16 & 255).\(low >> 8 & 255).\(low & 255)" }
    let bytes = bytes
    let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    func text(_ part: ArraySlice<UInt16>) -> String { part.map { String($0, radix: 16) }.joined(separator: ":") }
    guard let zeros = Self.longestZeros(groups) else { return text(groups[...]) }
    return text(groups[..<zeros.lowerBound]) + "::" + text(groups[zeros.upperBound...])
  }

  /// The first of the longest runs of at least two zero groups.
  private static func longestZeros(_ groups: [UInt16]) -> Range<Int>? {
    var longest: Range<Int>?
    var start = 0
    for index in 0...groups.count where index == groups.count || groups[index] != 0 {
      if index - start >= max(2, (longest?.count ?? 1) + 1) { longest = start..<index }
      start = index + 1
    }
    return longest
  }

  private static func bytes4(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    let parts = text.split(separator: 0x2E, omittingEmptySubsequences: false)
    let bytes = parts.compactMap { part -> UInt8? in
      guard (1...3).contains(part.count), part.allSatisfy({ (0x30...0x39).contains($0) }),
        part.count == 1 || part.first != 0x30
      else { return nil }
      return UInt8(String(decoding: part, as: UTF8.self))
    }
    return parts.count == 4 && bytes.count == 4 ? bytes : nil
  }

  private static func bytes6(_ text: [UInt8]) -> [UInt8]? {
    // A `::` stands for at least one zero group.
    let gap = text.indices.dropLast().first { text[$0] == 0x3A && text[$0 + 1] == 0x3A }
    guard let gap else { return groups(text[...]).flatMap { $0.count == 16 ? $0 : nil } }
    guard let head = groups(text[..<gap]), let tail = groups(text[(gap + 2)...]), head.count + tail.count <= 14,
      !text[..<gap].contains(0x2E)
    else { return nil }
    return head + Array(repeating: 0, count: 16 - head.count - tail.count) + tail
  }

  /// Groups of hexadecimal digits between colons; the last may be an IPv4 address.
  private static func groups(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    guard !text.isEmpty else { return [] }
    let parts = text.split(separator: 0x3A, omittingEmptySubsequences: false)
    var bytes: [UInt8] = []
    for (index, part) in parts.enumerated() {
      if index == parts.count - 1, part.contains(0x2E) {
        guard let last = bytes4(part) else { return nil }
        bytes += last
      } else {
        guard (1...4).contains(part.count), part.allSatisfy(isHexadecimal),
          let group = UInt16(String(decoding: part, as: UTF8.self), radix: 16)
        else { return nil }
        bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
      }
    }
    return bytes.count <= 16 ? bytes : nil
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
    default: false
    }
  }
}
