package import PaymentPrimitives

/// All products of one app; each App Store product id belongs to one of them.
package struct Catalog: Sendable {
  /// The products by our own id, in the order of the configuration.
  package let products: [Product]
  /// The products that are not sold any more (`sold = false`): nobody can order them, and what was bought of them goes
  /// on.
  package let retired: Set<ProductIdentifier>
  private let byIdentifier: [ProductIdentifier: Product]
  private let byStoreProduct: [StoreProductIdentifier: Product]

  /// Why products do not form a catalog.
  package enum Problem: Error, Hashable, Sendable {
    /// Two entries have the same id.
    case doubledProduct(ProductIdentifier)
    /// Two entries claim the same App Store product id.
    case doubledStoreProduct(StoreProductIdentifier)
    /// The grant does not fit the kind: units for a subscription, a non-renewing right without a period, no unit at
    /// all.
    case grantDoesNotFitKind(ProductIdentifier)
    /// Sold by no store, and not retired.
    case soldNowhere(ProductIdentifier)
  }

  /// A catalog of those products.
  ///
  /// - Parameter retired: the ones among them that are not sold any more.
  /// - Throws: `Problem` naming the first entry that cannot stand.
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

  /// The products that can be ordered.
  package var sold: [Product] { products.filter { !retired.contains($0.id) } }

  /// The product that an App Store product id means.
  package func product(for storeProduct: StoreProductIdentifier) -> Product? {
    byStoreProduct[storeProduct]
  }
}

extension Product {
  /// Whether what it gives is possible for its kind.
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
