/// Who caused a transaction.
public enum TransactionReason: String, CaseIterable, Sendable {
  /// The customer.
  case purchase = "PURCHASE"
  /// The App Store, by renewing a subscription.
  case renewal = "RENEWAL"
}
