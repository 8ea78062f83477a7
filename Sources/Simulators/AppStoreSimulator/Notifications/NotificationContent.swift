package import AppStoreProtocol
import PaymentPrimitives
import SimulatorCore
import StrictJSON

extension SimulatedNotification {
  /// What a notification carries beside a transaction, or instead of it.
  package enum Content: Hashable, Sendable {
    case data
    /// Why a customer wants a refund.
    case consumptionRequest(ConsumptionRequestReason)
    /// The app transaction of an account; its guardian withdrew the consent.
    case consent(AppOwner)
    /// A token for purchases outside the App Store.
    case externalPurchase(ExternalPurchaseToken)
    /// The result of extending many renewal dates.
    case summary(NotificationSummary)
    /// Seats of a group purchase that were given up.
    case seats([String])
  }
}

extension SimulatedNotification.Content {
  init(_ fields: JSONFields) throws(JSONFieldError) {
    if let reason = try fields.optionallyConverted(
      "reason", SimulatedRefundRequest.reasonForm, ConsumptionRequestReason.init(rawValue:))
    {
      self = .consumptionRequest(reason)
    } else if let owner = try fields.optionalFields("owner") {
      self = .consent(try AppOwner(owner))
    } else if let token = try fields.optionalFields("externalPurchaseToken") {
      self = .externalPurchase(try ExternalPurchaseToken(written: token))
    } else if let summary = try fields.optionalFields("summary") {
      self = .summary(try NotificationSummary(written: summary))
    } else {
      self = .seats(try fields.strings("seats", countMax: SimulatorLimits.seatsMax, bytesMax: 64))
    }
  }

  /// The content as the log writes it; nil for `data`.
  var json: JSONValue? {
    switch self {
    case .data: nil
    case .consumptionRequest(let reason): .members([("reason", .string(reason.rawValue))])
    case .consent(let owner):
      .members([
        (
          "owner",
          .members([("account", .string(owner.account.text)), ("bundleId", .string(owner.bundleId))])
        )
      ])
    case .externalPurchase(let token): .members([("externalPurchaseToken", token.json)])
    case .summary(let summary): .members([("summary", summary.json)])
    case .seats(let ids): .members([("seats", .array(ids.map { .string($0) }))])
    }
  }
}

extension ExternalPurchaseToken {
  fileprivate init(written fields: JSONFields) throws(JSONFieldError) {
    self.init()
    externalPurchaseId = try fields.string("externalPurchaseId")
    tokenCreationDate = try fields.timestamp("tokenCreationDate")
    appAppleId = try fields.optionalInteger("appAppleId")
    bundleId = try fields.string("bundleId")
    tokenType = try fields.optionalString("tokenType").map { .init($0) }
    tokenExpirationDate = try fields.optionalTimestamp("tokenExpirationDate")
  }
}

extension NotificationSummary {
  fileprivate init(written fields: JSONFields) throws(JSONFieldError) {
    self.init()
    environment = .init(try fields.string("environment"))
    appAppleId = try fields.optionalInteger("appAppleId")
    bundleId = try fields.string("bundleId")
    productId = try fields.string("productId")
    requestIdentifier = try fields.string("requestIdentifier", bytesMax: SimulatorLimits.requestIdentifierBytesMax)
    if fields.value("storefrontCountryCodes") != nil {
      storefrontCountryCodes = try fields.strings(
        "storefrontCountryCodes", countMax: SimulatorLimits.storefrontsMax, bytesMax: 3)
    }
    succeededCount = try fields.integer("succeededCount")
    failedCount = try fields.integer("failedCount")
  }
}
