import PaymentPrimitives
import SimulatorCore
import StrictJSON

extension SimulatorEvent {
  /// The event's name in the log, permanent, and its data.
  var wordAndData: (String, [(String, JSONValue?)]) {
    switch self {
    case .created(let origin): ("created", origin.members)
    case .tornLinesDropped(let count): ("tornLinesDropped", [("count", .integer(count))])
    case .appSet(let app): ("appSet", [("app", app.json)])
    case .productSet(let product, let bundleId):
      ("productSet", [("bundleId", .string(bundleId)), ("product", product.json)])
    case .accountSet(let account): ("accountSet", [("account", account.json)])
    case .downloaded(let download): ("downloaded", [("download", download.json)])
    case .transacted(let transaction, let download, let notification):
      (
        "transacted",
        [
          ("transaction", transaction.json), ("download", download?.json),
          ("notification", notification?.json),
        ]
      )
    case .upgraded(let transaction, let earlier, let upgrade, let notification):
      ("upgraded", Self.members(transaction, earlier, upgrade: upgrade, notification: notification))
    case .renewalPreferenceSet(let subscription, let product, let offer, let notification):
      (
        "renewalPreferenceSet",
        Self.members(subscription, product, notification: notification) + [("offer", offer?.json)]
      )
    case .redelivered(let id): ("redelivered", [("transactionId", .string(id.text))])
    case .finished(let id): ("finished", [("transactionId", .string(id.text))])
    case .refunded, .shareEnded, .refundRequested, .refundDeclined, .refundReversed, .standingSet, .renewalExtended,
      .massExtension, .told:
      afterwards
    case .autoRenewSet(let subscription, let isOn, let notification):
      ("autoRenewSet", Self.members(subscription, isOn, notification: notification))
    case .testRequested(let notification): ("testRequested", [("notification", notification.json)])
    case .attempted(let uuid, let attempt):
      ("attempted", [("notificationUUID", .string(uuid.text)), ("attempt", attempt.json)])
    case .apiKeySet(let key): ("apiKeySet", [("key", key.json)])
    case .apiFaultsSet(let faults): ("apiFaultsSet", [("faults", .array(faults.map(\.json)))])
    case .appAccountTokenSet(let id, let token):
      ("appAccountTokenSet", [("transactionId", .string(id.text)), ("appAccountToken", .string(token.text))])
    case .consumptionTold(let id, let words):
      ("consumptionTold", [("transactionId", .string(id.text)), ("words", .string(words))])
    case .certificateRevoked(let revocation): ("certificateRevoked", revocation.members)
    case .clockSet(let clock): ("clockSet", clock.members)
    case .behaviourSet(let behaviour, let value):
      ("knobSet", [("knob", .string(behaviour.rawValue)), ("value", .integer(value))])
    case .faultStruck: ("faultStruck", [])
    }
  }

  init(word: String, _ data: JSONFields) throws(JSONFieldError) {
    switch word {
    case "created": self = .created(try SimulatorOrigin(data))
    case "tornLinesDropped":
      self = .tornLinesDropped(Int(try data.integer("count", in: 1...Int64(LogReplay.tornLinesMax))))
    case "appSet": self = .appSet(try SimulatedApp(data.fields("app")))
    case "productSet":
      self = .productSet(try SimulatedProduct(data.fields("product")), bundleId: try data.string("bundleId"))
    case "accountSet": self = .accountSet(try SimulatedAppleAccount(data.fields("account")))
    case "downloaded": self = .downloaded(try AppDownload(data.fields("download")))
    case "transacted":
      self = .transacted(
        try SimulatedTransaction(data.fields("transaction")), try data.optional("download", AppDownload.init(_:)),
        try data.optional("notification", SimulatedNotification.Facts.init(_:)))
    case "upgraded":
      self = .upgraded(
        try SimulatedTransaction(data.fields("transaction")), from: try data.transactionId("from"),
        try SimulatedUpgrade(data.fields("upgrade")), try SimulatedNotification.Facts(data.fields("notification")))
    case "renewalPreferenceSet":
      self = .renewalPreferenceSet(
        try data.transactionId("originalTransactionId"),
        try data.optionalString("productId").map { StoreProductIdentifier($0) },
        try data.optional("offer", SimulatedOffer.init(_:)),
        try SimulatedNotification.Facts(data.fields("notification")))
    case "redelivered": self = .redelivered(try data.transactionId("transactionId"))
    case "finished": self = .finished(try data.transactionId("transactionId"))
    case "refunded", "shareEnded", "refundRequested", "refundDeclined", "refundReversed", "standingSet",
      "renewalExtended", "massExtensionAsked", "massExtensionFailed", "massExtensionEnded", "told":
      try self.init(afterwards: word, data)
    case "autoRenewSet":
      self = .autoRenewSet(
        try data.transactionId("originalTransactionId"), try data.bool("isOn"),
        try SimulatedNotification.Facts(data.fields("notification")))
    case "testRequested": self = .testRequested(try SimulatedNotification.Facts(data.fields("notification")))
    case "attempted":
      self = .attempted(try data.uuid("notificationUUID"), try SimulatedNotification.Attempt(data.fields("attempt")))
    case "apiKeySet": self = .apiKeySet(try SimulatedAPIKey(data.fields("key")))
    case "apiFaultsSet": self = .apiFaultsSet(try Self.faults(data))
    case "appAccountTokenSet":
      self = .appAccountTokenSet(try data.transactionId("transactionId"), try data.uuid("appAccountToken"))
    case "consumptionTold":
      self = .consumptionTold(
        try data.transactionId("transactionId"),
        try data.string("words", bytesMax: SimulatorLimits.consumptionBytesMax))
    case "certificateRevoked": self = .certificateRevoked(try SimulatedCertificateRevocation(data))
    case "clockSet": self = .clockSet(try SimulatorClock(data))
    case "knobSet":
      let behaviour = try data.converted("knob", "the name of a behaviour setting", SimulatorBehaviour.init(rawValue:))
      self = .behaviourSet(behaviour, try data.integer("value", in: behaviour.range))
    case "faultStruck": self = .faultStruck
    default: throw JSONFieldError(path: "event", expected: "the name of an event")
    }
  }
}

extension SimulatorEvent {
  private static func members(
    _ transaction: SimulatedTransaction, _ earlier: TransactionIdentifier, upgrade: SimulatedUpgrade,
    notification: SimulatedNotification.Facts
  ) -> [(String, JSONValue?)] {
    [
      ("transaction", transaction.json), ("from", .string(earlier.text)), ("upgrade", upgrade.json),
      ("notification", notification.json),
    ]
  }

  private static func members(
    _ subscription: TransactionIdentifier, _ product: StoreProductIdentifier?, notification: SimulatedNotification.Facts
  ) -> [(String, JSONValue?)] {
    [
      ("originalTransactionId", .string(subscription.text)), ("productId", product.map { .string($0.text) }),
      ("notification", notification.json),
    ]
  }

  private static func members(
    _ subscription: TransactionIdentifier, _ isOn: Bool, notification: SimulatedNotification.Facts
  ) -> [(String, JSONValue?)] {
    [
      ("originalTransactionId", .string(subscription.text)), ("isOn", .bool(isOn)), ("notification", notification.json),
    ]
  }

  private static func faults(_ data: JSONFields) throws(JSONFieldError) -> [PlannedAPIFault] {
    var faults: [PlannedAPIFault] = []
    for json in try data.array("faults", countMax: SimulatorLimits.apiFaultsMax) {
      faults.append(try PlannedAPIFault(JSONFields(json)))
    }
    return faults
  }
}

extension JSONFields {
  /// The members of a nested object.
  func fields(_ name: String) throws(JSONFieldError) -> JSONFields {
    guard let fields = try optionalFields(name) else { throw JSONFieldError(path: name, expected: "an object") }
    return fields
  }

  /// The value of a nested object; nil when absent.
  func optional<Value>(
    _ name: String, _ read: (JSONFields) throws(JSONFieldError) -> Value
  ) throws(JSONFieldError) -> Value? {
    guard let fields = try optionalFields(name) else { return nil }
    return try read(fields)
  }
}
