/// How an Advanced Commerce refund was reckoned.
public enum AdvancedCommerceRefundType: String, CaseIterable, Sendable {
  /// All of it.
  case full = "FULL"
  /// By time.
  case prorated = "PRORATED"
  /// Any amount.
  case custom = "CUSTOM"
}
