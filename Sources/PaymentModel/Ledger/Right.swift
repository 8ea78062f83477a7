public import PaymentVocabulary

/// A user's right as it stands at a moment, from all payments that give it.
public struct Right: Hashable, Sendable {
  /// The right.
  public let entitlement: EntitlementName
  /// How it stands now.
  public let state: State
  /// The end of what is paid; nil when it lasts.
  public let until: Timestamp?
  /// The store whose payment gives it longest.
  public let store: Store
  /// Whether a subscription renews; nil for anything else, and where the store has not said.
  public var willRenew: Bool?
  /// The store's product that it renews to.
  public var renewsTo: StoreProductIdentifier?
  /// Until when the buyer keeps his access although the renewal failed.
  public var gracePeriodExpiresDate: Timestamp?
  /// Why it ended, where the store has said.
  public var reason: Reason?

  /// How a right stands. The first two give access.
  public enum State: String, Hashable, CaseIterable, Sendable {
    /// It holds.
    case active
    /// It holds although the renewal could not be charged, for a while.
    case gracePeriod
    /// The renewal could not be charged, and the store still tries.
    case billingRetry
    /// Its time is over.
    case expired
    /// The store took it back.
    case revoked

    /// Whether the user may use what it gives.
    public var givesAccess: Bool { self == .active || self == .gracePeriod }
  }

  /// Why a right ended.
  public enum Reason: String, Hashable, CaseIterable, Sendable {
    /// The buyer cancelled the subscription.
    case cancelled
    /// The renewal could not be charged.
    case billingError
    /// The buyer did not agree to a higher price.
    case priceIncrease
    /// The product could not be sold any more.
    case productUnavailable
    /// Another reason of the store's.
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
public struct RightSource: Hashable, Sendable {
  /// What was given.
  public var grant: Grant
  /// Which kind of product gave it.
  public var kind: ProductKind
  /// The store's product.
  public var storeProduct: StoreProductIdentifier
  /// The payment's `originalTransactionId`.
  public var original: TransactionIdentifier
  /// Whether the store says that the buyer went over to another product.
  public var isUpgraded: Bool
  /// Apple's `revocationType`.
  public var revocationType: String?
  /// What the store says of how the subscription goes on.
  public var renewal: VerifiedRenewal?

  /// A grant that stands as it was given.
  public init(
    _ grant: Grant, kind: ProductKind, original: TransactionIdentifier, storeProduct: StoreProductIdentifier
  ) {
    self.grant = grant
    self.kind = kind
    self.original = original
    self.storeProduct = storeProduct
    self.isUpgraded = false
  }

  /// A grant with its payment's facts.
  public init(_ grant: Grant, of payment: VerifiedPayment, renewal: VerifiedRenewal?) {
    self.init(
      grant, kind: payment.kind, original: payment.originalTransaction, storeProduct: payment.storeProduct)
    self.isUpgraded = payment.isUpgraded
    self.revocationType = payment.revocation?.type
    self.renewal = renewal
  }
}
