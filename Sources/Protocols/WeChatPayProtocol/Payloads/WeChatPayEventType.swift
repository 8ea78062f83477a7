/// The `event_type` of a notification, as far as this version knows them. WeChat Pay adds words without notice.
package enum WeChatPayEventType: String, CaseIterable, Sendable {
  /// An order is paid.
  case transactionSuccess = "TRANSACTION.SUCCESS"
  /// The payer has the money of a refund.
  case refundSuccess = "REFUND.SUCCESS"
  /// The money of a refund did not reach the payer's account.
  case refundAbnormal = "REFUND.ABNORMAL"
  /// A refund has failed for good.
  case refundClosed = "REFUND.CLOSED"
  /// A customer complains.
  case complaintCreate = "COMPLAINT.CREATE"
  /// The customer or WeChat Pay did something to a complaint.
  case complaintStateChange = "COMPLAINT.STATE_CHANGE"
  /// The answer to a self-test.
  case securityEchoSuccess = "SECURITY_ECHO.SUCCESS"
}
