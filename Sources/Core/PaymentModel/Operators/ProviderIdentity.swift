package import PaymentPrimitives

/// Who an identity provider says a visitor of the console is, once its token was verified.
package struct ProviderIdentity: Hashable, Sendable {
  package let issuer: String
  /// Names the person at the issuer, for ever.
  package let subject: String
  /// What they may do: the claims of the token, by the table of the configuration. Empty: nothing.
  package let roles: [AppIdentifier: OperatorRole]
  /// When they signed in to the provider; nil if the token does not say.
  package let authenticatedAt: Timestamp?
  /// Whether they showed a second factor there.
  package let hasSecondFactor: Bool

  package init(
    issuer: String, subject: String, roles: [AppIdentifier: OperatorRole], authenticatedAt: Timestamp?,
    hasSecondFactor: Bool
  ) {
    self.issuer = issuer
    self.subject = subject
    self.roles = roles
    self.authenticatedAt = authenticatedAt
    self.hasSecondFactor = hasSecondFactor
  }
}

// Accounts whose roles an identity provider decides. Their name says so, which needs no row of its own.
extension OperatorAccount {
  /// Stands before the digits of the issuer, at the end of the name of such an account.
  package static let providerMark = "@sso-"
  /// So many hexadecimal digits of the issuer's digest follow.
  package static let issuerDigits = 10

  /// Whether an account belongs to a person at an identity provider.
  package static func isFromProvider(_ name: OperatorName) -> Bool {
    let end = name.text.utf8.suffix(providerMark.utf8.count + issuerDigits)
    return end.count < name.text.utf8.count && end.starts(with: providerMark.utf8)
      && end.suffix(issuerDigits).allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}
