/// A store transaction with a verified signature, in terms that both stores share.
///
/// Protocol modules create it (`AppStoreEvidence`); later code does not depend on a store. A fact that the store may
/// omit is optional here and stays unknown: nothing is filled in.
public struct VerifiedPayment: Hashable, Sendable {
  private var facts: Shared<VerifiedFacts>

  /// The payment's identity: unique for ever.
  public var key: PaymentKey {
    get { facts.value.key }
    set { facts.change { $0.key = newValue } }
  }
  /// Apple's `originalTransactionId`: the subscription, or the first purchase of a non-consumable.
  public var originalTransaction: TransactionIdentifier {
    get { facts.value.originalTransaction }
    set { facts.change { $0.originalTransaction = newValue } }
  }
  /// Apple's `webOrderLineItemId`. Within one subscription, the same item under two transaction ids is one payment.
  public var webOrderLineItem: String? {
    get { facts.value.webOrderLineItem }
    set { facts.change { $0.webOrderLineItem = newValue } }
  }
  /// The store's id of the product. WeChat Pay has none: there it is our own id from the order's snapshot, or empty if
  /// no order of ours is named.
  public var storeProduct: StoreProductIdentifier {
    get { facts.value.storeProduct }
    set { facts.change { $0.storeProduct = newValue } }
  }
  /// The product kind that the store signed.
  public var kind: ProductKind {
    get { facts.value.kind }
    set { facts.change { $0.kind = newValue } }
  }
  /// The number of pieces bought, at least 1.
  public var quantity: Int {
    get { facts.value.quantity }
    set { facts.change { $0.quantity = newValue } }
  }
  /// When this transaction was charged (for a restored one: when it was restored).
  public var purchaseDate: Timestamp {
    get { facts.value.purchaseDate }
    set { facts.change { $0.purchaseDate = newValue } }
  }
  /// When the subscription or non-consumable was first bought.
  public var originalPurchaseDate: Timestamp? {
    get { facts.value.originalPurchaseDate }
    set { facts.change { $0.originalPurchaseDate = newValue } }
  }
  /// The end of the paid period of a subscription.
  public var expiresDate: Timestamp? {
    get { facts.value.expiresDate }
    set { facts.change { $0.expiresDate = newValue } }
  }
  /// When the store signed this evidence; decides which of two updates is newer.
  public var signedDate: Timestamp {
    get { facts.value.signedDate }
    set { facts.change { $0.signedDate = newValue } }
  }
  /// The order id that the store carries, if the token is a UUID.
  public var token: OrderIdentifier? {
    get { facts.value.token }
    set { facts.change { $0.token = newValue } }
  }
  /// Whether the buyer owns it or a family member does.
  public var ownership: Ownership {
    get { facts.value.ownership }
    set { facts.change { $0.ownership = newValue } }
  }
  /// One per Apple account and app; a fallback for recognising a buyer.
  public var appTransaction: String? {
    get { facts.value.appTransaction }
    set { facts.change { $0.appTransaction = newValue } }
  }
  /// Set once the store took the payment back, in whole or in part.
  public var revocation: Revocation? {
    get { facts.value.revocation }
    set { facts.change { $0.revocation = newValue } }
  }
  /// The price that the store states; for the App Store only recorded.
  public var price: StatedPrice? {
    get { facts.value.price }
    set { facts.change { $0.price = newValue } }
  }
  /// The merchant that received the payment, if the store states one: WeChat Pay's `mchid`.
  public var merchant: String? {
    get { facts.value.merchant }
    set { facts.change { $0.merchant = newValue } }
  }
  /// The store's id of the app, if it states one: WeChat Pay's `appid`.
  public var storeApp: String? {
    get { facts.value.storeApp }
    set { facts.change { $0.storeApp = newValue } }
  }
  /// Whether this is an automatic renewal.
  public var isRenewal: Bool {
    get { facts.value.isRenewal }
    set { facts.change { $0.isRenewal = newValue } }
  }
  /// Whether an upgrade replaced the subscription.
  public var isUpgraded: Bool {
    get { facts.value.isUpgraded }
    set { facts.change { $0.isUpgraded = newValue } }
  }
  /// Where the App Store sold it: three letters of a country.
  public var storefront: String? {
    get { facts.value.storefront }
    set { facts.change { $0.storefront = newValue } }
  }
  /// The offer by which it was bought.
  public var offer: StatedOffer? {
    get { facts.value.offer }
    set { facts.change { $0.offer = newValue } }
  }

  /// A payment with the facts that every store states; the optional facts are set afterwards.
  public init(
    key: PaymentKey, originalTransaction: TransactionIdentifier,
    storeProduct: StoreProductIdentifier, kind: ProductKind, quantity: Int,
    purchaseDate: Timestamp, signedDate: Timestamp
  ) {
    facts = Shared(
      VerifiedFacts(
        key: key, originalTransaction: originalTransaction, storeProduct: storeProduct, kind: kind, quantity: quantity,
        purchaseDate: purchaseDate, signedDate: signedDate))
  }

  /// A payment with all its facts at once: each change of a shared value copies it.
  package init(_ facts: VerifiedFacts) { self.facts = Shared(facts) }
}

extension VerifiedPayment {
  /// The first payment of its subscription: the value that all transactions of a subscription, or of a non-consumable,
  /// share.
  public var originalKey: PaymentKey {
    PaymentKey(app: key.app, store: key.store, environment: key.environment, transaction: originalTransaction)
  }

  /// Whether the store took all of it back.
  public var isWhollyRevoked: Bool { revocation.map { ($0.percentage ?? 100_000) >= 100_000 } ?? false }
}

/// The identity of a payment: (app, store, environment, transaction id). The database keeps it unique for ever.
public struct PaymentKey: Hashable, Comparable, Sendable {
  /// The app of the payment.
  public let app: AppIdentifier
  /// The store that took the money.
  public let store: Store
  /// The environment of the payment.
  public let environment: StoreEnvironment
  /// The store's own transaction id.
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

  /// The app and environment of this payment's orders, balances and entitlements.
  public var appEnvironment: AppEnvironment { AppEnvironment(app: app, environment: environment) }

  public static func < (a: PaymentKey, b: PaymentKey) -> Bool {
    (a.app, a.store, a.environment, a.transaction) < (b.app, b.store, b.environment, b.transaction)
  }
}

/// An app in one environment: every order, balance, entitlement and report belongs to one.
public struct AppEnvironment: Hashable, Comparable, Sendable {
  /// The app.
  public let app: AppIdentifier
  /// The environment.
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

/// The owner of a purchase: Apple's `inAppOwnershipType`.
public enum Ownership: Hashable, Sendable {
  /// The Apple account that paid.
  case purchased
  /// A member of the payer's family.
  case familyShared
  /// A seat of a group purchase.
  case assigned
  /// A value that this version does not know, as received; no user can claim it.
  case unknown(String)
}

/// A store's statement that it took a payment back.
public struct Revocation: Hashable, Sendable {
  /// When the store took it back. To the second, it names the refund, whichever path brought the update.
  public var date: Timestamp
  /// Apple's `revocationReason`, as received.
  public var reason: Int64?
  /// Apple's `revocationType`, as received.
  public var type: String?
  /// Apple's `revocationPercentage` in milliunits of a percent: 100 000 is all of it. Nil means all of it.
  public var percentage: Int64?

  /// A revocation on a date; of the whole payment unless `percentage` says otherwise.
  public init(
    date: Timestamp, reason: Int64? = nil, type: String? = nil, percentage: Int64? = nil
  ) {
    self.date = date
    self.reason = reason
    self.type = type
    self.percentage = percentage
  }
}
