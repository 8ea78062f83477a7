public import PaymentVocabulary

/// A key by which a caller shows what it may do. The database keeps its hash alone.
public struct APIKey: Hashable, Sendable {
  /// What it allows.
  public enum Kind: String, Hashable, CaseIterable, Sendable {
    /// Ships inside an app; may submit evidence only.
    case publishable
    /// The app's backend; may do everything for the app's users.
    case secret
    /// A person who runs the system.
    case `operator`
  }

  /// The part before the secret, unique over all apps: by it the key is found.
  public let id: CredentialIdentifier
  /// The app that it belongs to.
  public let app: AppIdentifier
  /// What it allows.
  public let kind: Kind
  /// SHA-256 of the whole key, in hexadecimal.
  public let digest: String
  /// A word for people.
  public let label: String
  /// When it was made.
  public let createdAt: Timestamp
  /// When it stopped being valid.
  public var revokedAt: Timestamp?

  /// A key with the hash of its secret.
  public init(
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
