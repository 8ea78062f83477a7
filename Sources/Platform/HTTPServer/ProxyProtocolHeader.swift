import HTTPMessages

/// The header in which a proxy names the address of its client, before the first byte of that client: PROXY protocol,
/// version 1 (a line of text) and 2 (binary). Source: haproxy.org, `proxy-protocol.txt`.
package enum ProxyProtocolHeader: Hashable, Sendable {
  /// More bytes are needed.
  case unfinished
  /// The header is complete and has this many bytes. The client is nil if the proxy itself is the sender (for example
  /// in a health check), or if the client has no IP address.
  case complete(byteCount: Int, client: PeerAddress?)
  case malformed

  /// The longest line of version 1, including its line end.
  static let lineBytesMax = 107
  /// The limit in bytes for version 2: the addresses have 36 bytes, and proxies add a few short extensions.
  static let bytesMax = 4096

  private static let signature2: [UInt8] = [
    0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
  ]
  private static let signature1 = Array("PROXY ".utf8)

  /// Reads the bytes received so far.
  package init(_ bytes: [UInt8]) {
    if bytes.starts(with: Self.signature2) {
      self = Self.version2(bytes)
    } else if bytes.starts(with: Self.signature1) {
      self = Self.version1(bytes)
    } else {
      self = Self.signature2.starts(with: bytes) || Self.signature1.starts(with: bytes) ? .unfinished : .malformed
    }
  }

  private static func version1(_ bytes: [UInt8]) -> ProxyProtocolHeader {
    guard let end = bytes.prefix(lineBytesMax).firstIndex(of: 0x0A) else {
      return bytes.count < lineBytesMax ? .unfinished : .malformed
    }
    guard bytes[end - 1] == 0x0D else { return .malformed }
    let words = bytes[..<(end - 1)].split(separator: 0x20, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    // The protocol forbids reading anything after this word.
    if words.count >= 2, words[1] == "UNKNOWN" { return .complete(byteCount: end + 1, client: nil) }
    guard words.count == 6, words[1] == "TCP4" || words[1] == "TCP6", let client = NetworkAddress(words[2]),
      NetworkAddress(words[3]) != nil, let port = port(words[4]), Self.port(words[5]) != nil,
      words[1] == "TCP6" || client.isVersion4
    else { return .malformed }
    return .complete(byteCount: end + 1, client: PeerAddress(host: client.description, port: port))
  }

  private static func port(_ text: String) -> UInt16? {
    guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      text == "0" || !text.hasPrefix("0")
    else { return nil }
    return UInt16(text)
  }

  private static func version2(_ bytes: [UInt8]) -> ProxyProtocolHeader {
    guard bytes.count >= 16 else { return .unfinished }
    let length = 16 + (Int(bytes[14]) << 8 | Int(bytes[15]))
    // The high half is the version, the low half the command: 0 for the proxy itself, 1 for a client.
    guard bytes[12] == 0x20 || bytes[12] == 0x21, length <= bytesMax else { return .malformed }
    guard bytes.count >= length else { return .unfinished }
    guard bytes[12] == 0x21 else { return .complete(byteCount: length, client: nil) }
    let addressBytes: Int
    switch bytes[13] {
    case 0x11: addressBytes = 4
    case 0x21: addressBytes = 16
    // Unspecified, or a socket on the proxy's own machine: there is no client address.
    case 0x00, 0x31: return .complete(byteCount: length, client: nil)
    default: return .malformed
    }
    guard length >= 16 + 2 * addressBytes + 4,
      let client = NetworkAddress(bytes: Array(bytes[16..<(16 + addressBytes)]))
    else { return .malformed }
    let port = 16 + 2 * addressBytes
    return .complete(
      byteCount: length,
      client: PeerAddress(host: client.description, port: UInt16(bytes[port]) << 8 | UInt16(bytes[port + 1])))
  }
}
