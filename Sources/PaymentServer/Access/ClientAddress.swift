import HTTPMessages

/// Where a request really comes from: the other end of the connection or, behind proxies that the configuration trusts,
/// whom they name. What anybody else writes into `X-Forwarded-For` counts for nothing.
struct ClientAddress: Hashable, Sendable {
  /// Hops that are looked at: more than any chain of proxies has.
  private static let hopsMax = 16
  /// Fields that proxies add; one of them on a loopback connection shows that somebody else is behind it.
  private static let forwardingFields = [
    "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Forwarded", "Via",
  ]

  /// The address as text.
  let text: String
  /// Whether the request was made on this machine, and by no proxy.
  let isThisMachine: Bool

  init(peer: String, fields: HTTPFields, trustedProxies: Set<String>) {
    text = trustedProxies.contains(peer) ? Self.client(behind: peer, fields, trustedProxies) : peer
    isThisMachine =
      (peer == "127.0.0.1" || peer == "::1")
      && !Self.forwardingFields.contains { fields[$0] != nil }
  }

  /// The network that limits count: an IPv4 address itself, of IPv6 the first 64 bits, which one customer has for
  /// himself.
  var network: String {
    guard text.utf8.contains(0x3A) else { return text }
    // An IPv4 address in IPv6 clothes.
    if text.utf8.contains(0x2E) { return text.split(separator: ":").last.map(String.init) ?? text }
    let halves = text.split(separator: "%", omittingEmptySubsequences: false)[0].lowercased()
      .components(around: "::")
    let head = halves[0].split(separator: ":").map(String.init)
    let tail = halves.count > 1 ? halves[1].split(separator: ":").map(String.init) : []
    let zeros = halves.count > 1 ? max(0, 8 - head.count - tail.count) : 0
    let groups = head + Array(repeating: "0", count: zeros) + tail
    return groups.prefix(4).map { group in
      let digits = group.drop { $0 == "0" }
      return digits.isEmpty ? "0" : String(digits)
    }.joined(separator: ":") + "::/64"
  }

  /// The nearest address in the chain that is not a trusted proxy; the proxy itself where the chain says nothing
  /// usable.
  private static func client(
    behind peer: String, _ fields: HTTPFields, _ trustedProxies: Set<String>
  ) -> String {
    let chain = fields.values("X-Forwarded-For").flatMap { $0.split(separator: ",") }
    for hop in chain.suffix(hopsMax).reversed() {
      let address = withoutPort(hop.filter { $0 != " " && $0 != "\t" })
      guard isAddress(address) else { return peer }
      if !trustedProxies.contains(address) { return address }
    }
    return peer
  }

  /// Some proxies write the port too: `192.0.2.1:4711`, `[2001:db8::1]:4711`. A caller with many ports is one caller.
  private static func withoutPort(_ hop: String) -> String {
    if hop.hasPrefix("[") { return String(hop.dropFirst().prefix { $0 != "]" }) }
    guard hop.utf8.contains(0x2E), hop.utf8.count(where: { $0 == 0x3A }) == 1 else { return hop }
    return String(hop.prefix { $0 != ":" })
  }

  /// Whether a text has the form of an IP address without a port: it becomes a key in memory, so nothing longer may
  /// pass.
  private static func isAddress(_ text: String) -> Bool {
    (2...45).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66, 0x2E, 0x3A: true
        default: false
        }
      }
  }
}

extension String {
  /// What stands before and after the first occurrence; the whole text alone where there is none.
  fileprivate func components(around separator: String) -> [Substring] {
    guard let range = firstRange(of: separator) else { return [self[...]] }
    return [self[..<range.lowerBound], self[range.upperBound...]]
  }
}
