package import PaymentPrimitives

/// What a grant was promised to be when it was made. It is kept with the grant, and nothing changes it afterwards.
///
/// Whatever happens to the payment later is measured by it: the content is computed anew from the signed facts and this
/// promise, never from today's catalog.
package struct GrantPromise: Hashable, Sendable {
  /// Our own id of the product; the backend is told it in every delivery of the grant.
  package var product: ProductIdentifier
  /// Whether `product` is the App Store's id, because nothing that is kept says ours. Only rows of earlier versions.
  package var isStoreProduct: Bool
  package var kind: ProductKind
  /// What one piece gives; nil where nothing that is kept says it. Only rows of earlier versions.
  package var rule: GrantRule?
  /// What happens when more is taken back than its owner still has.
  package var debt: DebtPolicy

  /// A promise from its parts, under our own product id.
  package init(product: ProductIdentifier, kind: ProductKind, rule: GrantRule?, debt: DebtPolicy = .negative) {
    self.product = product
    self.isStoreProduct = false
    self.kind = kind
    self.rule = rule
    self.debt = debt
  }

  /// What a catalog entry, or an order's copy of one, promises.
  package init(of product: Product) {
    self.init(product: product.id, kind: product.kind, rule: product.grant, debt: product.debt)
  }

  /// What it gives for a payment; nil where the rule is not known, or the number of units does not fit 64 bits.
  package func content(of payment: VerifiedPayment) -> GrantContent? { rule?.content(of: payment) }

  /// The product as it was promised, sold under that App Store id alone; nil where the rule is not known.
  package func product(as storeProduct: StoreProductIdentifier) -> Product? {
    rule.map { Product(id: product, kind: kind, grant: $0, appStoreProducts: [storeProduct], debt: debt) }
  }
}

/// Where the promise of a new grant comes from (docs/specification/invariants.md, 4.6).
package enum PromiseOrigin: Hashable, Sendable {
  /// The order that the payment pays: its copy of the product.
  case order
  /// The catalog. Of WeChat Pay, which knows no products, it is what the order that the payment names has copied.
  case catalog
  /// The newest grant of the same App Store product in the same subscription: the catalog knows the product no more.
  case earlier(PaymentKey)
}

/// A product of which something was granted, as it was promised then.
package struct PromisedProduct: Hashable, Comparable, Sendable {
  package let app: AppIdentifier
  /// Our own id of it, or the App Store's where nothing says ours.
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

  /// The product that a grant was promised as.
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
