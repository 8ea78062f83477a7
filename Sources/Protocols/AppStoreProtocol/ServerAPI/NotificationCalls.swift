import HTTPMessages
package import PaymentPrimitives
import StrictJSON

/// Which notifications a history shows. It stays the same for all its pages.
package struct NotificationHistoryRequest: Hashable, Sendable {
  /// Sent at this moment or later: within the last 180 days, in the sandbox 30.
  package var startDate: Timestamp
  /// Sent before this moment; one in the future means now.
  package var endDate: Timestamp
  /// Only this type.
  package var notificationType: NotificationTypeV2?
  /// Only this subtype, of that type.
  package var notificationSubtype: Subtype?
  /// Only those about the customer with this transaction; not together with a type.
  package var transactionId: TransactionIdentifier?
  /// Only those that have not reached us.
  package var onlyFailures: Bool?

  /// How far back production keeps them.
  package static let productionSpan = TimeSpan.days(180)
  /// How far back the sandbox keeps them.
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
  /// Get Notification History: what Apple sent to our server, or tried to.
  ///
  /// - Parameter paginationToken: that of the page before; nil for the first.
  /// - Throws: what Apple would refuse.
  package static func notificationHistory(
    _ request: NotificationHistoryRequest, paginationToken: String? = nil
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> AppStoreServerCall {
    let query = AppStoreServerPath.query(paginationToken.map { [("paginationToken", $0)] } ?? [])
    return AppStoreServerCall(
      .notificationHistory, "/inApps/v1/notifications/history\(query)", body: try request.body())
  }
}

extension AppStoreServerCall where Answer == SendTestNotificationResponse {
  /// Request a Test Notification: Apple sends one to the address that is entered for this environment.
  package static func testNotification() -> AppStoreServerCall {
    AppStoreServerCall(.testNotification, "/inApps/v1/notifications/test")
  }
}

extension AppStoreServerCall where Answer == CheckTestNotificationResponse {
  /// Get Test Notification Status: whether the test notification arrived.
  ///
  /// - Throws: a text that cannot stand in an address.
  package static func testNotificationStatus(
    _ testNotificationToken: String
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> AppStoreServerCall {
    let token = try AppStoreServerPath.text(testNotificationToken)
    return AppStoreServerCall(
      .testNotificationStatus, "/inApps/v1/notifications/test/\(RequestTarget.encode(token))")
  }
}
