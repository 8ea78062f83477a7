package enum TransactionReason: String, CaseIterable, Sendable {
  case purchase = "PURCHASE"
  /// The App Store, by renewing a subscription.
  case renewal = "RENEWAL"
}
