package import PaymentPrimitives

/// An update of one verified store transaction, from any source.
package struct PaymentUpdate: Sendable {
  package var facts: VerifiedPayment
  package var evidence: String
  package var origin: Evidence.Origin
  /// Whether a client still holds the transaction unfinished.
  package var isHeldByClient = false
  /// WeChat Pay's statement about the payment, which is compared with what the order expects.
  package var charge: VerifiedCharge?
  /// The claim of the signed-in user who presents it.
  package var claim: OwnershipClaim?
  /// What the client sent beside the evidence, as JSON text: journalled, never trusted.
  package var clientDetails: String?
  /// The renewal info that the store signed beside it.
  package var renewal: VerifiedRenewal?
  /// Whether the evidence states all that the store knows of the transaction. A receipt does not, signed or decoded
  /// by Apple: it omits a partial refund, and often the token. It adds to the known facts and removes none.
  package var isWhole = true
  /// When the store signed that it undoes a refund (REFUND_REVERSED), if the update is that.
  package var refundReversedAt: Timestamp?
  /// When the store signed that it declines a refund (REFUND_DECLINED), if the update came with that.
  package var refundDeclinedAt: Timestamp?
  /// Whether the evidence cannot show a token, and the store did not answer.
  package var isTokenUnseen = false
  /// Whether the store answered that it does not know the transaction.
  package var isUnknownToStore = false

  package init(facts: VerifiedPayment, evidence: String, origin: Evidence.Origin) {
    self.facts = facts
    self.evidence = evidence
    self.origin = origin
  }
}
