package import PaymentPrimitives

/// That an app on an operator's phone makes one-time codes for their account. The secret of the codes is computed from
/// this and the installation's secret, so no row holds it (record 270).
package struct CodeSetUp: Hashable, Sendable {
  /// The digest of the sign-in in which the codes were set up.
  package let salt: String
  package let since: Timestamp

  package init(salt: String, since: Timestamp) {
    self.salt = salt
    self.since = since
  }
}
