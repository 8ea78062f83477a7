package import PaymentPrimitives

/// A claim that is stored with a payment which cannot be granted yet. A client finishes such a transaction and never
/// presents it again unasked, so the claim decides later.
package struct KeptClaim: Hashable, Sendable {
  package let payment: PaymentKey
  /// The claim as JSON text.
  package let claim: String
  package let keptAt: Timestamp

  /// The most claims that are stored with one payment: the first ones are the most complete, because the device still
  /// had all its records.
  package static let countMax = 20

  package init(payment: PaymentKey, claim: String, keptAt: Timestamp) {
    self.payment = payment
    self.claim = claim
    self.keptAt = keptAt
  }
}
