/// How a subscription with a commitment is billed (1.21).
public enum BillingPlanType: String, CaseIterable, Sendable {
  /// Once in advance.
  case billedUpfront = "BILLED_UPFRONT"
  /// Each month.
  case monthly = "MONTHLY"
}
