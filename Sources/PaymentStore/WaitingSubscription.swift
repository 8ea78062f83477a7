public import PaymentVocabulary

/// An App Store product of which a subscription waits for its owner.
public struct WaitingSubscription: Hashable, Comparable, Sendable {
  /// The app.
  public let app: AppIdentifier
  /// The App Store's id of it.
  public let storeProduct: StoreProductIdentifier

  /// A product of an app.
  public init(app: AppIdentifier, storeProduct: StoreProductIdentifier) {
    self.app = app
    self.storeProduct = storeProduct
  }

  public static func < (a: WaitingSubscription, b: WaitingSubscription) -> Bool {
    (a.app, a.storeProduct) < (b.app, b.storeProduct)
  }
}
