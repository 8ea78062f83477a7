/// One store transaction whose signature has been verified, in words that both stores share.
///
/// Protocol modules make it (`AppStoreEvidence`); from here on the code knows no store. What the store may leave out is
/// optional here and stays unknown: nothing is filled in.
public struct VerifiedPayment: Hashable, Sendable {
  /// The payment's identity: unique for ever.
  public var key: PaymentKey
  /// Apple's `originalTransactionId`: the line of a subscription, the first purchase of a non-consumable.
  public var originalTransaction: TransactionIdentifier
  /// Apple's `webOrderLineItemId`; within one line, the same item under two transaction ids is one payment.
  public var webOrderLineItem: String?
  /// The product as the store knows it; WeChat Pay knows none, so it is our own id from the order's snapshot, or empty
  /// where no order of ours is named.
  public var storeProduct: StoreProductIdentifier
  /// The kind that the store signed.
  public var kind: ProductKind
  /// Pieces bought, at least 1.
  public var quantity: Int
  /// When this transaction was charged (for a restored one: when it was restored).
  public var purchaseDate: Timestamp
  /// When the line or non-consumable was first bought.
  public var originalPurchaseDate: Timestamp?
  /// The end of the paid period of a subscription.
  public var expiresDate: Timestamp?
  /// When the store signed this evidence; decides which of two pieces of news is newer.
  public var signedDate: Timestamp
  /// The order id that the store carried, if the token is a UUID.
  public var token: OrderIdentifier?
  /// Whether the buyer owns it or a family member does.
  public var ownership: Ownership
  /// One per Apple account and app; a fall-back for recognising a buyer.
  public var appTransaction: String?
  /// Set once the store has taken the payment back, wholly or in part.
  public var revocation: Revocation?
  /// What the store says it cost; of the App Store journalled only.
  public var price: StatedPrice?
  /// The merchant that was paid, where the store states one: WeChat Pay's `mchid`.
  public var merchant: String?
  /// The store's name of the app, where it states one: WeChat Pay's `appid`.
  public var storeApp: String?
  /// Whether this is a renewal that nobody tapped.
  public var isRenewal: Bool
  /// True once a subscription was upgraded away.
  public var isUpgraded: Bool

  /// A payment with what every store states; the optional facts are set afterwards.
  public init(
    key: PaymentKey, originalTransaction: TransactionIdentifier,
    storeProduct: StoreProductIdentifier, kind: ProductKind, quantity: Int,
    purchaseDate: Timestamp, signedDate: Timestamp
  ) {
    self.key = key
    self.originalTransaction = originalTransaction
    self.storeProduct = storeProduct
    self.kind = kind
    self.quantity = quantity
    self.purchaseDate = purchaseDate
    self.signedDate = signedDate
    self.ownership = .purchased
    self.isRenewal = false
    self.isUpgraded = false
  }
}

extension VerifiedPayment {
  /// The first payment of its line: what all transactions of a subscription, and all of a non-consumable, share.
  public var line: PaymentKey {
    PaymentKey(app: key.app, store: key.store, environment: key.environment, transaction: originalTransaction)
  }

  /// Whether the store has taken all of it back.
  public var isWhollyRevoked: Bool { revocation.map { ($0.percentage ?? 100_000) >= 100_000 } ?? false }
}

/// The identity of a payment: (app, store, environment, transaction id). The database keeps it unique for ever.
public struct PaymentKey: Hashable, Comparable, Sendable {
  /// The app that it was paid in.
  public let app: AppIdentifier
  /// The store that took the money.
  public let store: Store
  /// The world that it belongs to.
  public let environment: StoreEnvironment
  /// The store's own number.
  public let transaction: TransactionIdentifier

  /// A key from its four parts.
  public init(
    app: AppIdentifier, store: Store, environment: StoreEnvironment,
    transaction: TransactionIdentifier
  ) {
    self.app = app
    self.store = store
    self.environment = environment
    self.transaction = transaction
  }

  /// The app and environment that orders, balances and entitlements of this payment live in.
  public var realm: AppEnvironment { AppEnvironment(app: app, environment: environment) }

  public static func < (a: PaymentKey, b: PaymentKey) -> Bool {
    (a.app, a.store, a.environment, a.transaction) < (b.app, b.store, b.environment, b.transaction)
  }
}

/// An app in one environment: what every order, balance, entitlement and report belongs to.
public struct AppEnvironment: Hashable, Comparable, Sendable {
  /// The app.
  public let app: AppIdentifier
  /// The world.
  public let environment: StoreEnvironment

  /// An app in one environment.
  public init(app: AppIdentifier, environment: StoreEnvironment) {
    self.app = app
    self.environment = environment
  }

  public static func < (a: AppEnvironment, b: AppEnvironment) -> Bool {
    (a.app, a.environment) < (b.app, b.environment)
  }
}

/// Who owns a purchase: Apple's `inAppOwnershipType`.
public enum Ownership: Hashable, Sendable {
  /// The Apple account that paid.
  case purchased
  /// A member of the payer's family.
  case familyShared
  /// A seat of a group purchase.
  case assigned
  /// A value that this version does not know, as it came; treated as nobody's to claim.
  case unknown(String)
}

/// A store's statement that it took a payment back.
public struct Revocation: Hashable, Sendable {
  /// When the store took it back; to the second it names the refund, whichever path brought the news.
  public var date: Timestamp
  /// Apple's `revocationReason`, as it came.
  public var reason: Int64?
  /// Apple's `revocationType`, as it came.
  public var type: String?
  /// Apple's `revocationPercentage` in milliunits of a percent: 100 000 is all of it. Nil means all of it.
  public var percentage: Int64?

  /// A revocation on a date, of the whole unless `percentage` says otherwise.
  public init(
    date: Timestamp, reason: Int64? = nil, type: String? = nil, percentage: Int64? = nil
  ) {
    self.date = date
    self.reason = reason
    self.type = type
    self.percentage = percentage
  }
}
