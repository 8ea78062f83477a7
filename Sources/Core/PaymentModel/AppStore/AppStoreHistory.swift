package import PaymentPrimitives

/// How far the transaction history of one customer has been read.
///
/// Apple identifies a customer by any of their transactions. A `revision` says up to which change the history was
/// read; the next request continues from there.
package struct AppStoreHistory: Hashable, Sendable {
  /// One of the customer's transactions, in its app and environment: the `originalTransactionId` of their first
  /// payment here.
  package let customer: PaymentKey
  /// Apple's `revision` after the last page; nil before the first.
  package var revision: String?
  /// When the history was last read to its end; nil if it never was.
  package var readAt: Timestamp?
  package var dueAt: Timestamp

  /// The time from a customer's first payment, or from a complete reading, to the next one.
  package static let pause = TimeSpan.days(1)

  /// A history that was never read.
  package init(customer: PaymentKey, dueAt: Timestamp) {
    self.customer = customer
    self.dueAt = dueAt
  }
}

extension VerifiedPayment {
  /// The number that identifies the customer for the history: the one app transaction, or else one of many originals.
  package var customer: PaymentKey {
    PaymentKey(
      app: key.app, store: key.store, environment: key.environment,
      transaction: appTransaction.map { TransactionIdentifier($0) } ?? originalTransaction)
  }
}
