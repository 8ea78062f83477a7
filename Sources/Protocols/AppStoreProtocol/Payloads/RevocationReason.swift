/// The reason why Apple revoked a purchase.
package enum RevocationReason: Int64, CaseIterable, Sendable {
  /// Another reason, such as an accidental purchase.
  case refundedForOtherReason = 0
  /// An actual or perceived issue with the app.
  case refundedDueToIssue = 1
}
