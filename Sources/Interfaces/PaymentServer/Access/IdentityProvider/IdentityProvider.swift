package import HTTPMessages
package import PaymentModel
package import PaymentPrimitives

/// An identity provider through which operators sign in to the console. A proxy adds its signed token to each request.
package struct IdentityProvider: Hashable, Sendable {
  /// Where its public keys are.
  package enum KeySource: Hashable, Sendable {
    case file(String)
    case url(String)
  }

  /// What a value of the claim gives.
  package struct RoleRule: Hashable, Sendable {
    package let value: String
    package let role: OperatorRole
    /// An app, or `OperatorAccount.everyApp`.
    package let app: AppIdentifier

    package init(value: String, role: OperatorRole, app: AppIdentifier) {
      self.value = value
      self.role = role
      self.app = app
    }
  }

  /// `iss` of its tokens.
  package let issuer: String
  /// `aud` of the tokens for this console.
  package let audience: String
  /// The header field in which the proxy passes the token on.
  package let header: String
  /// The addresses of the proxy. From any other the header means nothing.
  package let proxies: [AddressBlock]
  package let keys: KeySource
  package var algorithms = Set(JSONWebKeySet.Algorithm.allCases)
  /// The words of `amr` of which one says that a second factor was shown.
  package var secondFactors: Set<String> = [Self.usualSecondFactor]
  /// The claim from which roles come: a text, or a list of texts.
  package var rolesClaim = Self.usualRolesClaim
  /// In their order: for each app the first one counts whose value the claim has.
  package let roles: [RoleRule]

  /// RFC 8176.
  package static let usualSecondFactor = "mfa"
  package static let usualRolesClaim = "groups"

  package init(
    issuer: String, audience: String, header: String, proxies: [AddressBlock], keys: KeySource, roles: [RoleRule]
  ) {
    self.issuer = issuer
    self.audience = audience
    self.header = header
    self.proxies = proxies
    self.keys = keys
    self.roles = roles
  }

  /// The roles of an operator whose claim has these values.
  func rolesGiven(by values: [String]) -> [AppIdentifier: OperatorRole] {
    var found: [AppIdentifier: OperatorRole] = [:]
    for rule in roles where found[rule.app] == nil && values.contains(where: { $0.utf8.elementsEqual(rule.value.utf8) })
    {
      found[rule.app] = rule.role
    }
    return found
  }

  /// Whether a connection comes from the proxy.
  func isProxy(_ peer: String) -> Bool {
    guard let address = NetworkAddress(peer: peer) else { return false }
    return proxies.contains { $0.contains(address) }
  }
}
