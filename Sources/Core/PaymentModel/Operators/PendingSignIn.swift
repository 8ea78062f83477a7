package import PaymentPrimitives

/// A browser that has shown a link, and has yet to show a second factor. It is no session, and opens no page but that
/// one. The database keeps the digest of its token only.
package struct PendingSignIn: Hashable, Sendable {
  package static let lifetime = TimeSpan.minutes(10)
  /// After that many wrong codes it ends. A session ends after as many, too.
  package static let wrongCodesMax = 5

  /// SHA-256 of the token in the cookie, in hexadecimal.
  package let digest: String
  package let account: OperatorName
  package let createdAt: Timestamp
  package var wrongCodes = 0
  package var endedAt: Timestamp?

  package init(digest: String, account: OperatorName, createdAt: Timestamp) {
    self.digest = digest
    self.account = account
    self.createdAt = createdAt
  }

  package func isValid(at now: Timestamp) -> Bool { endedAt == nil && now - createdAt < Self.lifetime }
}
