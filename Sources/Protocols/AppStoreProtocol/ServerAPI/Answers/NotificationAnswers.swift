package import PaymentPrimitives
package import StrictJSON

/// The result of one attempt to send a notification.
package enum SendAttemptResult: String, CaseIterable, Sendable {
  /// Our server answered with a 2xx status.
  case success = "SUCCESS"
  case timedOut = "TIMED_OUT"
  case tlsIssue = "TLS_ISSUE"
  case circularRedirect = "CIRCULAR_REDIRECT"
  case noResponse = "NO_RESPONSE"
  case socketIssue = "SOCKET_ISSUE"
  /// The answer had an unknown character set.
  case unsupportedCharset = "UNSUPPORTED_CHARSET"
  case invalidResponse = "INVALID_RESPONSE"
  /// The connection was closed too early.
  case prematureClose = "PREMATURE_CLOSE"
  /// Our server answered with a status other than 2xx.
  case unsuccessfulHTTPResponseCode = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
  case other = "OTHER"
}

/// One attempt to send a notification.
package struct SendAttemptItem: PayloadPart {
  package var attemptDate: Timestamp?
  package var sendAttemptResult: KnownOrRaw<SendAttemptResult>?

  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    attemptDate = try fields.date("attemptDate")
    sendAttemptResult = try fields.listed("sendAttemptResult")
  }

  /// The value as JSON, in the form that Apple sends.
  package var json: JSONValue {
    .members([("attemptDate", .date(attemptDate)), ("sendAttemptResult", .listed(sendAttemptResult))])
  }
}

/// A notification that Apple sent or tried to send.
package struct NotificationHistoryResponseItem: PayloadPart {
  /// The signed notification. It shows the state at the time of sending, not the current state.
  package var signedPayload: String
  package var sendAttempts: [SendAttemptItem]

  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    signedPayload = try fields.stated("signedPayload", fields.text("signedPayload"))
    sendAttempts = try fields.objects("sendAttempts") ?? []
  }

  /// The value as JSON, in the form that Apple sends.
  package var json: JSONValue {
    .members([("signedPayload", .text(signedPayload)), ("sendAttempts", .objects(sendAttempts))])
  }
}

/// A page of Get Notification History.
package struct NotificationHistoryResponse: PayloadPart {
  /// The token for the next page; the request body stays the same.
  package var paginationToken: String?
  /// Whether there is another page.
  package var hasMore: Bool
  package var notificationHistory: [NotificationHistoryResponseItem]

  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    paginationToken = try fields.text("paginationToken")
    hasMore = try fields.stated("hasMore", fields.flag("hasMore"))
    notificationHistory = try fields.stated("notificationHistory", fields.objects("notificationHistory"))
    if hasMore { _ = try fields.stated("paginationToken", paginationToken) }
  }

  /// The value as JSON, in the form that Apple sends.
  package var json: JSONValue {
    .members([
      ("paginationToken", .text(paginationToken)), ("hasMore", .flag(hasMore)),
      ("notificationHistory", .objects(notificationHistory)),
    ])
  }
}

/// The answer to Request a Test Notification.
package struct SendTestNotificationResponse: PayloadPart {
  /// The token to ask for the status of this notification.
  package var testNotificationToken: String

  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    testNotificationToken = try fields.stated("testNotificationToken", fields.text("testNotificationToken"))
  }

  /// The value as JSON, in the form that Apple sends.
  package var json: JSONValue { .members([("testNotificationToken", .text(testNotificationToken))]) }
}

/// The answer to Get Test Notification Status.
package struct CheckTestNotificationResponse: PayloadPart {
  package var signedPayload: String?
  package var sendAttempts: [SendAttemptItem]

  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    signedPayload = try fields.text("signedPayload")
    sendAttempts = try fields.objects("sendAttempts") ?? []
  }

  /// The value as JSON, in the form that Apple sends.
  package var json: JSONValue {
    .members([("signedPayload", .text(signedPayload)), ("sendAttempts", .objects(sendAttempts))])
  }
}
