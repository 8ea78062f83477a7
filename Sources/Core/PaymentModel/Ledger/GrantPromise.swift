package import PaymentPrimitives

/// What a grant was promised to be. The promise is kept with the grant and never changes.
///
/// All later changes of the payment use it: the content is computed again from the signed facts and this promise,
/// never from the current catalog.
package struct GrantPromise: Hashable, Sendable {
  /// Our own id of the product; every delivery of the grant carries it.
  package var product: ProductIdentifier
  /// Whether `product` is the App Store's id, because no kept data has ours. Only in rows of earlier versions.
  package var isStoreProduct: Bool
  package var kind: ProductKind
  /// What one piece gives; nil if no kept data says so. Only in rows of earlier versions.
  package var rule: GrantRule?
  /// What happens when more is taken back than the owner still has.
  package var debt: DebtPolicy

  /// A promise under our own product id.
  package init(product: ProductIdentifier, kind: ProductKind, rule: GrantRule?, debt: DebtPolicy = .negative) {
    self.product = product
    self.isStoreProduct = false
    self.kind = kind
    self.rule = rule
    self.debt = debt
  }

  /// The promise of a catalog entry, or of an order's copy of one.
  package init(of product: Product) {
    self.init(product: product.id, kind: product.kind, rule: product.grant, debt: product.debt)
  }

  /// What it gives for a payment; nil if the rule is unknown, or the number of units does not fit 64 bits.
  package func content(of payment: VerifiedPayment) -> GrantContent? { rule?.content(of: payment) }

  /// The product as promised, sold under that App Store id only; nil if the rule is unknown.
  package func product(as storeProduct: StoreProductIdentifier) -> Product? {
    rule.map { Product(id: product, kind: kind, grant: $0, appStoreProducts: [storeProduct], debt: debt) }
  }
}

/// The origin of a new grant's promise (docs/specification/invariants.md, 4.6).
package enum PromiseOrigin: Hashable, Sendable {
  /// The order that the payment pays: its copy of the product.
  case order
  /// The catalog. WeChat Pay knows no products: there it is the copy in the order that the payment names.
  case catalog
  /// The newest grant of the same App Store product in the same subscription: the catalog no longer has the product.
  case earlier(PaymentKey)
}

/// A product that was granted, as promised at that time.
package struct PromisedProduct: Hashable, Comparable, Sendable {
  package let app: AppIdentifier
  /// Our own id of it, or the App Store's id if no kept data has ours.
  package let product: ProductIdentifier
  /// Whether `product` is the App Store's id.
  package let isStoreProduct: Bool
  package let kind: ProductKind

  package init(app: AppIdentifier, product: ProductIdentifier, isStoreProduct: Bool, kind: ProductKind) {
    self.app = app
    self.product = product
    self.isStoreProduct = isStoreProduct
    self.kind = kind
  }

  /// The promised product of a grant.
  package init(of grant: Grant) {
    self.init(
      app: grant.payment.app, product: grant.promise.product, isStoreProduct: grant.promise.isStoreProduct,
      kind: grant.promise.kind)
  }

  package static func < (a: PromisedProduct, b: PromisedProduct) -> Bool {
    (a.app, a.product, a.isStoreProduct ? 1 : 0, a.kind.rawValue)
      < (b.app, b.product, b.isStoreProduct ? 1 : 0, b.kind.rawValue)
  }
}
