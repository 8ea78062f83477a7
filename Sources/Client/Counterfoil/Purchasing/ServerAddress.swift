extension PurchasingConfiguration {
  /// The server's address without a slash at its end; a purchase is never sent unencrypted over a network that others
  /// use. Plain `http` is accepted for this machine, and in debugging for the local network, if the app allows it.
  func checkedServer() throws(PurchasingError) -> String {
    var base = server
    while base.hasSuffix("/") { base.removeLast() }
    let scheme = base.prefix { $0 != ":" }
    let host = Self.host(String(base.dropFirst(scheme.count + 3).prefix { $0 != "/" }))
    let isNear = Self.isThisMachine(host) || allowsLocalNetworkForDebugging && Self.isLocalNetwork(host)
    guard base.hasPrefix("https://") || base.hasPrefix("http://") && isNear, !host.isEmpty,
      !base.contains("@"), base.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else {
      throw PurchasingError(
        .configurationInvalid,
        "`server` must be an https address, or http on this machine. `allowsLocalNetworkForDebugging` adds 10.x.x.x, "
          + "172.16.x.x to 172.31.x.x, 192.168.x.x, 169.254.x.x and names in `.local`.")
    }
    guard (1...64).contains(app.text.utf8.count) else {
      throw PurchasingError(.configurationInvalid, "`app` must have 1 to 64 bytes.")
    }
    return base
  }

  /// Without a port.
  private static func host(_ authority: String) -> String {
    if authority.hasPrefix("[") { return authority.prefix { $0 != "]" } + "]" }
    return String(authority.prefix { $0 != ":" }).lowercased()
  }

  private static func isThisMachine(_ host: String) -> Bool { ["localhost", "127.0.0.1", "[::1]"].contains(host) }

  /// Addresses that no router passes on to the Internet, and names that only the local network answers.
  private static func isLocalNetwork(_ host: String) -> Bool {
    if host.hasSuffix(".local"), host.utf8.count > ".local".utf8.count { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    // `010` is 8 for some systems, and 10 for others.
    let numbers = parts.compactMap { part in
      part.utf8.allSatisfy { (0x30...0x39).contains($0) } && (part == "0" || !part.hasPrefix("0")) ? UInt8(part) : nil
    }
    guard parts.count == 4, numbers.count == 4 else { return false }
    switch (numbers[0], numbers[1]) {
    case (10, _), (192, 168), (169, 254), (172, 16...31): return true
    default: return false
    }
  }
}
