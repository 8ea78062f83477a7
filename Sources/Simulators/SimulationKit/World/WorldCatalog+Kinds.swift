import PaymentModel
import PaymentPrimitives

// Products that are configured with a kind other than the stores' kind.

extension WorldCatalog {
  private static func sold(_ id: ProductIdentifier) -> Product? {
    (WorldShop.products + WorldShop.subscriptions).first { $0.id == id }
  }

  /// Whether a product's configured kind differs from the kind that the App Store sells.
  static func isOfWrongKind(_ product: Product) -> Bool {
    sold(product.id).map { $0.kind != product.kind } ?? false
  }

  /// The product with another kind, and with a grant that fits this kind.
  ///
  /// WeChat Pay signs no kind and would sell the product as the wrong one. Its kind could then not be corrected any
  /// more, and a product with a new id would have to replace it (docs/specification/invariants.md, 4.7). So only the
  /// App Store sells it meanwhile.
  static func ofWrongKind(_ product: Product) -> Product {
    var wrong = product
    wrong.weChatPrice = nil
    switch product.kind {
    case .consumable, .nonRenewing, .autoRenewable: wrong.kind = .nonConsumable
    case .nonConsumable: wrong.kind = .nonRenewing
    }
    if case .entitlement(let name, _) = product.grant {
      wrong.grant = .entitlement(name, period: wrong.kind == .nonRenewing ? .days(60) : nil)
    }
    return wrong
  }

  /// The product with its own kind and first grant again; an entitlement keeps its current name.
  static func ofOwnKind(_ product: Product) -> Product {
    guard isOfWrongKind(product), let first = sold(product.id) else { return product }
    var right = product
    (right.kind, right.weChatPrice) = (first.kind, first.weChatPrice)
    if case .entitlement(let name, _) = product.grant, case .entitlement(_, let period) = first.grant {
      right.grant = .entitlement(name, period: period)
    }
    return right
  }

  /// The products that a server may have sold while a wrong kind is configured. A product with grants continues with
  /// its last granted kind, under the configured names and at the configured price.
  static func goingOn(_ product: Product, as earlier: [Product]) -> [Product] {
    guard isOfWrongKind(product) else { return [product] }
    return [product]
      + earlier.filter { $0.id == product.id }.map { earlier in
        var going = product
        (going.kind, going.grant) = (earlier.kind, earlier.grant)
        return going
      }
  }
}
