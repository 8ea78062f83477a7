import HTTPMessages

/// Where a request really comes from: the other end of the connection or, behind proxies that the configuration trusts,
/// whom they name. What anybody else says of it counts for nothing.
struct ClientAddress: Hashable, Sendable {
  /// Why what a header says of the client was not taken.
  enum Unheeded: Hashable, Sendable {
    /// The one who sent it is no trusted proxy.
    case untrusted(field: String)
    /// A trusted proxy sent another field than the configured one.
    case otherField(String)
  }

  /// Fields in which proxies forward the client's address.
  private static let clientFields = ["X-Forwarded-For", "Forwarded", "X-Real-IP"]
  /// Fields that proxies add; one of them on a loopback connection shows that another client is behind it.
  private static let forwardingFields = clientFields + ["X-Forwarded-Host", "X-Forwarded-Proto", "Via"]

  let text: String
  /// The network that limits count: an IPv4 address itself, of IPv6 the first 64 bits, which one customer has alone.
  let network: String
  /// Whether the request was made on this machine, and by no proxy.
  let isThisMachine: Bool
  /// What was said of the client and not taken; nil where nothing was said, or it was taken.
  let unheeded: Unheeded?

  init(peer: String, fields: HTTPFields, proxies: TrustedProxies) {
    guard let address = NetworkAddress(peer: peer) else {
      // No socket names its other end so; it is one caller like any other.
      (text, network, isThisMachine, unheeded) = (peer, peer, false, nil)
      return
    }
    let client = proxies.client(behind: address, fields)
    text = client.description
    network = client.network.description
    isThisMachine = client.isLoopback && !Self.forwardingFields.contains { fields[$0] != nil }
    let said = Self.clientFields.first { fields[$0] != nil }
    if !proxies.contains(address) {
      unheeded = said.map { .untrusted(field: $0) }
    } else {
      unheeded = fields[proxies.header.rawValue] == nil ? said.map { .otherField($0) } : nil
    }
  }
}
