/// Why an Advanced Commerce item was refunded.
public enum AdvancedCommerceRefundReason: String, CaseIterable, Sendable {
  /// He did not mean to buy.
  case unintendedPurchase = "UNINTENDED_PURCHASE"
  /// He did not get it.
  case fulfillmentIssue = "FULFILLMENT_ISSUE"
  /// He is not satisfied.
  case unsatisfiedWithPurchase = "UNSATISFIED_WITH_PURCHASE"
  /// A legal reason.
  case legal = "LEGAL"
  /// Another reason.
  case other = "OTHER"
  /// Items were changed.
  case modifyItemsRefund = "MODIFY_ITEMS_REFUND"
  /// Sandbox only: a declined refund.
  case simulateRefundDecline = "SIMULATE_REFUND_DECLINE"
}
