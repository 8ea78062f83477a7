package struct HTTPClientOptions: Hashable, Sendable {
  /// The addresses that are allowed, and the route to them.
  package var route: Route
  /// The certificate authorities that are trusted. Certificates are always checked, including the name.
  package var trust: Trust
  /// The limit in bytes for the body of an answer; a larger body makes the exchange fail as unreadable.
  package var answerBytesMax: Int

  /// The route to the other side.
  package enum Route: Hashable, Sendable {
    /// Direct, and to public addresses only. The address is checked when its socket is opened, whatever name resolved
    /// to it. So a name that resolves differently the second time gains nothing (A16).
    case publicOnly
    case anywhere
    /// Through this proxy, such as `http://proxy.internal:3128`. The proxy alone decides which addresses may be
    /// reached.
    case through(proxy: String)
  }

  package enum Trust: Hashable, Sendable {
    case system
    /// The authorities of the system, and these in PEM.
    case systemAnd(pem: [UInt8])
    /// Only these, in PEM.
    case only(pem: [UInt8])
  }

  /// Creates options. The default limit of 1 MiB is far above the answers of a store or of a receiver of deliveries.
  package init(
    route: Route = .publicOnly, trust: Trust = .system, answerBytesMax: Int = 1 << 20
  ) {
    self.route = route
    self.trust = trust
    self.answerBytesMax = answerBytesMax
  }
}
