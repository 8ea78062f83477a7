package import PaymentPrimitives

/// A catalog entry: what the team sells, under our own id, and what it grants.
///
/// Each order keeps a copy of the product from the time of the order.
package struct Product: Hashable, Sendable {
  private var details: Shared<ProductDetails>

  package var id: ProductIdentifier {
    get { details.value.id }
    set { details.change { $0.id = newValue } }
  }
  /// One of Apple's four kinds, also for products that only WeChat Pay sells.
  package var kind: ProductKind {
    get { details.value.kind }
    set { details.change { $0.kind = newValue } }
  }
  package var grant: GrantRule {
    get { details.value.grant }
    set { details.change { $0.grant = newValue } }
  }
  /// The App Store product ids of this product, in any number; the preferred one first.
  package var appStoreProducts: [StoreProductIdentifier] {
    get { details.value.appStoreProducts }
    set { details.change { $0.appStoreProducts = newValue } }
  }
  /// The price at WeChat Pay, the only price that we set; nil when WeChat Pay does not sell it.
  package var weChatPrice: Money? {
    get { details.value.weChatPrice }
    set { details.change { $0.weChatPrice = newValue } }
  }
  /// Whether it is a physical product. On iOS, WeChat Pay may be used for physical goods but not for virtual ones.
  package var isPhysical: Bool {
    get { details.value.isPhysical }
    set { details.change { $0.isPhysical = newValue } }
  }
  /// What happens when a refund takes back more units than the user still has.
  package var debt: DebtPolicy {
    get { details.value.debt }
    set { details.change { $0.debt = newValue } }
  }

  package init(
    id: ProductIdentifier, kind: ProductKind, grant: GrantRule,
    appStoreProducts: [StoreProductIdentifier] = [], weChatPrice: Money? = nil,
    isPhysical: Bool = false, debt: DebtPolicy = .negative
  ) {
    details = Shared(
      ProductDetails(
        id: id, kind: kind, grant: grant, appStoreProducts: appStoreProducts, weChatPrice: weChatPrice,
        isPhysical: isPhysical, debt: debt))
  }

  /// How many pieces one order may have: 1 to 10 where pieces add up, otherwise 1.
  package var quantityAllowed: ClosedRange<Int> {
    switch kind {
    case .consumable, .nonRenewing: 1...10
    case .nonConsumable, .autoRenewable: 1...1
    }
  }
}

extension Product {
  /// Whether a payment is for this product. The App Store signs one of its product ids and its kind. WeChat Pay knows
  /// neither: there the payment carries our own id from the order.
  func isMeant(by payment: VerifiedPayment) -> Bool {
    switch payment.key.store {
    // An order keeps a wrong kind if the catalog had it at that time. Such an order promises nothing that the store
    // sold.
    case .appStore: appStoreProducts.contains(payment.storeProduct) && kind == payment.kind
    case .weChatPay: id.text.utf8.elementsEqual(payment.storeProduct.text.utf8)
    }
  }
}

/// What one piece of a product gives.
package enum GrantRule: Hashable, Sendable {
  /// A number of units on a balance.
  case units(UnitName, perPiece: Int64)
  /// An entitlement. It is lasting (no period, non-consumable), ends at the store's expiry date (auto-renewable), or
  /// has a period from the purchase (non-renewing).
  case entitlement(EntitlementName, period: TimeSpan?)
}

/// What a `Product` states; its copies share it.
private struct ProductDetails: Hashable, Sendable {
  var id: ProductIdentifier
  var kind: ProductKind
  var grant: GrantRule
  var appStoreProducts: [StoreProductIdentifier]
  var weChatPrice: Money?
  var isPhysical: Bool
  var debt: DebtPolicy
}
