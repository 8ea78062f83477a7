public import PaymentVocabulary
public import StrictJSON

/// What became of one attempt to send a notification.
public enum SendAttemptResult: String, CaseIterable, Sendable {
  /// Our server answered with a status in the two hundreds.
  case success = "SUCCESS"
  /// No answer in time.
  case timedOut = "TIMED_OUT"
  /// Certificate or protocol.
  case tlsIssue = "TLS_ISSUE"
  /// It was sent in circles.
  case circularRedirect = "CIRCULAR_REDIRECT"
  /// The connection gave no answer.
  case noResponse = "NO_RESPONSE"
  /// The network failed.
  case socketIssue = "SOCKET_ISSUE"
  /// The answer was in an unknown character set.
  case unsupportedCharset = "UNSUPPORTED_CHARSET"
  /// The answer was no HTTP.
  case invalidResponse = "INVALID_RESPONSE"
  /// The connection was closed too early.
  case prematureClose = "PREMATURE_CLOSE"
  /// A status outside the two hundreds.
  case unsuccessfulHTTPResponseCode = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
  /// Anything else.
  case other = "OTHER"
}

/// One attempt to send a notification.
public struct SendAttemptItem: PayloadPart {
  /// When.
  public var attemptDate: Timestamp?
  /// With what result.
  public var sendAttemptResult: KnownOrRaw<SendAttemptResult>?

  /// Reads what an object states.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    attemptDate = try fields.date("attemptDate")
    sendAttemptResult = try fields.listed("sendAttemptResult")
  }

  /// What it states, as Apple writes it.
  public var json: JSONValue {
    .members([("attemptDate", .date(attemptDate)), ("sendAttemptResult", .listed(sendAttemptResult))])
  }
}

/// A notification that Apple sent, or tried to.
public struct NotificationHistoryResponseItem: PayloadPart {
  /// The notification, signed. It tells the state when it was sent, not the state now.
  public var signedPayload: String
  /// The attempts; the newest last.
  public var sendAttempts: [SendAttemptItem]

  /// Reads what an object states.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    signedPayload = try fields.stated("signedPayload", fields.text("signedPayload"))
    sendAttempts = try fields.objects("sendAttempts") ?? []
  }

  /// What it states, as Apple writes it.
  public var json: JSONValue {
    .members([("signedPayload", .text(signedPayload)), ("sendAttempts", .objects(sendAttempts))])
  }
}

/// A page of Get Notification History.
public struct NotificationHistoryResponse: PayloadPart {
  /// What the next page is asked with; the body stays the same.
  public var paginationToken: String?
  /// Whether a further page is there.
  public var hasMore: Bool
  /// Notifications; up to twenty.
  public var notificationHistory: [NotificationHistoryResponseItem]

  /// Reads what an object states.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    paginationToken = try fields.text("paginationToken")
    hasMore = try fields.stated("hasMore", fields.flag("hasMore"))
    notificationHistory = try fields.stated("notificationHistory", fields.objects("notificationHistory"))
    if hasMore { _ = try fields.stated("paginationToken", paginationToken) }
  }

  /// What it states, as Apple writes it.
  public var json: JSONValue {
    .members([
      ("paginationToken", .text(paginationToken)), ("hasMore", .flag(hasMore)),
      ("notificationHistory", .objects(notificationHistory)),
    ])
  }
}

/// The answer to Request a Test Notification.
public struct SendTestNotificationResponse: PayloadPart {
  /// Names the notification, to ask what became of it.
  public var testNotificationToken: String

  /// Reads what an object states.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    testNotificationToken = try fields.stated("testNotificationToken", fields.text("testNotificationToken"))
  }

  /// What it states, as Apple writes it.
  public var json: JSONValue { .members([("testNotificationToken", .text(testNotificationToken))]) }
}

/// The answer to Get Test Notification Status.
public struct CheckTestNotificationResponse: PayloadPart {
  /// The notification, signed.
  public var signedPayload: String?
  /// The attempts.
  public var sendAttempts: [SendAttemptItem]

  /// Reads what an object states.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    signedPayload = try fields.text("signedPayload")
    sendAttempts = try fields.objects("sendAttempts") ?? []
  }

  /// What it states, as Apple writes it.
  public var json: JSONValue {
    .members([("signedPayload", .text(signedPayload)), ("sendAttempts", .objects(sendAttempts))])
  }
}
