package import PaymentPrimitives

/// Another transaction id of a purchase that is already a payment: kept with what the store says under it, answered
/// like the payment, never granted.
///
/// A payment's row may have one, too: it was kept as a payment, never granted, and turned out to be a duplicate.
package struct DuplicateTransaction: Hashable, Sendable {
  package let key: PaymentKey
  package var of: PaymentKey
  /// The first transaction of that payment's line, by which all ids of a purchase are found.
  package let line: PaymentKey
  package let firstSeenAt: Timestamp
  /// The newest whole statement under this id; nil where an earlier version kept the id alone.
  package var facts: VerifiedPayment?
  /// When the store signed the newest REFUND_REVERSED under this id.
  package var refundReversedAt: Timestamp?
  /// What the store told of refunds under this id.
  package var refundHistory = RefundHistory()

  /// An id that repeats a payment.
  package init(key: PaymentKey, of payment: PaymentKey, line: PaymentKey, firstSeenAt: Timestamp) {
    self.key = key
    self.of = payment
    self.line = line
    self.firstSeenAt = firstSeenAt
  }

  /// An id that repeats a payment, with what the store says under it.
  package init(_ statement: PurchaseStatement, of payment: Payment, firstSeenAt: Timestamp) {
    self.init(key: statement.key, of: payment.key, line: payment.facts.line, firstSeenAt: firstSeenAt)
    facts = statement.facts
    refundReversedAt = statement.refundReversedAt
    refundHistory = statement.refundHistory
  }

  /// What the store says under this id, as far as it was kept.
  package var statement: PurchaseStatement? {
    facts.map { PurchaseStatement($0, refundReversedAt: refundReversedAt, refundHistory: refundHistory) }
  }
}
