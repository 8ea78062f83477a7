/// The other end of a connection, as the socket names it: behind a proxy this is the proxy.
public struct PeerAddress: Hashable, Sendable, CustomStringConvertible {
  /// The IP address as text; an IPv4 address is written as one, also on a socket that takes both families.
  public let host: String
  /// The port.
  public let port: UInt16
  /// Whether the connection is under TLS.
  public let isEncrypted: Bool

  /// An address from its parts.
  public init(host: String, port: UInt16, isEncrypted: Bool = false) {
    self.host = host
    self.port = port
    self.isEncrypted = isEncrypted
  }

  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
