public import PaymentVocabulary

/// Another transaction id of a purchase that is already a payment: kept with what the store says under it, answered
/// like the payment, never granted.
///
/// A payment's row may have one, too: it was kept as a payment, never granted, and turned out to be a duplicate.
public struct PaymentEcho: Hashable, Sendable {
  /// The other id.
  public let key: PaymentKey
  /// The payment that it repeats.
  public var of: PaymentKey
  /// The first transaction of that payment's line, by which all ids of a purchase are found.
  public let line: PaymentKey
  /// When it was first seen.
  public let firstSeenAt: Timestamp
  /// The newest whole statement under this id; nil where an earlier version kept the id alone.
  public var facts: VerifiedPayment?
  /// When the store signed the newest REFUND_REVERSED under this id.
  public var refundReversedAt: Timestamp?

  /// An id that repeats a payment.
  public init(key: PaymentKey, of payment: PaymentKey, line: PaymentKey, firstSeenAt: Timestamp) {
    self.key = key
    self.of = payment
    self.line = line
    self.firstSeenAt = firstSeenAt
  }

  /// An id that repeats a payment, with what the store says under it.
  public init(_ statement: PurchaseStatement, of payment: Payment, firstSeenAt: Timestamp) {
    self.init(key: statement.key, of: payment.key, line: payment.facts.line, firstSeenAt: firstSeenAt)
    facts = statement.facts
    refundReversedAt = statement.refundReversedAt
  }

  /// What the store says under this id, as far as it was kept.
  public var statement: PurchaseStatement? { facts.map { PurchaseStatement($0, refundReversedAt: refundReversedAt) } }
}
