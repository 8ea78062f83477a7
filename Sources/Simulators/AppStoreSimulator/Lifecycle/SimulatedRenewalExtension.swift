import PaymentPrimitives
import SimulatorCore
import StrictJSON

/// The extension of the current period of a subscription, and of its family shares (rule AS-EXT-1).
struct SimulatedRenewalExtension: Hashable, Sendable {
  /// The share of a family member that lasts as long.
  struct Member: Hashable, Sendable {
    let transaction: TransactionIdentifier
    let notification: SimulatedNotification.Facts
  }

  let transaction: TransactionIdentifier
  let until: Timestamp
  let notification: SimulatedNotification.Facts
  var members: [Member] = []
  /// The place of the mass request that it belongs to; nil for a request for this subscription alone.
  var request: Int?
}

/// A request to extend all active subscriptions to a product (rule AS-EXT-2).
struct SimulatedMassExtension: Hashable, Sendable {
  let requestIdentifier: String
  let bundleId: String
  let product: StoreProductIdentifier
  let environment: SimulatedEnvironment
  let days: Int64
  /// The countries whose subscribers are meant; nil for all.
  let storefronts: [String]?

  /// The subscriptions that are not processed yet, the first one last.
  var remaining: [TransactionIdentifier] = []
  var succeeded = 0
  var failed = 0
  /// When the last subscription was processed.
  var completeDate: Timestamp?

  /// Whether it is the request that a server asks about.
  func isNamed(_ identifier: String, of product: StoreProductIdentifier, by call: APICall) -> Bool {
    requestIdentifier == identifier && self.product == product && bundleId == call.app.bundleId
      && environment == call.environment
  }
}

/// A change of a mass request. Successful extensions are separate events, which name the request.
enum MassExtensionChange: Hashable, Sendable {
  case asked(SimulatedMassExtension)
  /// The next subscription of the request cannot be extended.
  case failed(request: Int, SimulatedNotification.Facts)
  case ended(request: Int, SimulatedNotification.Facts)
}

// MARK: the log

extension SimulatedRenewalExtension {
  init(_ fields: JSONFields) throws(JSONFieldError) {
    transaction = try fields.transactionId("transactionId")
    until = try fields.timestamp("until")
    notification = try SimulatedNotification.Facts(fields.fields("notification"))
    for json in try fields.array("members", countMax: SimulatorLimits.familyMembersMax) {
      members.append(try Member(JSONFields(json, path: "members")))
    }
    request = try fields.optionalInteger("request", in: 0...Int64(SimulatorLimits.massExtensionsMax)).map { Int($0) }
  }

  var json: [(String, JSONValue?)] {
    SimulatorEvent.members(transaction, notification) + [
      ("until", .integer(until.milliseconds)),
      (
        "members",
        members.isEmpty
          ? nil : .array(members.map { .members(SimulatorEvent.members($0.transaction, $0.notification)) })
      ),
      ("request", request.map { .integer($0) }),
    ]
  }
}

extension SimulatedRenewalExtension.Member {
  fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
    transaction = try fields.transactionId("transactionId")
    notification = try SimulatedNotification.Facts(fields.fields("notification"))
  }
}

extension SimulatedMassExtension {
  fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
    requestIdentifier = try fields.string("requestIdentifier", bytesMax: SimulatorLimits.requestIdentifierBytesMax)
    bundleId = try fields.converted("bundleId", "a bundle id", Names.bundleId)
    product = StoreProductIdentifier(try fields.string("productId"))
    environment = try fields.converted(
      "environment", "Production or Sandbox", SimulatedEnvironment.init(rawValue:))
    days = try fields.integer("days", in: 1...SimulatorLimits.extensionDaysMax)
    storefronts =
      fields.value("storefrontCountryCodes") == nil
      ? nil : try fields.strings("storefrontCountryCodes", countMax: SimulatorLimits.storefrontsMax, bytesMax: 3)
  }

  fileprivate var json: [(String, JSONValue?)] {
    [
      ("requestIdentifier", .string(requestIdentifier)), ("bundleId", .string(bundleId)),
      ("productId", .string(product.text)), ("environment", .string(environment.rawValue)), ("days", .integer(days)),
      ("storefrontCountryCodes", storefronts.map { .array($0.map { .string($0) }) }),
    ]
  }
}

extension MassExtensionChange {
  init(word: String, _ data: JSONFields) throws(JSONFieldError) {
    if word == "massExtensionAsked" {
      self = .asked(try SimulatedMassExtension(data))
      return
    }
    let request = Int(try data.integer("request", in: 0...Int64(SimulatorLimits.massExtensionsMax)))
    let notification = try SimulatedNotification.Facts(data.fields("notification"))
    self =
      word == "massExtensionFailed"
      ? .failed(request: request, notification) : .ended(request: request, notification)
  }

  var wordAndData: (String, [(String, JSONValue?)]) {
    switch self {
    case .asked(let request): ("massExtensionAsked", request.json)
    case .failed(let request, let notification):
      ("massExtensionFailed", [("request", .integer(request)), ("notification", notification.json)])
    case .ended(let request, let notification):
      ("massExtensionEnded", [("request", .integer(request)), ("notification", notification.json)])
    }
  }
}
