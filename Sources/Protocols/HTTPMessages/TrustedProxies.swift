/// The proxies that the server trusts for forwarded client addresses, and the field that carries these addresses.
public struct TrustedProxies: Hashable, Sendable {
  /// The field in which a proxy forwards the client's address.
  public enum Header: String, Hashable, CaseIterable, Sendable {
    /// A list of addresses; each proxy appends the address of its own client.
    case xForwardedFor = "X-Forwarded-For"
    /// The same in the form of RFC 7239.
    case forwarded = "Forwarded"
  }

  /// The addresses of the proxies.
  public var blocks: [AddressBlock]
  /// The field that the proxies write. The other field is never read: proxies forward fields that they do not know.
  public var header: Header

  /// Trusted proxies; default: none.
  public init(_ blocks: [AddressBlock] = [], header: Header = .xForwardedFor) {
    self.blocks = blocks
    self.header = header
  }

  /// Bound on the hops that are read: more than any real chain of proxies.
  static let hopsMax = 16

  /// Whether an address is one of the proxies.
  public func contains(_ address: NetworkAddress) -> Bool { blocks.contains { $0.contains(address) } }

  /// The client's address: the nearest address in the chain, read from the right, that is not a trusted proxy. If all
  /// of them are proxies, it is the farthest. An entry that is not an address ends the chain: its left side may be
  /// forged.
  ///
  /// - Parameter peer: the sender of the request. If it is not a trusted proxy, it is the client.
  public func client(behind peer: NetworkAddress, _ fields: HTTPFields) -> NetworkAddress {
    guard contains(peer) else { return peer }
    var farthest = peer
    for hop in Self.hops(fields, header) {
      guard let hop else { return peer }
      farthest = hop
      if !contains(hop) { return hop }
    }
    return farthest
  }

  /// The hops from the right; nil for an entry that is not an address. The chain ends there.
  private static func hops(_ fields: HTTPFields, _ header: Header) -> [NetworkAddress?] {
    var hops: [NetworkAddress?] = []
    for value in fields.values(header.rawValue).reversed() {
      let bytes = Array(value.utf8)
      var end = bytes.count
      while end >= 0, hops.count < hopsMax {
        let start = header == .forwarded ? elementStart(bytes, before: end) : listStart(bytes, before: end)
        let part = bytes[start..<end]
        let hop = header == .forwarded ? ForwardedElement.client(part) : node(part)
        hops.append(hop)
        if hop == nil { return hops }
        end = start - 1
      }
    }
    return hops
  }

  /// The start of the last element of a list that ends at `end`.
  private static func listStart(_ bytes: [UInt8], before end: Int) -> Int {
    (bytes[..<end].lastIndex(of: 0x2C) ?? -1) + 1
  }

  /// The start of the last element of a list in which a comma may be quoted. It is read from the right: an open quote
  /// in the client's part cannot hide an element that the trusted proxy added after it.
  private static func elementStart(_ bytes: [UInt8], before end: Int) -> Int {
    var index = end
    var isQuoted = false
    while index > 0 {
      let byte = bytes[index - 1]
      if byte == 0x22, !isQuoted || !isEscaped(bytes, index - 1) { isQuoted.toggle() }
      if byte == 0x2C, !isQuoted { return index }
      index -= 1
    }
    return 0
  }

  private static func isEscaped(_ bytes: [UInt8], _ index: Int) -> Bool {
    let slashes = bytes[..<index].reversed().prefix { $0 == 0x5C }.count
    return slashes % 2 == 1
  }

  /// An address with an optional port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. A client with many ports is one client.
  static func node(_ part: ArraySlice<UInt8>) -> NetworkAddress? {
    let text = part.trimmed
    guard (2...64).contains(text.count) else { return nil }
    if text.first == 0x5B {
      guard let end = text.firstIndex(of: 0x5D), isPort(text[(end + 1)...]), text.contains(0x3A) else { return nil }
      return NetworkAddress(String(decoding: text[(text.startIndex + 1)..<end], as: UTF8.self))
    }
    let colons = text.count { $0 == 0x3A }
    guard colons == 1, let colon = text.firstIndex(of: 0x3A) else {
      return NetworkAddress(String(decoding: text, as: UTF8.self))
    }
    guard isPort(text[colon...]) else { return nil }
    return NetworkAddress(String(decoding: text[..<colon], as: UTF8.self))
  }

  private static func isPort(_ text: ArraySlice<UInt8>) -> Bool {
    text.isEmpty
      || text.first == 0x3A && (2...6).contains(text.count)
        && text.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
  }
}

/// One element of `Forwarded`: `for="[2001:db8::1]:4711";proto=https;by=203.0.113.43`.
enum ForwardedElement {
  /// Its `for`. Nil if it is missing, if it is not an address (`unknown`, `_hidden`), or if the element breaks the
  /// grammar.
  static func client(_ bytes: ArraySlice<UInt8>) -> NetworkAddress? {
    var client: NetworkAddress?
    var names: Set<String> = []
    var rest = bytes.trimmed
    while !rest.isEmpty {
      guard let equals = rest.firstIndex(of: 0x3D), rest[..<equals].allSatisfy(isTokenByte), equals > rest.startIndex
      else { return nil }
      let name = String(decoding: rest[..<equals], as: UTF8.self).lowercased()
      guard names.insert(name).inserted, let (value, after) = value(rest[(equals + 1)...]) else { return nil }
      if name == "for" { client = TrustedProxies.node(value[...]) }
      rest = after.trimmed
      guard rest.isEmpty || rest.first == 0x3B else { return nil }
      rest = rest.dropFirst().trimmed
    }
    return client
  }

  /// A token or quoted text, and the bytes after it.
  private static func value(_ bytes: ArraySlice<UInt8>) -> ([UInt8], ArraySlice<UInt8>)? {
    guard bytes.first == 0x22 else {
      // Some proxies write addresses with colons and brackets without quotes.
      let value = bytes.prefix { isTokenByte($0) || $0 == 0x3A || $0 == 0x5B || $0 == 0x5D }
      return value.isEmpty ? nil : (Array(value), bytes[value.endIndex...])
    }
    var value: [UInt8] = []
    var index = bytes.startIndex + 1
    while index < bytes.endIndex {
      switch bytes[index] {
      case 0x22: return (value, bytes[(index + 1)...])
      case 0x5C:
        guard index + 1 < bytes.endIndex else { return nil }
        index += 1
        value.append(bytes[index])
      default: value.append(bytes[index])
      }
      index += 1
    }
    return nil
  }

  /// Whether the byte is allowed in a token (RFC 9110, section 5.6.2).
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}

extension ArraySlice<UInt8> {
  /// The slice without spaces and tabs at its ends.
  fileprivate var trimmed: ArraySlice<UInt8> {
    var slice = self
    while let byte = slice.first, byte == 0x20 || byte == 0x09 { slice.removeFirst() }
    while let byte = slice.last, byte == 0x20 || byte == 0x09 { slice.removeLast() }
    return slice
  }
}
