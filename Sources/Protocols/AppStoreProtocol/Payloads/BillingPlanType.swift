/// The billing plan of a subscription with a commitment (1.21).
package enum BillingPlanType: String, CaseIterable, Sendable {
  case billedUpfront = "BILLED_UPFRONT"
  case monthly = "MONTHLY"
}
