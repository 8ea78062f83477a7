import AppStoreProtocol
import AppStoreSimulator
import Foundation
import PaymentPrimitives
import SimulatedDevice

extension Product {
  /// Stand-in for Apple's structure of the same name.
  public struct SubscriptionPeriod: Sendable, Hashable {
    /// Stand-in for Apple's enumeration of the same name.
    public enum Unit: Sendable, Hashable { case day, week, month, year }

    public let unit: Unit
    public let value: Int
  }

  /// Stand-in for Apple's structure of the same name.
  public struct SubscriptionInfo: Sendable, Hashable {
    public let subscriptionGroupID: String
    public let subscriptionPeriod: SubscriptionPeriod
    public let introductoryOffer: SubscriptionOffer?
    public let promotionalOffers: [SubscriptionOffer]
    /// The win-back offers that the App Store has for this customer (rule SK2-25).
    public let winBackOffers: [SubscriptionOffer]

    /// Whether this customer may have the introductory offer: they never had a subscription of the group (AS-OFF-1).
    public var isEligibleForIntroOffer: Bool {
      get async {
        let had = await theRun().device.storeKit2.everything() ?? []
        return !had.contains { $0.transaction.period?.group == subscriptionGroupID }
      }
    }
  }

  /// Stand-in for Apple's structure of the same name.
  public struct SubscriptionOffer: Sendable, Hashable {
    /// Stand-in for Apple's structure of the same name.
    public struct OfferType: RawRepresentable, Hashable, Sendable {
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
      public static let introductory = OfferType(rawValue: "Introductory")
      public static let promotional = OfferType(rawValue: "Promotional")
      public static let winBack = OfferType(rawValue: "WinBack")
    }

    /// Stand-in for Apple's structure of the same name.
    public struct PaymentMode: RawRepresentable, Hashable, Sendable {
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
      public static let freeTrial = PaymentMode(rawValue: "FreeTrial")
      public static let payAsYouGo = PaymentMode(rawValue: "PayAsYouGo")
      public static let payUpFront = PaymentMode(rawValue: "PayUpFront")
    }

    public let id: String?
    public let type: OfferType
    public let displayPrice: String
    public let period: SubscriptionPeriod
    public let periodCount: Int
    public let paymentMode: PaymentMode

    /// A win-back offer that is not in the catalog, for a test of its id alone.
    static func winBack(_ id: String) -> SubscriptionOffer {
      SubscriptionOffer(
        id: id, type: .winBack, displayPrice: "", period: SubscriptionPeriod(unit: .month, value: 1), periodCount: 1,
        paymentMode: .payAsYouGo)
    }
  }
}

extension Product.SubscriptionOffer {
  init?(_ offer: SimulatedOffer, of product: SimulatedProduct, period length: Product.SubscriptionPeriod) {
    switch offer.kind {
    case .introductoryOffer: type = .introductory
    case .promotionalOffer: type = .promotional
    case .winBackOffer: type = .winBack
    default: return nil
    }
    switch offer.payment {
    case .freeTrial: paymentMode = .freeTrial
    case .payAsYouGo: paymentMode = .payAsYouGo
    case .payUpFront: paymentMode = .payUpFront
    default: return nil
    }
    id = offer.identifier
    displayPrice = "\(Decimal(offer.price) / 1000) \(product.price.currency)"
    period = offer.payment == .payAsYouGo ? length : Product.SubscriptionPeriod(offer.period)
    periodCount = offer.count
  }
}

extension Product.SubscriptionPeriod {
  init(_ period: AppStoreSimulator.SubscriptionPeriod) {
    switch period {
    case .week: (unit, value) = (.week, 1)
    case .month: (unit, value) = (.month, 1)
    case .twoMonths: (unit, value) = (.month, 2)
    case .threeMonths: (unit, value) = (.month, 3)
    case .sixMonths: (unit, value) = (.month, 6)
    case .year: (unit, value) = (.year, 1)
    }
  }
}

extension Product.SubscriptionInfo {
  /// Nil for a product that the store does not renew.
  init?(_ product: SimulatedProduct) {
    guard case .autoRenewable(let group, let length) = product.kind else { return nil }
    let period = Product.SubscriptionPeriod(length)
    let offers = product.offers.compactMap { Product.SubscriptionOffer($0, of: product, period: period) }
    subscriptionGroupID = group
    subscriptionPeriod = period
    introductoryOffer = offers.first { $0.type == .introductory }
    promotionalOffers = offers.filter { $0.type == .promotional }
    winBackOffers = (theRun().device.behaviours.winBackOffers[product.id] ?? []).map { .winBack($0) }
  }
}

/// Stand-in for Apple's structure of the same name.
public struct Storefront: Sendable, Hashable {
  public let countryCode: String

  public static var current: Storefront? {
    get async { Storefront(countryCode: theRun().device.behaviours.country) }
  }

  public static var updates: Storefronts { Storefronts() }

  /// Stand-in for Apple's structure of the same name.
  public struct Storefronts: AsyncSequence, Sendable {
    public typealias Element = Storefront

    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(countries: theRun().iterateCountries().makeAsyncIterator())
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
      var countries: AsyncStream<String>.Iterator

      public mutating func next() async -> Storefront? {
        await countries.next().map { Storefront(countryCode: $0) }
      }
    }
  }
}
