import AppStoreProtocol
import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// The answers of the App Store Server API about notifications.
struct NotificationAnswers {
  let call: APICall
  let snapshot: AppStoreSnapshot

  /// How far back Apple's notification history goes, in days.
  private static let historyDays: [SimulatedEnvironment: Int64] = [.production: 180, .sandbox: 30]

  /// The notifications of a time span, oldest first, with the attempts that were really made (rule AS-API-11). Their
  /// contents are those of the time of signing.
  func history() throws(AppStoreAPIProblem) -> HTTPResponse {
    let wish = try NotificationWish(call.object())
    let earliest = snapshot.now - .days(Self.historyDays[call.environment] ?? 30)
    guard wish.start >= earliest else {
      throw .badRequest(4_000_012, "Invalid request. The start date is earlier than the earliest allowed date.")
    }
    let first =
      try call.value("paginationToken", or: .badRequest(4_000_014, "Invalid request. Pagination token is invalid.")) {
        text -> Int? in
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1] == wish.mark[...] else { return nil }
        return Int(parts[0]).flatMap { $0 >= 0 ? $0 : nil }
      } ?? 0
    // A page continues at a position among all notifications: a notification that arrives in between moves nothing.
    var items: [JSONValue] = []
    var next: Int?
    let order = snapshot.state.notificationOrder
    for place in order.ids.indices.dropFirst(max(first, order.place(since: wish.start))) {
      guard let notification = snapshot.state.notifications[order.ids[place]], fits(notification, wish) else {
        continue
      }
      guard items.count < HistoryAnswers.pageSize else {
        next = place
        break
      }
      items.append(.members(entry(of: notification)))
    }
    return HTTPResponse(
      status: 200,
      json: .members([
        ("paginationToken", next.map { .string("\($0)_\(wish.mark)") }), ("hasMore", .bool(next != nil)),
        ("notificationHistory", .array(items)),
      ]))
  }

  private func fits(_ notification: SimulatedNotification, _ wish: NotificationWish) -> Bool {
    let facts = notification.facts
    return facts.bundleId == call.app.bundleId && facts.environment == call.environment
      && !notification.attempts.isEmpty
      && wish.takes(notification, original: snapshot.state.transactions[facts.transaction ?? ""]?.originalId)
  }

  private func entry(of notification: SimulatedNotification) -> [(String, JSONValue?)] {
    let signed = snapshot.signer.sign(notification)
    let attempts = notification.attempts.map {
      JSONValue.members([
        ("attemptDate", .integer($0.date.milliseconds)), ("sendAttemptResult", .string($0.result.rawValue)),
      ])
    }
    return [("signedPayload", .string(signed)), ("sendAttempts", .array(attempts))]
  }

  // MARK: test notifications

  func testStatus() throws(AppStoreAPIProblem) -> HTTPResponse {
    let parts = call.route.parameter.split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count == 2, let uuid = AppStoreUUID(String(parts[0])), Int64(parts[1]) != nil else {
      throw .badRequest(4_000_020, "Invalid request. Test notification token is invalid.")
    }
    guard let notification = snapshot.state.notifications[uuid], notification.facts.type == .test,
      notification.facts.bundleId == call.app.bundleId, notification.facts.environment == call.environment,
      String(notification.facts.signedDate.milliseconds) == parts[1]
    else {
      throw AppStoreAPIProblem(
        404, 4_040_008, message: "Either the test notification token is expired or the notification has not been sent.")
    }
    return HTTPResponse(status: 200, json: .members(entry(of: notification)))
  }
}

/// The filter of a notification history request.
private struct NotificationWish {
  let start: Timestamp
  private let end: Timestamp
  private let type: NotificationTypeV2?
  private let subtype: Subtype?
  private let transaction: TransactionIdentifier?
  private let onlyFailures: Bool
  /// Identifies the filter: a page token is valid only with the filter of the first page.
  let mark: String

  init(_ object: JSONValue) throws(AppStoreAPIProblem) {
    guard let start = object["startDate"]?.integer, start >= 0 else {
      throw .badRequest(4_000_015, "Invalid request. Start date is invalid.")
    }
    guard let end = object["endDate"]?.integer, end >= 0 else {
      throw .badRequest(4_000_016, "Invalid request. End date is invalid.")
    }
    guard start < end else { throw .badRequest(4_000_013, "Invalid request. Start date is after end date.") }
    (self.start, self.end) = (Timestamp(milliseconds: start), Timestamp(milliseconds: end))
    type = object["notificationType"]?.string.flatMap { NotificationTypeV2(rawValue: $0) }
    subtype = object["notificationSubtype"]?.string.flatMap { Subtype(rawValue: $0) }
    let isTypeKnown = (object["notificationType"] == nil) == (type == nil)
    let isSubtypeKnown = (object["notificationSubtype"] == nil) == (subtype == nil)
    guard isTypeKnown, isSubtypeKnown, subtype == nil || type != nil else {
      throw .badRequest(4_000_018, "Invalid request. The notification type or subtype is invalid.")
    }
    transaction = object["transactionId"]?.string.flatMap { Names.number($0) }.map { TransactionIdentifier($0) }
    guard (object["transactionId"] == nil) == (transaction == nil) else { throw .transactionIdInvalid }
    guard type == nil || transaction == nil else {
      throw .badRequest(
        4_000_019, "Invalid request. Supply either a transaction id or a notification type, but not both.")
    }
    onlyFailures = object["onlyFailures"]?.bool ?? false
    let words = [type?.rawValue, subtype?.rawValue, transaction?.text, onlyFailures ? "failures" : nil]
    mark = "\(start)-\(end)-" + words.map { $0 ?? "" }.joined(separator: "-").replacing("_", with: "")
  }

  func takes(_ notification: SimulatedNotification, original: TransactionIdentifier?) -> Bool {
    let facts = notification.facts
    guard facts.signedDate >= start, facts.signedDate < end else { return false }
    if let type, facts.type != type { return false }
    if let subtype, facts.subtype != subtype { return false }
    // The original id of a subscription selects the notifications of all its transactions.
    if let transaction, facts.transaction != transaction, original != transaction { return false }
    return !onlyFailures || notification.state != .delivered
  }
}
