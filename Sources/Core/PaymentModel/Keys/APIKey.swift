package import PaymentPrimitives

/// A key that gives a caller its permissions. The database keeps only its hash.
package struct APIKey: Hashable, Sendable {
  package enum Kind: String, Hashable, CaseIterable, Sendable {
    /// Part of an app; may only submit evidence.
    case publishable
    /// For the app's backend; may do everything for the app's users.
    case secret
    /// For a person who operates the system.
    case `operator`
  }

  /// The part before the secret, unique over all apps; the key is looked up by it.
  package let id: CredentialIdentifier
  package let app: AppIdentifier
  package let kind: Kind
  /// SHA-256 of the whole key, in hexadecimal.
  package let digest: String
  package let label: String
  package let createdAt: Timestamp
  /// What the holder of an operator key may do. Nil for other kinds, and for a key that was made without a role: it may
  /// do everything (`effectiveRole`).
  package let role: OperatorRole?
  /// From then on it is refused; nil if it never expires.
  package let expiresAt: Timestamp?
  /// Whether a secret key may give units without a payment (`credit`); off unless it was made with it.
  package let mayCredit: Bool
  /// Whether a secret key may give entitlements without a payment; off unless it was made with it.
  package let mayGiveEntitlements: Bool
  /// Whether a secret key may erase users; off unless it was made with it.
  package let mayErase: Bool
  package var revokedAt: Timestamp?
  /// When it was last used, to the hour; nil if never, or for a key that is not an operator's.
  package var usedAt: Timestamp?

  /// The role that counts for an operator key.
  package var effectiveRole: OperatorRole { role ?? .admin }

  package func isExpired(at now: Timestamp) -> Bool { expiresAt.map { $0 <= now } ?? false }

  /// A key with the hash of its secret.
  package init(
    id: CredentialIdentifier, app: AppIdentifier, kind: Kind, digest: String, label: String,
    createdAt: Timestamp, role: OperatorRole? = nil, expiresAt: Timestamp? = nil, mayCredit: Bool = false,
    mayGiveEntitlements: Bool = false, mayErase: Bool = false
  ) {
    self.id = id
    self.app = app
    self.kind = kind
    self.digest = digest
    self.label = label
    self.createdAt = createdAt
    self.role = role
    self.expiresAt = expiresAt
    self.mayCredit = mayCredit
    self.mayGiveEntitlements = mayGiveEntitlements
    self.mayErase = mayErase
  }
}
