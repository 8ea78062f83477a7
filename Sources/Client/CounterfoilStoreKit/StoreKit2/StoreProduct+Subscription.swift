#if canImport(StoreKit)
  import Counterfoil
  import Foundation
  import PaymentPrimitives
  import StoreKit

  extension StoreProduct {
    /// What a page must say about a subscription: group, period, price per month, offers.
    mutating func describe(_ product: Product) {
      guard let subscription = product.subscription else { return }
      subscriptionGroup = subscription.subscriptionGroupID
      period = SubscriptionPeriod(subscription.subscriptionPeriod)
      if let months = period?.months, months > 0 {
        displayPricePerMonth = (product.price / Decimal(months)).formatted(product.priceFormatStyle)
      }
      introductoryOffer = subscription.introductoryOffer.flatMap { SubscriptionOffer($0) }
      promotionalOffers = subscription.promotionalOffers.compactMap { SubscriptionOffer($0) }
      if #available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *) {
        offersToComeBack = subscription.winBackOffers.compactMap { SubscriptionOffer($0) }
      }
    }
  }

  extension SubscriptionPeriod {
    /// Nil for a unit that this version does not know.
    init?(_ period: Product.SubscriptionPeriod) {
      if period.unit == .day {
        self.init(period.value, .day)
      } else if period.unit == .week {
        self.init(period.value, .week)
      } else if period.unit == .month {
        self.init(period.value, .month)
      } else if period.unit == .year {
        self.init(period.value, .year)
      } else {
        return nil
      }
    }
  }

  extension SubscriptionOffer {
    /// Nil for a way to pay that this version does not know.
    init?(_ offer: Product.SubscriptionOffer) {
      guard let period = SubscriptionPeriod(offer.period) else { return nil }
      let payment: Payment
      if offer.paymentMode == .freeTrial {
        payment = .freeTrial
      } else if offer.paymentMode == .payAsYouGo {
        payment = .payAsYouGo
      } else if offer.paymentMode == .payUpFront {
        payment = .payUpFront
      } else {
        return nil
      }
      self.init(
        id: offer.id, payment: payment, displayPrice: offer.displayPrice, period: period,
        periodCount: offer.periodCount)
    }
  }
#endif
