/// Why a customer asked for a refund.
package enum ConsumptionRequestReason: String, CaseIterable, Sendable {
  /// He did not mean to buy.
  case unintendedPurchase = "UNINTENDED_PURCHASE"
  /// He did not get it, or could not use it.
  case fulfillmentIssue = "FULFILLMENT_ISSUE"
  case unsatisfiedWithPurchase = "UNSATISFIED_WITH_PURCHASE"
  case legal = "LEGAL"
  case other = "OTHER"
}
