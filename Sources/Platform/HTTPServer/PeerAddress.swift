/// The other end of a connection, as the socket names it: behind a proxy this is the proxy.
package struct PeerAddress: Hashable, Sendable, CustomStringConvertible {
  /// The IP address as text; an IPv4 address is written as one, also on a socket that takes both families.
  package let host: String
  package let port: UInt16
  /// Whether the connection is under TLS.
  package let isEncrypted: Bool

  package init(host: String, port: UInt16, isEncrypted: Bool = false) {
    self.host = host
    self.port = port
    self.isEncrypted = isEncrypted
  }

  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
