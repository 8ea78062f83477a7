package import AppStoreProtocol
package import PaymentPrimitives
package import StrictJSON

/// A product as App Store Connect lists it.
package struct SimulatedProduct: Hashable, Sendable {
  /// The kind of product; it never changes (rule AS-CAT-2).
  package enum Kind: Hashable, Sendable {
    case consumable
    case nonConsumable
    /// The app itself counts the period.
    case nonRenewing
    /// The App Store renews it; an account has at most one per group.
    case autoRenewable(group: String, period: SubscriptionPeriod)

    package var type: ProductType {
      switch self {
      case .consumable: .consumable
      case .nonConsumable: .nonConsumable
      case .nonRenewing: .nonRenewingSubscription
      case .autoRenewable: .autoRenewableSubscription
      }
    }
  }

  package var id: StoreProductIdentifier
  package var kind: Kind
  /// The price of one piece, in every storefront.
  package var price: StatedPrice
  /// The level in the subscription group: 1 is the best, as in App Store Connect. Other products ignore it.
  package var level = 1
  /// Whether it is on sale; a product that is not on sale does not renew either (rule AS-CAL-4).
  package var isForSale = true
  /// Its offers, each with a different name (rule AS-OFF-1).
  package var offers: [SimulatedOffer] = []

  package init(id: StoreProductIdentifier, kind: Kind, price: StatedPrice) {
    self.id = id
    self.kind = kind
    self.price = price
  }
}

extension SimulatedProduct {
  init(_ fields: JSONFields) throws(JSONFieldError) {
    id = StoreProductIdentifier(
      try fields.converted("productId", "1 to 100 letters, digits and ._-", Names.productId))
    switch try fields.converted("type", "one of Apple's four product types", ProductType.init(rawValue:)) {
    case .consumable: kind = .consumable
    case .nonConsumable: kind = .nonConsumable
    case .nonRenewingSubscription: kind = .nonRenewing
    case .autoRenewableSubscription:
      kind = .autoRenewable(
        group: try fields.converted("subscriptionGroupIdentifier", "a number as text", Names.number),
        period: try fields.converted(
          "period", "P1W, P1M, P2M, P3M, P6M or P1Y", SubscriptionPeriod.init(rawValue:)))
    }
    price = StatedPrice(
      milliunits: try fields.integer("price", in: 0...1_000_000_000_000),
      currency: try fields.converted("currency", "three upper-case letters", Names.currency))
    level = Int(try fields.optionalInteger("level", in: 1...Int64(SimulatorLimits.subscriptionLevelsMax)) ?? 1)
    isForSale = try fields.optionalBool("isForSale") ?? true
    offers = []
    for json in try fields.array("offers", countMax: SimulatorLimits.offersMax) {
      offers.append(try SimulatedOffer(JSONFields(json, path: "offers")))
    }
    guard Set(offers.map(\.identifier)).count == offers.count else {
      throw JSONFieldError(path: "offers", expected: "offers with different names")
    }
  }

  /// The product as the log and the control API write it.
  package var json: JSONValue {
    var group: JSONValue?
    var period: JSONValue?
    if case .autoRenewable(let groupName, let length) = kind {
      group = .string(groupName)
      period = .string(length.rawValue)
    }
    return .members([
      ("productId", .string(id.text)), ("type", .string(kind.type.rawValue)),
      ("subscriptionGroupIdentifier", group), ("period", period),
      ("price", .integer(price.milliunits)), ("currency", .string(price.currency)),
      ("level", level == 1 ? nil : .integer(level)), ("isForSale", isForSale ? nil : .bool(false)),
      ("offers", offers.isEmpty ? nil : .array(offers.map(\.json))),
    ])
  }
}
