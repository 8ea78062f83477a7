import HTTPMessages
package import PaymentPrimitives
import StrictJSON

/// The filter of a notification history. It stays the same for all pages.
package struct NotificationHistoryRequest: Hashable, Sendable {
  /// The earliest time of sending, at most 180 days ago; in the sandbox 30 days.
  package var startDate: Timestamp
  /// The time before which the notification was sent; a future time means now.
  package var endDate: Timestamp
  /// Only this type.
  package var notificationType: NotificationTypeV2?
  /// Only this subtype of that type.
  package var notificationSubtype: Subtype?
  /// Only notifications about the customer with this transaction; not together with a type.
  package var transactionId: TransactionIdentifier?
  /// Only notifications that did not reach us.
  package var onlyFailures: Bool?

  /// How long production keeps notifications.
  package static let productionSpan = TimeSpan.days(180)
  /// How long the sandbox keeps notifications.
  package static let sandboxSpan = TimeSpan.days(30)

  package init(from startDate: Timestamp, to endDate: Timestamp) {
    self.startDate = startDate
    self.endDate = endDate
  }

  func body() throws(CodedError<AppStoreServerRequestErrorCode>) -> JSONValue {
    guard startDate < endDate else { throw CodedError(.span) }
    if transactionId != nil, notificationType != nil { throw CodedError(.filters) }
    if notificationSubtype != nil, notificationType == nil { throw CodedError(.filters) }
    var transaction: String?
    if let transactionId { transaction = try AppStoreServerPath.number(transactionId.text) }
    return .members([
      ("startDate", .date(startDate)), ("endDate", .date(endDate)),
      ("notificationType", .text(notificationType?.rawValue)),
      ("notificationSubtype", .text(notificationSubtype?.rawValue)),
      ("transactionId", .text(transaction)), ("onlyFailures", .flag(onlyFailures)),
    ])
  }
}

extension AppStoreServerCall where Answer == NotificationHistoryResponse {
  /// Get Notification History: the notifications that Apple sent to our server, or tried to send.
  ///
  /// - Parameter paginationToken: the token from the previous page; nil for the first page.
  /// - Throws: a value that Apple would reject.
  package static func notificationHistory(
    _ request: NotificationHistoryRequest, paginationToken: String? = nil
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> AppStoreServerCall {
    let query = AppStoreServerPath.query(paginationToken.map { [("paginationToken", $0)] } ?? [])
    return AppStoreServerCall(
      .notificationHistory, "/inApps/v1/notifications/history\(query)", body: try request.body())
  }
}

extension AppStoreServerCall where Answer == SendTestNotificationResponse {
  /// Request a Test Notification: Apple sends one to the URL that App Store Connect has for this environment.
  package static func testNotification() -> AppStoreServerCall {
    AppStoreServerCall(.testNotification, "/inApps/v1/notifications/test")
  }
}

extension AppStoreServerCall where Answer == CheckTestNotificationResponse {
  /// Get Test Notification Status: whether the test notification arrived.
  ///
  /// - Throws: the text is not allowed in a path.
  package static func testNotificationStatus(
    _ testNotificationToken: String
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> AppStoreServerCall {
    let token = try AppStoreServerPath.text(testNotificationToken)
    return AppStoreServerCall(
      .testNotificationStatus, "/inApps/v1/notifications/test/\(RequestTarget.encode(token))")
  }
}
