import HTTPMessages
import TOMLConfiguration

/// Reads the settings for the proxies in front of the server.
struct ProxyReading {
  /// More than any installation needs: large networks are written as blocks.
  private static let blocksMax = 256

  let root: ConfigurationTable

  init(_ root: ConfigurationTable) { self.root = root }

  func read(into listen: inout ListenSettings) {
    let texts = root.optional("trusted_proxies", .list(of: .string(bytes: 1...64))) ?? []
    listen.trustedProxies = TrustedProxies(
      blocks(texts), header: root.value("forwarded_header", .word, default: TrustedProxies.Header.xForwardedFor))
    listen.connectionSharePercent = Int(root.value("connection_share", .integer(in: 1...100), default: 25))
    listen.readsProxyProtocol = root.value("proxy_protocol", .bool, default: false)
    if listen.readsProxyProtocol, listen.trustedProxies.blocks.isEmpty {
      root.refuse(
        "proxy_protocol", .contradiction,
        details: "No sender is trusted with this header: name the proxies in trusted_proxies.")
    }
  }

  /// The addresses in `trusted_proxies` of the table.
  func blocks(_ texts: [String]) -> [AddressBlock] {
    guard texts.count <= Self.blocksMax else {
      root.refuse(
        "trusted_proxies", .malformed, details: "It has \(texts.count) entries; at most \(Self.blocksMax) are read.")
      return []
    }
    return texts.compactMap { text in
      guard let block = AddressBlock(text) else {
        root.refuse(
          "trusted_proxies", .malformed,
          details: "\(text) is no address or block such as 10.0.0.0/8 or 2001:db8::/32, with zeros behind its prefix.")
        return nil
      }
      guard !block.holdsEverybody else {
        root.refuse(
          "trusted_proxies", .contradiction,
          details: "\(text) contains every address: any caller could forge a client address.")
        return nil
      }
      return block
    }
  }
}
