#if canImport(StoreKit)
  import Counterfoil
  import Foundation
  import PaymentPrimitives
  import StoreKit

  extension StoreFailure {
    /// A failure as StoreKit 2 states it, in either of its two enumerations. Their cases have no numbers: `SKError`'s
    /// are used if there is one.
    init(storeKit2 error: any Error) {
      if let failure = error as? StoreFailure {
        self = failure
      } else if let error = error as? StoreKitError {
        self = Self.failure(error)
      } else if let error = error as? Product.PurchaseError {
        self = Self.failure(error)
      } else {
        // Only the type: the text of an unknown error may contain anything.
        self = StoreFailure(.other, explanation: "\(type(of: error))").caused(by: error)
      }
    }

    private static func failure(_ error: StoreKitError) -> StoreFailure {
      if case .userCancelled = error { return StoreFailure(.cancelled, code: 2, explanation: "userCancelled") }
      if case .networkError(let cause) = error {
        return StoreFailure(.storeUnreachable, code: 7, explanation: "networkError").caused(by: cause)
      }
      if case .notAvailableInStorefront = error {
        return StoreFailure(.productUnavailable, code: 5, explanation: "notAvailableInStorefront")
      }
      if case .notEntitled = error { return StoreFailure(.paymentNotAllowed, code: 4, explanation: "notEntitled") }
      if case .systemError(let cause) = error {
        return StoreFailure(.other, explanation: "systemError").caused(by: cause)
      }
      if "\(error)" == "unsupported" { return StoreFailure(.paymentNotAllowed, explanation: "unsupported") }
      return StoreFailure(.other, explanation: "unknown")
    }

    private static func failure(_ error: Product.PurchaseError) -> StoreFailure {
      if case .productUnavailable = error {
        return StoreFailure(.productUnavailable, code: 5, explanation: "productUnavailable")
      }
      if case .invalidQuantity = error { return StoreFailure(.other, code: 3, explanation: "invalidQuantity") }
      if case .purchaseNotAllowed = error {
        return StoreFailure(.paymentNotAllowed, code: 4, explanation: "purchaseNotAllowed")
      }
      // All other cases are about offers.
      return StoreFailure(.offerNotAllowed, explanation: "\(error)")
    }
  }

  extension StoreProduct {
    init(_ product: Product) {
      self.init(
        id: StoreProductIdentifier(product.id), name: product.displayName, displayPrice: product.displayPrice)
      description = product.description
      price = StatedPrice(product.price, currency: product.priceFormatStyle.currencyCode)
      describe(product)
      isFamilyShareable = product.isFamilyShareable
      if product.type == .consumable { kind = .consumable }
      if product.type == .nonConsumable { kind = .nonConsumable }
      if product.type == .nonRenewable { kind = .nonRenewing }
      if product.type == .autoRenewable { kind = .autoRenewable }
    }
  }
#endif
