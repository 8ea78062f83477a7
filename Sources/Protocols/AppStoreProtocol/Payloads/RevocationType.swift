/// How much of a purchase Apple took back (1.19).
package enum RevocationType: String, CaseIterable, Sendable {
  case refundFull = "REFUND_FULL"
  /// The part that `revocationPercentage` says.
  case refundProrated = "REFUND_PRORATED"
  /// A family member lost it; nothing was paid back.
  case familyRevoke = "FAMILY_REVOKE"
}
