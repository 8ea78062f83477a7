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

  /// A history that was never read.
  package init(customer: PaymentKey, dueAt: Timestamp) {
    self.customer = customer
    self.dueAt = dueAt
  }
}
