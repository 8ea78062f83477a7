package import AppStoreProtocol
package import StrictJSON

/// An offer of a product, as App Store Connect lists it (rules AS-OFF-1 to AS-OFF-4).
package struct SimulatedOffer: Hashable, Sendable {
  /// One of Apple's four kinds.
  package var kind: OfferType
  /// Its name; nil for the introductory offer, because a product has only one.
  package var identifier: String?
  /// How it is paid. A product that is no subscription is paid once.
  package var payment: OfferDiscountType
  /// The length of a free trial or of an up-front payment. With pay as you go, `count` periods of the product apply
  /// instead.
  package var period: SubscriptionPeriod
  /// How many periods the offer's price applies to; 1 unless it is pay as you go.
  package var count: Int
  /// The price per period, in thousandths of the product's currency; 0 for a free trial.
  package var price: Int64

  package init(
    _ kind: OfferType, _ identifier: String?, payment: OfferDiscountType, period: SubscriptionPeriod, count: Int = 1,
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
  /// Maximum periods of one offer: Apple allows a year of weeks.
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

/// The offer that a transaction was charged with.
package struct AppliedOffer: Hashable, Sendable {
  package let offer: SimulatedOffer
  /// How many further renewals the offer still applies to.
  package let renewalsLeft: Int
}

extension AppliedOffer {
  /// The first charge with an offer.
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
