package struct HTTPClientOptions: Hashable, Sendable {
  /// Which addresses may be connected to, and by which way.
  package var route: Route
  /// Whose certificates are believed. They are always checked, name included.
  package var trust: Trust
  /// The largest body of an answer; a larger one makes the exchange fail as unreadable.
  package var answerBytesMax: Int

  /// The way to the other side.
  package enum Route: Hashable, Sendable {
    /// Straight, and to public addresses only. The address itself is judged when its socket is opened, whatever name
    /// led there, so a name that answers differently the second time gains nothing (A16).
    case publicOnly
    case anywhere
    /// Through that proxy, such as `http://proxy.internal:3128`. The proxy alone decides which addresses may be
    /// reached.
    case through(proxy: String)
  }

  package enum Trust: Hashable, Sendable {
    case system
    /// Those of the system, and these in PEM.
    case systemAnd(pem: [UInt8])
    /// These in PEM and no others.
    case only(pem: [UInt8])
  }

  /// Options as given. 1 MiB is far above what a store or a receiver of deliveries answers.
  package init(
    route: Route = .publicOnly, trust: Trust = .system, answerBytesMax: Int = 1 << 20
  ) {
    self.route = route
    self.trust = trust
    self.answerBytesMax = answerBytesMax
  }
}
