#if canImport(StoreKit)
  import Counterfoil
  import Foundation
  import PaymentPrimitives
  import StoreKit

  final class ProductsRequest: NSObject, SKProductsRequestDelegate, Sendable {
    private let answer = Waiting<Result<[SKProduct], StoreFailure>>()

    /// The products that the store knows.
    static func send(_ ids: [StoreProductIdentifier]) async throws(StoreFailure) -> [SKProduct] {
      let delegate = ProductsRequest()
      let request = SKProductsRequest(productIdentifiers: Set(ids.map(\.text)))
      request.delegate = delegate
      request.start()
      let answer = await delegate.answer.value()
      // Apple's request does not retain itself or its delegate.
      withExtendedLifetime((request, delegate)) {}
      guard let answer else { throw StoreFailure(.other, explanation: "cancelled") }
      return try answer.get()
    }

    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
      answer.end(.success(response.products))
    }

    func request(_ request: SKRequest, didFailWithError error: any Error) {
      let failure = StoreFailure(storeKit1: error)
      // The error's name does not matter: the products could not be requested.
      answer.end(
        .failure(
          StoreFailure(
            .storeUnreachable, code: failure.code, innerCode: failure.innerCode, explanation: failure.explanation)))
    }
  }

  extension StoreProduct {
    init(_ product: SKProduct) {
      let formatter = NumberFormatter()
      formatter.numberStyle = .currency
      formatter.locale = product.priceLocale
      self.init(
        id: StoreProductIdentifier(product.productIdentifier), name: product.localizedTitle,
        displayPrice: formatter.string(from: product.price) ?? product.price.stringValue)
      description = product.localizedDescription
      price = StatedPrice(product.price.decimalValue, currency: formatter.currencyCode)
      subscriptionGroup = product.subscriptionGroupIdentifier
      isFamilyShareable = product.isFamilyShareable
      guard let length = product.subscriptionPeriod.flatMap({ SubscriptionPeriod($0) }) else { return }
      period = length
      if let months = length.months, months > 0 {
        displayPricePerMonth = formatter.string(from: product.price.dividing(by: NSDecimalNumber(value: months)))
      }
      introductoryOffer = product.introductoryPrice.flatMap { SubscriptionOffer($0, formatter) }
      promotionalOffers = product.discounts.compactMap { SubscriptionOffer($0, formatter) }
    }
  }

  extension SubscriptionPeriod {
    /// Nil for a unit that this version does not know.
    init?(_ period: SKProductSubscriptionPeriod) {
      switch period.unit {
      case .day: self.init(period.numberOfUnits, .day)
      case .week: self.init(period.numberOfUnits, .week)
      case .month: self.init(period.numberOfUnits, .month)
      case .year: self.init(period.numberOfUnits, .year)
      @unknown default: return nil
      }
    }
  }

  extension SubscriptionOffer {
    /// Nil for a way to pay that this version does not know.
    fileprivate init?(_ discount: SKProductDiscount, _ formatter: NumberFormatter) {
      guard let period = SubscriptionPeriod(discount.subscriptionPeriod) else { return nil }
      let payment: Payment
      switch discount.paymentMode {
      case .freeTrial: payment = .freeTrial
      case .payAsYouGo: payment = .payAsYouGo
      case .payUpFront: payment = .payUpFront
      @unknown default: return nil
      }
      self.init(
        id: discount.identifier, payment: payment,
        displayPrice: formatter.string(from: discount.price) ?? discount.price.stringValue, period: period,
        periodCount: discount.numberOfPeriods)
    }
  }

  extension StatedPrice {
    /// A price in thousandths; nil if that would round it.
    init?(_ price: Decimal, currency: String?) {
      guard let currency, let milliunits = Int64("\(price * 1000)") else { return nil }
      self.init(milliunits: milliunits, currency: currency)
    }
  }
#endif
