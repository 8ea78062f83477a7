import HTTPMessages

/// The real origin of a request: the other end of the connection or, behind proxies that the configuration trusts, the
/// address that they name. Claims of any other sender are ignored.
struct ClientAddress: Hashable, Sendable {
  /// Why a header's claim about the client was ignored.
  enum Unheeded: Hashable, Sendable {
    /// The sender is no trusted proxy.
    case untrusted(field: String)
    /// A trusted proxy sent another field than the configured one.
    case otherField(String)
  }

  /// Fields in which proxies forward the client's address.
  private static let clientFields = ["X-Forwarded-For", "Forwarded", "X-Real-IP"]
  /// Fields that proxies add; one of them on a loopback connection shows that another client is behind it.
  private static let forwardingFields = clientFields + ["X-Forwarded-Host", "X-Forwarded-Proto", "Via"]

  let text: String
  /// The network that limits count: a whole IPv4 address; the first 64 bits of an IPv6 address, which belong to one
  /// customer.
  let network: String
  /// Whether the request was made on this machine, and not through a proxy.
  let isThisMachine: Bool
  /// The claim about the client that was ignored; nil if there was none, or it was used.
  let unheeded: Unheeded?

  init(peer: String, fields: HTTPFields, proxies: TrustedProxies) {
    guard let address = NetworkAddress(peer: peer) else {
      // No socket names its other end like this; it counts as one ordinary caller.
      (text, network, isThisMachine, unheeded) = (peer, peer, false, nil)
      return
    }
    let client = proxies.client(behind: address, fields)
    text = client.description
    network = client.isVersion4 ? text : client.network.description
    isThisMachine = client.isLoopback && !Self.forwardingFields.contains { fields[$0] != nil }
    let said = Self.clientFields.first { fields[$0] != nil }
    if !proxies.contains(address) {
      unheeded = said.map { .untrusted(field: $0) }
    } else {
      unheeded = fields[proxies.header.rawValue] == nil ? said.map { .otherField($0) } : nil
    }
  }
}
