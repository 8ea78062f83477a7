package import PaymentPrimitives

/// A user's right as it stands at a moment, from all payments that give it.
package struct Entitlement: Hashable, Sendable {
  package let entitlement: EntitlementName
  package let state: State
  /// The end of what is paid; nil when it lasts.
  package let until: Timestamp?
  /// The store whose payment gives it longest.
  package let store: Store
  /// Whether a subscription renews; nil for anything else, and where the store has not said.
  package var willRenew: Bool?
  /// The store's product that it renews to.
  package var renewsTo: StoreProductIdentifier?
  /// Until when the buyer keeps his access although the renewal failed.
  package var gracePeriodExpiresDate: Timestamp?
  /// Why it ended, where the store has said.
  package var reason: Reason?

  /// How a right stands. The first two give access.
  package enum State: String, Hashable, CaseIterable, Sendable {
    case active
    /// It holds although the renewal could not be charged, for a while.
    case gracePeriod
    /// The renewal could not be charged, and the store still tries.
    case billingRetry
    case expired
    case revoked

    /// Whether the user may use what it gives.
    package var givesAccess: Bool { self == .active || self == .gracePeriod }
  }

  package enum Reason: String, Hashable, CaseIterable, Sendable {
    case cancelled
    /// The renewal could not be charged.
    case billingError
    /// The buyer did not agree to a higher price.
    case priceIncrease
    /// The product could not be sold any more.
    case productUnavailable
    case other
    /// The buyer went over to another product of the subscription.
    case upgraded
    /// The store gave the money back.
    case refunded
    /// The family does not share it any more.
    case familySharingEnded
  }

  init(_ entitlement: EntitlementName, _ state: State, until: Timestamp?, _ store: Store) {
    self.entitlement = entitlement
    self.state = state
    self.until = until
    self.store = store
  }
}

/// A grant of a right, with what decides how long it holds.
package struct EntitlementSource: Hashable, Sendable {
  package var grant: Grant
  /// Which kind of product gave it.
  package var kind: ProductKind
  package var storeProduct: StoreProductIdentifier
  /// The payment's `originalTransactionId`.
  package var original: TransactionIdentifier
  /// Whether the store says that the buyer went over to another product.
  package var isUpgraded: Bool
  /// Apple's `revocationType`.
  package var revocationType: String?
  /// What the store says of how the subscription goes on.
  package var renewal: VerifiedRenewal?

  /// A grant that stands as it was given.
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
