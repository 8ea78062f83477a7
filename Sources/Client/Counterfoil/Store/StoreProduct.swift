public import PaymentPrimitives

/// A store's answer about products.
public struct StoreProducts: Hashable, Sendable {
  /// The products that it sells, in the requested order.
  public var products: [StoreProduct]
  /// The products that it does not know.
  public var unknown: [StoreProductIdentifier]

  /// An answer.
  public init(products: [StoreProduct], unknown: [StoreProductIdentifier] = []) {
    self.products = products
    self.unknown = unknown
  }
}

/// A product as the store describes it, for display only. Nothing is decided by it.
public struct StoreProduct: Hashable, Sendable {
  /// Apple's product id.
  public let id: StoreProductIdentifier
  /// Its name in the customer's language.
  public var name: String
  /// Its description in the customer's language.
  public var description: String
  /// The price as the store formats it for the customer: `¥6.00`.
  public var displayPrice: String
  /// The price in numbers, if the adapter can state it without rounding.
  public var price: StatedPrice?
  /// Its kind, if the store says it (StoreKit 1 does not).
  public var kind: ProductKind?
  /// The group of a subscription. Buying another product of the group is an upgrade, downgrade or crossgrade, which
  /// the store carries out itself.
  public var subscriptionGroup: String?
  /// The length of one period of a subscription. A page that sells one must show it beside the price (App Review
  /// 3.1.2).
  public var period: SubscriptionPeriod?
  /// The price for one month of a subscription of months or years, as the customer reads it; nil for anything else.
  public var displayPricePerMonth: String?
  /// The introductory offer of a subscription, if it has one.
  public var introductoryOffer: SubscriptionOffer?
  /// Whether this customer may have the introductory offer; nil if the store did not say.
  public var isEligibleForIntroductoryOffer: Bool?
  /// The promotional offers of a subscription: `PurchaseDetails.promotionalOffer` takes their ids.
  public var promotionalOffers: [SubscriptionOffer] = []
  /// The win-back offers that the store has for this customer (iOS 18): `StoreOffer.winBack` takes their ids.
  public var offersToComeBack: [SubscriptionOffer] = []
  /// Whether it can be shared in a family.
  public var isFamilyShareable: Bool

  /// A product with the facts that are always known.
  public init(id: StoreProductIdentifier, name: String, displayPrice: String) {
    self.id = id
    self.name = name
    self.description = ""
    self.displayPrice = displayPrice
    self.isFamilyShareable = false
  }

  /// The introductory offer, if this customer may have it: what a page shows before the price.
  public var offerForThisCustomer: SubscriptionOffer? {
    isEligibleForIntroductoryOffer == true ? introductoryOffer : nil
  }
}
