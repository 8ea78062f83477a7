/// The reason for the refund of an Advanced Commerce item.
package enum AdvancedCommerceRefundReason: String, CaseIterable, Sendable {
  /// The customer did not mean to buy.
  case unintendedPurchase = "UNINTENDED_PURCHASE"
  case fulfillmentIssue = "FULFILLMENT_ISSUE"
  case unsatisfiedWithPurchase = "UNSATISFIED_WITH_PURCHASE"
  case legal = "LEGAL"
  case other = "OTHER"
  case modifyItemsRefund = "MODIFY_ITEMS_REFUND"
  /// Sandbox only: a declined refund.
  case simulateRefundDecline = "SIMULATE_REFUND_DECLINE"
}
