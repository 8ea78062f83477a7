package import HTTPMessages
package import PaymentPrimitives

/// Where a server listens, and which proxies it trusts.
package struct ListenSettings: Hashable, Sendable {
  package var address: String
  /// A port; 0 for any free port.
  package var port: UInt16
  /// A socket that a service manager opened, with the address and port above; nil lets the server open one.
  package var listeningDescriptor: Int32?
  /// PEM files of certificate chain and key, for TLS.
  package var certificate: (chain: String, key: String)? {
    get { chainFile.flatMap { chain in keyFile.map { (chain, $0) } } }
    set {
      chainFile = newValue?.chain
      keyFile = newValue?.key
    }
  }
  /// The largest body that is read at all, in bytes; each route has its own limit below. The largest is that of WeChat
  /// Pay's notifications.
  package var bodyBytesMax: Int
  /// How long running requests may continue after the end was requested.
  package var drainLimit: TimeSpan
  /// The proxies in front. Only they may name client addresses.
  package var trustedProxies = TrustedProxies()
  /// Whether connections of these proxies begin with a PROXY protocol header.
  package var readsProxyProtocol = false
  /// The share of the connections, in percent, that one address may hold.
  package var connectionSharePercent = 25

  private var chainFile: String?
  private var keyFile: String?

  /// An address and port without TLS.
  package init(address: String, port: UInt16) {
    self.address = address
    self.port = port
    self.bodyBytesMax = 2 << 20
    self.drainLimit = .seconds(30)
  }
}
