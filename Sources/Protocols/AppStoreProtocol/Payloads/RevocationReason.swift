/// Why Apple took a purchase back.
package enum RevocationReason: Int64, CaseIterable, Sendable {
  /// For another reason, such as an accidental purchase.
  case refundedForOtherReason = 0
  /// Because of an issue with the app, real or perceived.
  case refundedDueToIssue = 1
}
