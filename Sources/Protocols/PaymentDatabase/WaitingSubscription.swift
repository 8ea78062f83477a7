package import PaymentPrimitives

/// An App Store product with a subscription that waits for its owner.
package struct WaitingSubscription: Hashable, Comparable, Sendable {
  package let app: AppIdentifier
  package let storeProduct: StoreProductIdentifier

  package init(app: AppIdentifier, storeProduct: StoreProductIdentifier) {
    self.app = app
    self.storeProduct = storeProduct
  }

  package static func < (a: WaitingSubscription, b: WaitingSubscription) -> Bool {
    (a.app, a.storeProduct) < (b.app, b.storeProduct)
  }
}
