package import PaymentPrimitives

/// A catalog entry: what the team sells, under our own id, and what it gives.
///
/// Orders keep a copy of it as it was when they were made.
package struct Product: Hashable, Sendable {
  package var id: ProductIdentifier
  /// Apple's four kinds; also for what only WeChat Pay sells.
  package var kind: ProductKind
  package var grant: GrantRule
  /// Any number of App Store product ids that mean this product, the preferred one first.
  package var appStoreProducts: [StoreProductIdentifier]
  /// The price at WeChat Pay, the only one that we set; nil when it is not sold there.
  package var weChatPrice: Money?
  /// Physical goods may be paid by WeChat Pay on iOS; virtual ones may not.
  package var isPhysical: Bool
  /// What happens when a refund takes back more units than the user still has.
  package var debt: DebtPolicy

  package init(
    id: ProductIdentifier, kind: ProductKind, grant: GrantRule,
    appStoreProducts: [StoreProductIdentifier] = [], weChatPrice: Money? = nil,
    isPhysical: Bool = false, debt: DebtPolicy = .negative
  ) {
    self.id = id
    self.kind = kind
    self.grant = grant
    self.appStoreProducts = appStoreProducts
    self.weChatPrice = weChatPrice
    self.isPhysical = isPhysical
    self.debt = debt
  }

  /// How many pieces one order may be for: 1 to 10 where pieces add up, otherwise 1.
  package var quantityAllowed: ClosedRange<Int> {
    switch kind {
    case .consumable, .nonRenewing: 1...10
    case .nonConsumable, .autoRenewable: 1...1
    }
  }
}

extension Product {
  /// Whether a payment is for it: the App Store signs one of its product ids, and its kind; at WeChat Pay, which knows
  /// neither, the payment carries our own id from the order.
  func isMeant(by payment: VerifiedPayment) -> Bool {
    switch payment.key.store {
    // An order that was made while the catalog named a wrong kind promises nothing that the store has sold.
    case .appStore: appStoreProducts.contains(payment.storeProduct) && kind == payment.kind
    case .weChatPay: id.text.utf8.elementsEqual(payment.storeProduct.text.utf8)
    }
  }
}

/// What one piece of a product gives.
package enum GrantRule: Hashable, Sendable {
  /// So many units on a balance.
  case units(UnitName, perPiece: Int64)
  /// A right: lasting (no period, non-consumable), to the store's expiry date (auto-renewable), or for a period that
  /// starts with the purchase (non-renewing).
  case entitlement(EntitlementName, period: TimeSpan?)
}
