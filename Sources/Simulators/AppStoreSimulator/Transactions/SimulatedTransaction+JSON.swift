import AppStoreProtocol
import PaymentPrimitives
import SimulatorCore
package import StrictJSON

extension SimulatedTransaction {
  init(_ fields: JSONFields) throws(JSONFieldError) {
    id = try fields.transactionId("transactionId")
    originalId = try fields.transactionId("originalTransactionId")
    owner = try AppOwner(fields)
    product = StoreProductIdentifier(try fields.string("productId"))
    type = try fields.converted("type", "one of Apple's four product types", ProductType.init(rawValue:))
    quantity = Int(try fields.integer("quantity", in: 1...Int64(SimulatorLimits.quantityMax)))
    price = StatedPrice(
      milliunits: try fields.integer("price"), currency: try fields.string("currency"))
    purchaseDate = try fields.timestamp("purchaseDate")
    originalPurchaseDate = try fields.timestamp("originalPurchaseDate")
    period = try fields.optionalFields("period").map { fields throws(JSONFieldError) in try Period(fields) }
    appAccountToken = try fields.optionalUUID("appAccountToken")
    reason = try fields.converted("transactionReason", "PURCHASE or RENEWAL", TransactionReason.init(rawValue:))
    environment = try fields.converted(
      "environment", "Production or Sandbox", SimulatedEnvironment.init(rawValue:))
    storefront = try fields.converted("storefront", "a known country", Storefront.init(country:))
    isCharge = try fields.bool("isCharge")
    repeats = try fields.optionallyConverted("repeats", "a number as text", Names.number)
      .map { TransactionIdentifier($0) }
    isFamilyShared = try fields.optionalBool("isFamilyShared") ?? false
    sharedFrom = try fields.optionallyConverted("sharedFrom", "a number as text", Names.number)
      .map { TransactionIdentifier($0) }
    offer = try fields.optionalFields("offer").map { fields throws(JSONFieldError) in try AppliedOffer(fields) }
    isFinished = try fields.optionalBool("isFinished") ?? false
    revocation = try fields.optionalFields("revocation")
      .map { fields throws(JSONFieldError) in try SimulatedRevocation(fields) }
    upgrade = try fields.optionalFields("upgrade")
      .map { fields throws(JSONFieldError) in try SimulatedUpgrade(fields) }
  }

  /// The transaction as the log and the control API write it; not the signed payload.
  package var json: JSONValue {
    .members([
      ("transactionId", .string(id.text)), ("originalTransactionId", .string(originalId.text)),
      ("account", .string(owner.account.text)), ("bundleId", .string(owner.bundleId)),
      ("productId", .string(product.text)), ("type", .string(type.rawValue)), ("quantity", .integer(quantity)),
      ("price", .integer(price.milliunits)), ("currency", .string(price.currency)),
      ("purchaseDate", .integer(purchaseDate.milliseconds)),
      ("originalPurchaseDate", .integer(originalPurchaseDate.milliseconds)),
      ("period", period?.json), ("appAccountToken", appAccountToken.map { .string($0.text) }),
      ("transactionReason", .string(reason.rawValue)), ("environment", .string(environment.rawValue)),
      ("storefront", .string(storefront.country)), ("isCharge", .bool(isCharge)),
      ("repeats", repeats.map { .string($0.text) }),
      ("isFamilyShared", isFamilyShared ? .bool(true) : nil), ("sharedFrom", sharedFrom.map { .string($0.text) }),
      ("offer", offer?.json),
      ("isFinished", .bool(isFinished)), ("revocation", revocation?.json),
      ("upgrade", upgrade?.json),
    ])
  }
}

extension SimulatedTransaction.Period {
  fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
    expiresDate = try fields.timestamp("expiresDate")
    webOrderLineItemId = try fields.string("webOrderLineItemId")
    group = try fields.string("subscriptionGroupIdentifier")
  }

  fileprivate var json: JSONValue {
    .members([
      ("expiresDate", .integer(expiresDate.milliseconds)),
      ("webOrderLineItemId", .string(webOrderLineItemId)), ("subscriptionGroupIdentifier", .string(group)),
    ])
  }
}

extension SimulatedRevocation {
  init(_ fields: JSONFields) throws(JSONFieldError) {
    date = try fields.timestamp("revocationDate")
    let number = try fields.integer("revocationReason")
    guard let reason = RevocationReason(rawValue: number) else {
      throw JSONFieldError(path: "revocationReason", expected: "0 or 1")
    }
    self.reason = reason
    percentage = try fields.integer("revocationPercentage", in: 1...Self.wholePercentage)
    isFamily = try fields.optionalBool("isFamily") ?? false
  }

  var json: JSONValue {
    .members([
      ("revocationDate", .integer(date.milliseconds)), ("revocationReason", .integer(reason.rawValue)),
      ("revocationPercentage", .integer(percentage)), ("isFamily", isFamily ? .bool(true) : nil),
    ])
  }
}

extension SimulatedUpgrade {
  init(_ fields: JSONFields) throws(JSONFieldError) {
    by = try fields.transactionId("by")
    refundPercentage = try fields.integer("refundPercentage", in: 0...SimulatedRevocation.wholePercentage)
  }

  var json: JSONValue {
    .members([("by", .string(by.text)), ("refundPercentage", .integer(refundPercentage))])
  }
}

extension AppOwner {
  init(_ fields: JSONFields) throws(JSONFieldError) {
    account = AppleAccountIdentifier(
      try fields.converted("account", SimulatedAppleAccount.idForm, Names.account))
    bundleId = try fields.converted("bundleId", "a bundle id", Names.bundleId)
  }
}

extension AppDownload {
  init(_ fields: JSONFields) throws(JSONFieldError) {
    owner = try AppOwner(fields)
    appTransactionId = try fields.converted("appTransactionId", "a number as text", Names.number)
    originalPurchaseDate = try fields.timestamp("originalPurchaseDate")
    originalVersion = try fields.string("originalApplicationVersion")
  }

  var json: JSONValue {
    .members([
      ("account", .string(owner.account.text)), ("bundleId", .string(owner.bundleId)),
      ("appTransactionId", .string(appTransactionId)),
      ("originalPurchaseDate", .integer(originalPurchaseDate.milliseconds)),
      ("originalApplicationVersion", .string(originalVersion)),
    ])
  }
}

extension SimulatedCharge {
  /// The charge as the control API shows it.
  package var json: JSONValue {
    .members([
      ("transactionId", .string(transaction.id.text)),
      ("originalTransactionId", .string(transaction.originalId.text)),
      ("account", .string(transaction.owner.account.text)), ("bundleId", .string(transaction.owner.bundleId)),
      ("productId", .string(transaction.product.text)), ("quantity", .integer(transaction.quantity)),
      ("environment", .string(transaction.environment.rawValue)),
      ("appAccountToken", transaction.appAccountToken.map { .string($0.text) }),
      ("purchaseDate", .integer(transaction.purchaseDate.milliseconds)),
      ("charged", .integer(milliunits)), ("currency", .string(transaction.price.currency)),
      ("refundedPercentage", .integer(refundedPercentage)),
      ("upgradeRefundPercentage", upgradeRefundPercentage == 0 ? nil : .integer(upgradeRefundPercentage)),
      ("isFinished", .bool(transaction.isFinished)),
    ])
  }
}

extension JSONFields {
  func transactionId(_ name: String) throws(JSONFieldError) -> TransactionIdentifier {
    TransactionIdentifier(try converted(name, "a number as text", Names.number))
  }

  func uuid(_ name: String) throws(JSONFieldError) -> AppStoreUUID {
    try converted(name, "a UUID", AppStoreUUID.init(_:))
  }

  func optionalUUID(_ name: String) throws(JSONFieldError) -> AppStoreUUID? {
    try optionallyConverted(name, "a UUID", AppStoreUUID.init(_:))
  }
}
