package import PaymentPrimitives

/// A user's entitlement at one moment, from all payments that give it.
package struct Entitlement: Hashable, Sendable {
  package let entitlement: EntitlementName
  package let state: State
  /// The end of the paid time; nil if it lasts.
  package let until: Timestamp?
  /// The store of the payment that gives it longest.
  package let store: Store
  /// Whether a subscription renews; nil for anything else, and if the store has not said.
  package var willRenew: Bool?
  /// The store's product of the next renewal.
  package var renewsTo: StoreProductIdentifier?
  /// Until when the buyer keeps access although the renewal failed.
  package var gracePeriodExpiresDate: Timestamp?
  /// Why it ended, if the store has said.
  package var reason: Reason?

  /// The state of an entitlement. The first two give access.
  package enum State: String, Hashable, CaseIterable, Sendable {
    case active
    /// The charge for the renewal failed; access continues for a limited time.
    case gracePeriod
    /// The charge for the renewal failed, and the store still retries.
    case billingRetry
    case expired
    case revoked

    /// Whether the user may use what it gives.
    package var givesAccess: Bool { self == .active || self == .gracePeriod }
  }

  package enum Reason: String, Hashable, CaseIterable, Sendable {
    case cancelled
    /// The charge for the renewal failed.
    case billingError
    /// The buyer did not accept a higher price.
    case priceIncrease
    /// The product was no longer available.
    case productUnavailable
    case other
    /// The buyer changed to another product of the subscription.
    case upgraded
    /// The store refunded the money.
    case refunded
    /// The family no longer shares it.
    case familySharingEnded
  }

  init(_ entitlement: EntitlementName, _ state: State, until: Timestamp?, store: Store) {
    self.entitlement = entitlement
    self.state = state
    self.until = until
    self.store = store
  }
}

/// A grant of an entitlement, with the facts that decide how long it holds.
package struct EntitlementSource: Hashable, Sendable {
  package var grant: Grant
  /// The kind of the product that gave it.
  package var kind: ProductKind
  package var storeProduct: StoreProductIdentifier
  /// The payment's `originalTransactionId`.
  package var original: TransactionIdentifier
  /// Whether the store says that the buyer changed to another product.
  package var isUpgraded: Bool
  /// Apple's `revocationType`.
  package var revocationType: String?
  /// The store's statement on how the subscription continues.
  package var renewal: VerifiedRenewal?

  /// A grant without later changes.
  package init(
    _ grant: Grant, kind: ProductKind, original: TransactionIdentifier, storeProduct: StoreProductIdentifier
  ) {
    self.grant = grant
    self.kind = kind
    self.original = original
    self.storeProduct = storeProduct
    self.isUpgraded = false
  }

  /// A grant with its payment's facts.
  package init(_ grant: Grant, of payment: VerifiedPayment, renewal: VerifiedRenewal?) {
    self.init(
      grant, kind: payment.kind, original: payment.originalTransaction, storeProduct: payment.storeProduct)
    self.isUpgraded = payment.isUpgraded
    self.revocationType = payment.revocation?.type
    self.renewal = renewal
  }
}
