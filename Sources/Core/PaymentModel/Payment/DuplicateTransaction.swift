package import PaymentPrimitives

/// Another transaction id of a purchase that is already a payment. It is kept with the store's statements under it,
/// answered like the payment, and never granted.
///
/// A payment's row may also have one: it was kept as a payment, never granted, and is now known as a duplicate.
package struct DuplicateTransaction: Hashable, Sendable {
  package let key: PaymentKey
  package var of: PaymentKey
  /// The first transaction of that payment's subscription, by which all ids of a purchase are found.
  package let original: PaymentKey
  package let firstSeenAt: Timestamp
  /// The newest whole statement under this id; nil if an earlier version kept only the id.
  package var facts: VerifiedPayment?
  /// When the store signed the newest REFUND_REVERSED under this id.
  package var refundReversedAt: Timestamp?
  /// The refunds that the store reported under this id.
  package var refundHistory = RefundHistory()

  package init(key: PaymentKey, of payment: PaymentKey, original: PaymentKey, firstSeenAt: Timestamp) {
    self.key = key
    self.of = payment
    self.original = original
    self.firstSeenAt = firstSeenAt
  }

  /// A duplicate of a payment, with the store's statement under this id.
  package init(_ statement: PurchaseStatement, of payment: Payment, firstSeenAt: Timestamp) {
    self.init(key: statement.key, of: payment.key, original: payment.facts.originalKey, firstSeenAt: firstSeenAt)
    facts = statement.facts
    refundReversedAt = statement.refundReversedAt
    refundHistory = statement.refundHistory
  }

  /// The store's statement under this id, as far as it was kept.
  package var statement: PurchaseStatement? {
    facts.map { PurchaseStatement($0, refundReversedAt: refundReversedAt, refundHistory: refundHistory) }
  }
}
