import AppStoreSimulator
public import Foundation
import PaymentPrimitives
import SimulatedDevice
import Synchronization

/// Stand-in for Apple's class of the same name.
public final class SKProduct: NSObject, Sendable {
  public let productIdentifier: String
  public let localizedTitle: String
  public let localizedDescription: String
  public let price: NSDecimalNumber
  public let priceLocale: Locale
  public let subscriptionGroupIdentifier: String?
  public let isFamilyShareable: Bool
  public let subscriptionPeriod: SKProductSubscriptionPeriod?
  public let introductoryPrice: SKProductDiscount?
  public let discounts: [SKProductDiscount]

  init(_ product: SimulatedProduct) {
    productIdentifier = product.id.text
    localizedTitle = product.id.text
    localizedDescription = ""
    price = NSDecimalNumber(decimal: Decimal(product.price.milliunits) / 1000)
    priceLocale = Locale(identifier: "zh_CN@currency=\(product.price.currency)")
    if case .autoRenewable(let group, _) = product.kind {
      subscriptionGroupIdentifier = group
    } else {
      subscriptionGroupIdentifier = nil
    }
    isFamilyShareable = false
    let info = Product.SubscriptionInfo(product)
    subscriptionPeriod = info.map { SKProductSubscriptionPeriod($0.subscriptionPeriod) }
    introductoryPrice = info?.introductoryOffer.map { SKProductDiscount($0) }
    discounts = info?.promotionalOffers.map { SKProductDiscount($0) } ?? []
  }

  /// A product with only its id known.
  init(id: String) {
    productIdentifier = id
    localizedTitle = id
    localizedDescription = ""
    price = 0
    priceLocale = Locale(identifier: "zh_CN")
    subscriptionGroupIdentifier = nil
    isFamilyShareable = false
    (subscriptionPeriod, introductoryPrice, discounts) = (nil, nil, [])
  }
}

/// Stand-in for Apple's class of the same name.
public final class SKProductsResponse: NSObject, Sendable {
  public let products: [SKProduct]
  public let invalidProductIdentifiers: [String]

  init(products: [SKProduct], invalid: [String]) {
    self.products = products
    invalidProductIdentifiers = invalid
  }
}

/// Stand-in for Apple's protocol of the same name.
public protocol SKRequestDelegate: NSObjectProtocol, Sendable {
  func requestDidFinish(_ request: SKRequest)
  func request(_ request: SKRequest, didFailWithError error: any Error)
}

extension SKRequestDelegate {
  public func requestDidFinish(_ request: SKRequest) {}
  public func request(_ request: SKRequest, didFailWithError error: any Error) {}
}

/// Stand-in for Apple's protocol of the same name.
public protocol SKProductsRequestDelegate: SKRequestDelegate {
  func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse)
}

/// Stand-in for Apple's class of the same name.
open class SKRequest: NSObject {
  /// Starts the request.
  open func start() {}
  /// Cancels the request.
  open func cancel() {}
}

/// Stand-in for Apple's class of the same name.
public final class SKProductsRequest: SKRequest {
  private let identifiers: Set<String>
  public weak var delegate: (any SKProductsRequestDelegate)?

  public init(productIdentifiers: Set<String>) { identifiers = productIdentifiers }

  public override func start() {
    let (run, identifiers) = (theRun(), identifiers)
    guard let delegate else { return }
    run.start { [weak delegate] in
      let answer = await run.device.storeKit2.products(identifiers)
      guard let delegate, let answer else { return }
      let request = SKProductsRequest(productIdentifiers: identifiers)
      switch answer {
      case .success(let products):
        let known = Set(products.map(\.id.text))
        delegate.productsRequest(
          request,
          didReceive: SKProductsResponse(
            products: products.map(SKProduct.init), invalid: identifiers.subtracting(known).sorted()))
        delegate.requestDidFinish(request)
      case .failure(let failure): delegate.request(request, didFailWithError: SKError(failure))
      }
    }
  }
}
