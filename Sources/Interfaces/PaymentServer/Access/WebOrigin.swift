/// The origin of a web page (RFC 6454): its scheme, its host and, if it is not the scheme's own, its port.
package struct WebOrigin: Hashable, Sendable {
  /// As browsers send it in `Origin`: `https://shop.example.com`.
  package let text: String
  /// Whether the page comes without encryption from another machine: whoever is between can replace it.
  package let isExposed: Bool

  /// Nil for everything that no browser sends: a path, a capital, a port that the scheme has anyway, `*`, `null`.
  package init?(_ text: String) {
    guard let (scheme, usualPort) = Self.schemes.first(where: { text.hasPrefix($0.scheme) }), text.utf8.count <= 300
    else { return nil }
    let (host, port) = Self.parts(of: text.utf8.dropFirst(scheme.utf8.count))
    guard Self.isHost(host), port.map({ Self.isPort($0) && $0 != usualPort }) ?? true else { return nil }
    self.text = text
    isExposed = scheme == "http://" && !["localhost", "127.0.0.1", "[::1]"].contains(host)
  }

  private static let schemes = [(scheme: "https://", usualPort: "443"), (scheme: "http://", usualPort: "80")]

  private static func parts(of rest: Substring.UTF8View) -> (host: String, port: String?) {
    // The colons of an IPv6 address stand between brackets.
    let end = rest.lastIndex(of: UInt8(ascii: "]")) ?? rest.startIndex
    guard let colon = rest[end...].firstIndex(of: UInt8(ascii: ":")) else { return (String(Substring(rest)), nil) }
    return (String(Substring(rest[..<colon])), String(Substring(rest[rest.index(after: colon)...])))
  }

  private static func isHost(_ host: String) -> Bool {
    if host.hasPrefix("[") {
      return host.hasSuffix("]") && host.utf8.count > 4
        && host.dropFirst().dropLast().utf8.allSatisfy { isDigit($0) || (0x61...0x66).contains($0) || $0 == 0x3A }
    }
    return host.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
      (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
        && label.utf8.allSatisfy { isDigit($0) || (0x61...0x7A).contains($0) || $0 == 0x2D }
    }
  }

  private static func isPort(_ port: String) -> Bool {
    port.utf8.allSatisfy(isDigit) && !port.hasPrefix("0") && UInt16(port) != nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
