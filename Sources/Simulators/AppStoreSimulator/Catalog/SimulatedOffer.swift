package import AppStoreProtocol
package import StrictJSON

/// An offer of a product, as it would stand in App Store Connect (rules AS-OFF-1 to AS-OFF-4).
package struct SimulatedOffer: Hashable, Sendable {
  /// Which of Apple's four kinds it is.
  package var kind: OfferType
  /// Its name; nil of an introductory offer, of which a product has one.
  package var identifier: String?
  /// How it is paid. What is no subscription is paid once.
  package var payment: OfferDiscountType
  /// How long a free trial, or what is paid up front, lasts; what is paid as one goes lasts so many periods of the
  /// product as `count` says.
  package var period: SubscriptionPeriod
  /// How many periods at the offer's price; 1 unless it is paid as one goes.
  package var count: Int
  /// What a period costs under it, in thousandths of the product's currency; 0 of a free trial.
  package var price: Int64

  package init(
    _ kind: OfferType, _ identifier: String?, _ payment: OfferDiscountType, period: SubscriptionPeriod, count: Int = 1,
    price: Int64 = 0
  ) {
    self.kind = kind
    self.identifier = identifier
    self.payment = payment
    self.period = period
    self.count = count
    self.price = price
  }
}

extension SimulatedOffer {
  /// Periods of one offer: Apple allows a year of weeks.
  static let countMax: Int64 = 52

  init(_ fields: JSONFields) throws(JSONFieldError) {
    kind = try Self.kind(fields, "offerType")
    identifier = try fields.optionallyConverted("offerIdentifier", "1 to 100 letters, digits and ._-", Names.productId)
    payment = try fields.converted(
      "offerDiscountType", "FREE_TRIAL, PAY_AS_YOU_GO, PAY_UP_FRONT or ONE_TIME", OfferDiscountType.init(rawValue:))
    period = try fields.converted(
      "offerPeriod", "P1W, P1M, P2M, P3M, P6M or P1Y", SubscriptionPeriod.init(rawValue:))
    count = Int(try fields.optionalInteger("count", in: 1...Self.countMax) ?? 1)
    price = try fields.optionalInteger("price", in: 0...1_000_000_000_000) ?? 0
    guard (kind == .introductoryOffer) == (identifier == nil) else {
      throw JSONFieldError(path: "offerIdentifier", expected: "there, but not of an introductory offer")
    }
  }

  static func kind(_ fields: JSONFields, _ name: String) throws(JSONFieldError) -> OfferType {
    guard let kind = OfferType(rawValue: try fields.integer(name, in: 1...4)) else {
      throw JSONFieldError(path: name, expected: "1 to 4")
    }
    return kind
  }

  /// The offer as the log and the control API write it.
  package var json: JSONValue {
    .members([
      ("offerType", .integer(kind.rawValue)), ("offerIdentifier", identifier.map { .string($0) }),
      ("offerDiscountType", .string(payment.rawValue)), ("offerPeriod", .string(period.rawValue)),
      ("count", count == 1 ? nil : .integer(count)), ("price", price == 0 ? nil : .integer(price)),
    ])
  }
}

/// The offer by which a transaction was charged.
package struct AppliedOffer: Hashable, Sendable {
  package let offer: SimulatedOffer
  /// How many renewals are still charged by it.
  package let renewalsLeft: Int
}

extension AppliedOffer {
  /// A first charge by an offer.
  init(first offer: SimulatedOffer) {
    self.offer = offer
    renewalsLeft = offer.payment == .payAsYouGo ? offer.count - 1 : 0
  }

  init(_ fields: JSONFields) throws(JSONFieldError) {
    offer = try SimulatedOffer(fields)
    renewalsLeft = Int(try fields.optionalInteger("renewalsLeft", in: 0...SimulatedOffer.countMax) ?? 0)
  }

  var json: JSONValue {
    .object((offer.json.object ?? []) + [JSONMember("renewalsLeft", .integer(renewalsLeft))])
  }
}
