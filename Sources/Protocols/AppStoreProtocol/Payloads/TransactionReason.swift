package enum TransactionReason: String, CaseIterable, Sendable {
  case purchase = "PURCHASE"
  /// The App Store renewed a subscription.
  case renewal = "RENEWAL"
}
