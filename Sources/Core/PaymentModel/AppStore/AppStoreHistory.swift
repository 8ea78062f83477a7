package import PaymentPrimitives

/// How far the transaction history of one customer has been read.
///
/// Apple names a customer by any of his transactions; a `revision` says up to which change his history was seen, and
/// the next question goes on from there.
package struct AppStoreHistory: Hashable, Sendable {
  /// One of the customer's transactions, in its app and environment: the `originalTransactionId` of his first payment
  /// here.
  package let customer: PaymentKey
  /// Apple's `revision` after the last page; nil before the first.
  package var revision: String?
  /// When the history was last read to its end; nil while it never was.
  package var readAt: Timestamp?
  package var dueAt: Timestamp

  /// A history that nobody has read.
  package init(customer: PaymentKey, dueAt: Timestamp) {
    self.customer = customer
    self.dueAt = dueAt
  }
}
