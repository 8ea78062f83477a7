/// The other end of a connection, as the socket names it. Behind a proxy this is the proxy.
package struct PeerAddress: Hashable, Sendable, CustomStringConvertible {
  /// The IP address as text. An IPv4 address has the IPv4 form, also on a socket for both families.
  package let host: String
  package let port: UInt16
  /// Whether the connection uses TLS.
  package let isEncrypted: Bool

  package init(host: String, port: UInt16, isEncrypted: Bool = false) {
    self.host = host
    self.port = port
    self.isEncrypted = isEncrypted
  }

  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
