import PaymentModel
import PaymentPrimitives
import StrictJSON

// The JSON form of a store's signed statement in a stopped change. A retry uses the same statement, and needs none of
// the keys that verified it.

extension VerifiedPayment {
  var json: JSONValue {
    .members([
      ("originalTransaction", .string(originalTransaction.text)),
      ("webOrderLineItem", webOrderLineItem.map(JSONValue.string)),
      ("product", .string(storeProduct.text)), ("kind", .string(kind.rawValue)), ("quantity", .integer(quantity)),
      ("purchaseDate", purchaseDate.json), ("originalPurchaseDate", originalPurchaseDate?.json),
      ("expiresDate", expiresDate?.json), ("signedDate", signedDate.json),
      ("token", token.map { .string($0.appAccountToken) }), ("ownership", .string(ownership.storedText)),
      ("appTransaction", appTransaction.map(JSONValue.string)), ("revocation", revocation?.json),
      ("price", price?.json), ("merchant", merchant.map(JSONValue.string)),
      ("storeApp", storeApp.map(JSONValue.string)),
      ("isRenewal", isRenewal ? .bool(true) : nil), ("isUpgraded", isUpgraded ? .bool(true) : nil),
      ("storefront", storefront.map(JSONValue.string)), ("offer", offer?.json),
    ])
  }

  /// Stored facts of a payment; nil if the JSON contains none.
  init?(_ json: JSONValue?, key: PaymentKey) {
    guard let json, let original = json["originalTransaction"]?.string, let product = json["product"]?.string,
      let kind = json["kind"]?.string.flatMap(ProductKind.init(rawValue:)),
      let quantity = json["quantity"]?.integer.flatMap({ Int(exactly: $0) }),
      let purchaseDate = Timestamp(json["purchaseDate"]), let signedDate = Timestamp(json["signedDate"]),
      let ownership = json["ownership"]?.string.flatMap(Ownership.init(storedText:))
    else { return nil }
    self.init(
      key: key, originalTransaction: TransactionIdentifier(original), storeProduct: StoreProductIdentifier(product),
      kind: kind, quantity: quantity, purchaseDate: purchaseDate, signedDate: signedDate)
    webOrderLineItem = json["webOrderLineItem"]?.string
    originalPurchaseDate = Timestamp(json["originalPurchaseDate"])
    expiresDate = Timestamp(json["expiresDate"])
    token = json["token"]?.string.flatMap { OrderIdentifier($0) }
    self.ownership = ownership
    appTransaction = json["appTransaction"]?.string
    revocation = Revocation(json["revocation"])
    price = StatedPrice(json["price"])
    merchant = json["merchant"]?.string
    storeApp = json["storeApp"]?.string
    isRenewal = json["isRenewal"]?.bool ?? false
    isUpgraded = json["isUpgraded"]?.bool ?? false
    storefront = json["storefront"]?.string
    offer = StatedOffer(json["offer"])
  }
}

extension VerifiedRenewal {
  /// The stored form; `details` is for people.
  var json: JSONValue {
    .members([
      ("line", .string(subscription.transaction.text)), ("signedDate", signedDate.json),
      ("willRenew", .bool(willRenew)),
      ("renewsTo", renewsTo.map { .string($0.text) }), ("expiration", expiration.map { .string($0.rawValue) }),
      ("isInBillingRetry", isInBillingRetry ? .bool(true) : nil),
      ("gracePeriodExpiresDate", gracePeriodExpiresDate?.json), ("renewalDate", renewalDate?.json),
      ("priceIncrease", priceIncrease.map { .string($0.rawValue) }), ("renewalPrice", renewalPrice?.json),
    ])
  }

  /// A stored statement about the subscription of a payment; nil if the JSON is not one.
  init?(_ json: JSONValue?, of payment: PaymentKey) {
    guard let json, let original = json["line"]?.string, let signedDate = Timestamp(json["signedDate"]),
      let willRenew = json["willRenew"]?.bool
    else { return nil }
    let key = PaymentKey(
      app: payment.app, store: payment.store, environment: payment.environment,
      transaction: TransactionIdentifier(original))
    self.init(subscription: key, signedDate: signedDate, willRenew: willRenew)
    renewsTo = json["renewsTo"]?.string.map { StoreProductIdentifier($0) }
    expiration = json["expiration"]?.string.flatMap(Expiration.init(rawValue:))
    isInBillingRetry = json["isInBillingRetry"]?.bool ?? false
    gracePeriodExpiresDate = Timestamp(json["gracePeriodExpiresDate"])
    renewalDate = Timestamp(json["renewalDate"])
    priceIncrease = json["priceIncrease"]?.string.flatMap(PriceIncrease.init(rawValue:))
    renewalPrice = StatedPrice(json["renewalPrice"])
  }
}

extension Timestamp {
  var json: JSONValue { .integer(milliseconds) }

  init?(_ json: JSONValue?) {
    guard let milliseconds = json?.integer else { return nil }
    self.init(milliseconds: milliseconds)
  }
}

extension Revocation {
  fileprivate var json: JSONValue {
    .members([
      ("date", date.json), ("reason", reason.map { .integer($0) }), ("type", type.map(JSONValue.string)),
      ("percentage", percentage.map { .integer($0) }),
    ])
  }

  fileprivate init?(_ json: JSONValue?) {
    guard let date = Timestamp(json?["date"]) else { return nil }
    self.init(
      date: date, reason: json?["reason"]?.integer, type: json?["type"]?.string,
      percentage: json?["percentage"]?.integer)
  }
}

extension StatedPrice {
  fileprivate var json: JSONValue {
    .members([("milliunits", .integer(milliunits)), ("currency", .string(currency))])
  }

  fileprivate init?(_ json: JSONValue?) {
    guard let milliunits = json?["milliunits"]?.integer, let currency = json?["currency"]?.string else { return nil }
    self.init(milliunits: milliunits, currency: currency)
  }
}

extension StatedOffer {
  fileprivate var json: JSONValue {
    .members([
      ("type", .string(type)), ("id", id.map(JSONValue.string)),
      ("discountType", discountType.map(JSONValue.string)), ("period", period.map(JSONValue.string)),
    ])
  }

  fileprivate init?(_ json: JSONValue?) {
    guard let type = json?["type"]?.string else { return nil }
    self.init(
      type: type, id: json?["id"]?.string, discountType: json?["discountType"]?.string,
      period: json?["period"]?.string)
  }
}

extension Ownership {
  /// The prefix of a store's word that this version does not know.
  private static let unknownPrefix = "unknown:"

  fileprivate var storedText: String {
    switch self {
    case .purchased: "purchased"
    case .familyShared: "familyShared"
    case .assigned: "assigned"
    case .unknown(let storedText): Self.unknownPrefix + storedText
    }
  }

  fileprivate init?(storedText: String) {
    switch storedText {
    case "purchased": self = .purchased
    case "familyShared": self = .familyShared
    case "assigned": self = .assigned
    case _ where storedText.hasPrefix(Self.unknownPrefix):
      self = .unknown(String(storedText.dropFirst(Self.unknownPrefix.count)))
    default: return nil
    }
  }
}
