import PaymentPrimitives
import SimulatorCore
import StrictJSON

// The events after a purchase, as the log writes them.

extension SimulatorEvent {
  /// Name and data of such an event; empty for other events.
  var afterwards: (String, [(String, JSONValue?)]) {
    switch self {
    case .refunded(let id, let revocation, let notification, let members):
      (
        "refunded",
        [
          ("transactionId", .string(id.text)), ("revocation", revocation.json),
          ("notification", notification.json),
          ("members", members.isEmpty ? nil : .array(members.map { .members($0.members) })),
        ]
      )
    case .shareEnded(let end): ("shareEnded", end.members)
    case .refundRequested(let request, let notification):
      ("refundRequested", [("request", request.json), ("notification", notification.json)])
    case .refundDeclined(let id, let notification): ("refundDeclined", Self.members(id, notification))
    case .refundReversed(let id, let notification): ("refundReversed", Self.members(id, notification))
    case .standingSet(let subscription, let standing, let notification):
      (
        "standingSet",
        [
          ("originalTransactionId", .string(subscription.text)), ("standing", standing.json),
          ("notification", notification?.json),
        ]
      )
    case .renewalExtended(let extended): ("renewalExtended", extended.json)
    case .massExtension(let change): change.wordAndData
    case .told(let notification): ("told", [("notification", notification.json)])
    default: ("", [])
    }
  }

  init(afterwards word: String, _ data: JSONFields) throws(JSONFieldError) {
    switch word {
    case "refunded":
      var members: [SimulatedShareEnd] = []
      for json in try data.array("members", countMax: SimulatorLimits.familyMembersMax) {
        members.append(try SimulatedShareEnd(JSONFields(json, path: "members")))
      }
      self = .refunded(
        try data.transactionId("transactionId"), try SimulatedRevocation(data.fields("revocation")),
        try SimulatedNotification.Facts(data.fields("notification")), members: members)
    case "shareEnded": self = .shareEnded(try SimulatedShareEnd(data))
    case "refundRequested":
      self = .refundRequested(
        try SimulatedRefundRequest(data.fields("request")),
        try SimulatedNotification.Facts(data.fields("notification")))
    case "refundDeclined":
      self = .refundDeclined(
        try data.transactionId("transactionId"), try SimulatedNotification.Facts(data.fields("notification")))
    case "refundReversed":
      self = .refundReversed(
        try data.transactionId("transactionId"), try SimulatedNotification.Facts(data.fields("notification")))
    case "standingSet":
      self = .standingSet(
        try data.transactionId("originalTransactionId"), try SubscriptionStanding(data.fields("standing")),
        try data.optional("notification", SimulatedNotification.Facts.init(_:)))
    case "renewalExtended": self = .renewalExtended(try SimulatedRenewalExtension(data))
    case "massExtensionAsked", "massExtensionFailed", "massExtensionEnded":
      self = .massExtension(try MassExtensionChange(word: word, data))
    default: self = .told(try SimulatedNotification.Facts(data.fields("notification")))
    }
  }

  static func members(
    _ id: TransactionIdentifier, _ notification: SimulatedNotification.Facts
  ) -> [(String, JSONValue?)] {
    [("transactionId", .string(id.text)), ("notification", notification.json)]
  }
}

extension SimulatedShareEnd {
  init(_ fields: JSONFields) throws(JSONFieldError) {
    transaction = try fields.transactionId("transactionId")
    revocation = try SimulatedRevocation(fields.fields("revocation"))
    notification = try SimulatedNotification.Facts(fields.fields("notification"))
  }

  var members: [(String, JSONValue?)] {
    [
      ("transactionId", .string(transaction.text)), ("revocation", revocation.json),
      ("notification", notification.json),
    ]
  }
}
