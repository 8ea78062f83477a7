import PaymentModel
import PaymentPrimitives

// Products that are configured with another kind than the stores sell them as.

extension WorldCatalog {
  private static func sold(_ id: ProductIdentifier) -> Product? {
    (WorldShop.products + WorldShop.subscriptions).first { $0.id == id }
  }

  /// Whether a product has another kind than the App Store sells it as.
  static func isOfWrongKind(_ product: Product) -> Bool {
    sold(product.id).map { $0.kind != product.kind } ?? false
  }

  /// It with another kind, and with what a product of that kind can give.
  ///
  /// WeChat Pay signs no kind and would sell it as what it is not: its kind could then not be put right any more, and a
  /// product with a new id would have to take its place (docs/specification/invariants.md, 4.7). So the App Store alone
  /// sells it meanwhile.
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

  /// It with its own kind again, and what it gives at first; a right keeps the name that it has by now.
  static func ofOwnKind(_ product: Product) -> Product {
    guard isOfWrongKind(product), let first = sold(product.id) else { return product }
    var right = product
    (right.kind, right.weChatPrice) = (first.kind, first.weChatPrice)
    if case .entitlement(let name, _) = product.grant, case .entitlement(_, let period) = first.grant {
      right.grant = .entitlement(name, period: period)
    }
    return right
  }

  /// What a server may have sold that was configured with a wrong kind: what has grants goes on as it was granted last,
  /// under the names and at the price that are configured.
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
