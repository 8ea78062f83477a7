package import PaymentPrimitives

/// A key by which a caller shows what it may do. The database keeps its hash alone.
package struct APIKey: Hashable, Sendable {
  package enum Kind: String, Hashable, CaseIterable, Sendable {
    /// Ships inside an app; may submit evidence only.
    case publishable
    /// The app's backend; may do everything for the app's users.
    case secret
    /// A person who runs the system.
    case `operator`
  }

  /// The part before the secret, unique over all apps: by it the key is found.
  package let id: CredentialIdentifier
  /// The app that it belongs to.
  package let app: AppIdentifier
  package let kind: Kind
  /// SHA-256 of the whole key, in hexadecimal.
  package let digest: String
  package let label: String
  package let createdAt: Timestamp
  package var revokedAt: Timestamp?

  /// A key with the hash of its secret.
  package init(
    id: CredentialIdentifier, app: AppIdentifier, kind: Kind, digest: String, label: String,
    createdAt: Timestamp
  ) {
    self.id = id
    self.app = app
    self.kind = kind
    self.digest = digest
    self.label = label
    self.createdAt = createdAt
  }
}
