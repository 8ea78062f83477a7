package import PaymentPrimitives

/// All products of one app. Each App Store product id belongs to one of them.
package struct Catalog: Sendable {
  /// The products by our own id, in the order of the configuration.
  package let products: [Product]
  /// The products that are no longer sold (`sold = false`). They cannot be ordered; earlier purchases of them stay
  /// valid.
  package let retired: Set<ProductIdentifier>
  private let byIdentifier: [ProductIdentifier: Product]
  private let byStoreProduct: [StoreProductIdentifier: Product]

  /// Why a list of products is not a valid catalog.
  package enum Problem: Error, Hashable, Sendable {
    /// Two entries have the same id.
    case doubledProduct(ProductIdentifier)
    /// Two entries claim the same App Store product id.
    case doubledStoreProduct(StoreProductIdentifier)
    /// The grant does not fit the kind. Examples: units for a subscription, a non-renewing entitlement without a
    /// period, zero units.
    case grantDoesNotFitKind(ProductIdentifier)
    /// No store sells it, and it is not retired.
    case soldNowhere(ProductIdentifier)
  }

  /// Creates a catalog of those products.
  ///
  /// - Parameter retired: the products among them that are no longer sold.
  /// - Throws: `Problem` for the first entry that is not valid.
  package init(_ products: [Product], retired: Set<ProductIdentifier> = []) throws(Problem) {
    var byIdentifier: [ProductIdentifier: Product] = [:]
    var byStoreProduct: [StoreProductIdentifier: Product] = [:]
    for product in products {
      guard byIdentifier.updateValue(product, forKey: product.id) == nil else {
        throw .doubledProduct(product.id)
      }
      guard product.grantFitsKind else { throw .grantDoesNotFitKind(product.id) }
      guard !product.appStoreProducts.isEmpty || product.weChatPrice != nil || retired.contains(product.id) else {
        throw .soldNowhere(product.id)
      }
      for storeProduct in product.appStoreProducts {
        guard byStoreProduct.updateValue(product, forKey: storeProduct) == nil else {
          throw .doubledStoreProduct(storeProduct)
        }
      }
    }
    self.products = products
    self.retired = retired
    self.byIdentifier = byIdentifier
    self.byStoreProduct = byStoreProduct
  }

  /// The product with our own id.
  package subscript(_ id: ProductIdentifier) -> Product? { byIdentifier[id] }

  package var sold: [Product] { products.filter { !retired.contains($0.id) } }

  /// The product that an App Store product id refers to.
  package func product(for storeProduct: StoreProductIdentifier) -> Product? {
    byStoreProduct[storeProduct]
  }
}

extension Product {
  /// Whether the grant is possible for the kind of product.
  fileprivate var grantFitsKind: Bool {
    switch (kind, grant) {
    case (.consumable, .units(_, let perPiece)): perPiece > 0
    case (.consumable, .entitlement): false
    case (.nonRenewing, .entitlement(_, let period)): (period ?? .zero) > .zero
    case (.nonRenewing, .units): false
    case (.nonConsumable, .entitlement(_, let period)), (.autoRenewable, .entitlement(_, let period)):
      period == nil
    case (.nonConsumable, .units(_, let perPiece)): perPiece > 0
    case (.autoRenewable, .units): false
    }
  }
}
