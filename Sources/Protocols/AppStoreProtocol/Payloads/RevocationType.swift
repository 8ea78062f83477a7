/// How much of a purchase Apple revoked (1.19).
package enum RevocationType: String, CaseIterable, Sendable {
  case refundFull = "REFUND_FULL"
  /// The part that `revocationPercentage` states.
  case refundProrated = "REFUND_PRORATED"
  /// A family member lost access; there was no refund.
  case familyRevoke = "FAMILY_REVOKE"
}
