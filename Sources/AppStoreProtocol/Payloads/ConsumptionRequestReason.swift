/// Why a customer asked for a refund.
public enum ConsumptionRequestReason: String, CaseIterable, Sendable {
  /// He did not mean to buy.
  case unintendedPurchase = "UNINTENDED_PURCHASE"
  /// He did not get it, or could not use it.
  case fulfillmentIssue = "FULFILLMENT_ISSUE"
  /// He is not satisfied.
  case unsatisfiedWithPurchase = "UNSATISFIED_WITH_PURCHASE"
  /// A legal reason.
  case legal = "LEGAL"
  /// Another reason.
  case other = "OTHER"
}
