public import PaymentVocabulary

/// What a grant was promised to be when it was made. It is kept with the grant, and nothing changes it afterwards.
///
/// Whatever happens to the payment later is measured by it: the content is computed anew from the signed facts and this
/// promise, never from today's catalog.
public struct GrantPromise: Hashable, Sendable {
  /// Our own id of the product; the backend is told it in every delivery of the grant.
  public var product: ProductIdentifier
  /// Whether `product` is the App Store's id, because nothing that is kept says ours. Only rows of earlier versions.
  public var isStoreProduct: Bool
  /// The kind of the product.
  public var kind: ProductKind
  /// What one piece gives; nil where nothing that is kept says it. Only rows of earlier versions.
  public var rule: GrantRule?
  /// What happens when more is taken back than its owner still has.
  public var debt: DebtPolicy

  /// A promise from its parts, under our own product id.
  public init(product: ProductIdentifier, kind: ProductKind, rule: GrantRule?, debt: DebtPolicy = .negative) {
    self.product = product
    self.isStoreProduct = false
    self.kind = kind
    self.rule = rule
    self.debt = debt
  }

  /// What a catalog entry, or an order's copy of one, promises.
  public init(of product: Product) {
    self.init(product: product.id, kind: product.kind, rule: product.grant, debt: product.debt)
  }

  /// What it gives for a payment; nil where the rule is not known, or the number of units does not fit 64 bits.
  public func content(of payment: VerifiedPayment) -> GrantContent? { rule?.content(of: payment) }

  /// The product as it was promised, sold under that App Store id alone; nil where the rule is not known.
  public func product(as storeProduct: StoreProductIdentifier) -> Product? {
    rule.map { Product(id: product, kind: kind, grant: $0, appStoreProducts: [storeProduct], debt: debt) }
  }
}

/// Where the promise of a new grant comes from (docs/specification/invariants.md, 4.6).
public enum PromiseOrigin: Hashable, Sendable {
  /// The order that the payment pays: its copy of the product.
  case order
  /// The catalog. Of WeChat Pay, which knows no products, it is what the order that the payment names has copied.
  case catalog
  /// The newest grant of the same App Store product in the same subscription: the catalog knows the product no more.
  case earlier(PaymentKey)
}

/// A product of which something was granted, as it was promised then.
public struct PromisedProduct: Hashable, Comparable, Sendable {
  /// The app.
  public let app: AppIdentifier
  /// Our own id of it, or the App Store's where nothing says ours.
  public let product: ProductIdentifier
  /// Whether `product` is the App Store's id.
  public let isStoreProduct: Bool
  /// Its kind.
  public let kind: ProductKind

  /// A product of an app.
  public init(app: AppIdentifier, product: ProductIdentifier, isStoreProduct: Bool, kind: ProductKind) {
    self.app = app
    self.product = product
    self.isStoreProduct = isStoreProduct
    self.kind = kind
  }

  /// The product that a grant was promised as.
  public init(of grant: Grant) {
    self.init(
      app: grant.payment.app, product: grant.promise.product, isStoreProduct: grant.promise.isStoreProduct,
      kind: grant.promise.kind)
  }

  public static func < (a: PromisedProduct, b: PromisedProduct) -> Bool {
    (a.app, a.product, a.isStoreProduct ? 1 : 0, a.kind.rawValue)
      < (b.app, b.product, b.isStoreProduct ? 1 : 0, b.kind.rawValue)
  }
}
