/// The customer's reason for a refund request.
package enum ConsumptionRequestReason: String, CaseIterable, Sendable {
  /// The customer did not mean to buy.
  case unintendedPurchase = "UNINTENDED_PURCHASE"
  /// The customer did not receive the product, or could not use it.
  case fulfillmentIssue = "FULFILLMENT_ISSUE"
  case unsatisfiedWithPurchase = "UNSATISFIED_WITH_PURCHASE"
  case legal = "LEGAL"
  case other = "OTHER"
}
