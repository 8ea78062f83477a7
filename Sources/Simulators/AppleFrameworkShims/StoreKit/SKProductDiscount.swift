public import Foundation

/// Stand-in for Apple's class of the same name.
public final class SKProductSubscriptionPeriod: NSObject, Sendable {
  public let unit: SKProduct.PeriodUnit
  public let numberOfUnits: Int

  init(_ period: Product.SubscriptionPeriod) {
    switch period.unit {
    case .day: unit = .day
    case .week: unit = .week
    case .month: unit = .month
    case .year: unit = .year
    }
    numberOfUnits = period.value
  }
}

extension SKProduct {
  /// Stand-in for Apple's enumeration of the same name.
  public enum PeriodUnit: UInt, Sendable { case day, week, month, year }
}

/// Stand-in for Apple's class of the same name.
public final class SKProductDiscount: NSObject, Sendable {
  /// Stand-in for Apple's enumeration of the same name.
  public enum PaymentMode: UInt, Sendable { case payAsYouGo, payUpFront, freeTrial }

  public let identifier: String?
  public let price: NSDecimalNumber
  public let subscriptionPeriod: SKProductSubscriptionPeriod
  public let numberOfPeriods: Int
  public let paymentMode: PaymentMode

  init(_ offer: Product.SubscriptionOffer) {
    identifier = offer.id
    price = NSDecimalNumber(string: String(offer.displayPrice.prefix { $0 != " " }))
    subscriptionPeriod = SKProductSubscriptionPeriod(offer.period)
    numberOfPeriods = offer.periodCount
    switch offer.paymentMode {
    case .freeTrial: paymentMode = .freeTrial
    case .payUpFront: paymentMode = .payUpFront
    default: paymentMode = .payAsYouGo
    }
  }
}
