import AppStoreProtocol
import PaymentPrimitives
import SimulatorCore
package import StrictJSON

extension SimulatedNotification.Facts {
  init(_ fields: JSONFields) throws(JSONFieldError) {
    uuid = try fields.uuid("notificationUUID")
    type = try fields.converted("notificationType", "a known type", NotificationTypeV2.init(rawValue:))
    subtype = try fields.optionallyConverted("subtype", "a known subtype", Subtype.init(rawValue:))
    bundleId = try fields.converted("bundleId", "a bundle id", Names.bundleId)
    environment = try fields.converted(
      "environment", "Production or Sandbox", SimulatedEnvironment.init(rawValue:))
    transaction = try fields.optionallyConverted("transactionId", "a number as text", Names.number)
      .map { TransactionIdentifier($0) }
    signedDate = try fields.timestamp("signedDate")
    if let told = try fields.optionalFields("content") { content = try SimulatedNotification.Content(told) }
  }

  var json: JSONValue {
    .members([
      ("notificationUUID", .string(uuid.text)), ("notificationType", .string(type.rawValue)),
      ("subtype", subtype.map { .string($0.rawValue) }), ("bundleId", .string(bundleId)),
      ("environment", .string(environment.rawValue)),
      ("transactionId", transaction.map { .string($0.text) }),
      ("signedDate", .integer(signedDate.milliseconds)), ("content", content.json),
    ])
  }
}

extension SimulatedNotification.Attempt {
  init(_ fields: JSONFields) throws(JSONFieldError) {
    date = try fields.timestamp("attemptDate")
    result = try fields.converted("sendAttemptResult", "a known result", Result.init(rawValue:))
    status = try fields.optionalInteger("status", in: 100...599).map { Int($0) }
  }

  var json: JSONValue {
    .members([
      ("attemptDate", .integer(date.milliseconds)), ("sendAttemptResult", .string(result.rawValue)),
      ("status", status.map { .integer($0) }),
    ])
  }
}

extension SimulatedNotification {
  /// The notification as the control API shows it.
  package var json: JSONValue {
    var members = facts.json.object ?? []
    members.append(JSONMember("state", .string(state.word)))
    if case .waiting(let moment) = state {
      members.append(JSONMember("nextAttemptDate", .integer(moment.milliseconds)))
    }
    members.append(JSONMember("sendAttempts", .array(attempts.map(\.json))))
    return .object(members)
  }
}

extension SimulatedNotification.State {
  var word: String {
    switch self {
    case .waiting: "waiting"
    case .delivered: "delivered"
    case .givenUp: "givenUp"
    case .neverSent: "neverSent"
    }
  }
}
