public import AppStoreProtocol
public import PaymentVocabulary

/// What the store knows of one transaction. What can be set is what may change after it has come into being.
public struct SimulatedTransaction: Hashable, Sendable {
  /// Apple's number.
  public let id: TransactionIdentifier
  /// The first transaction of the subscription or non-consumable; otherwise its own id.
  public let originalId: TransactionIdentifier
  /// Whose it is.
  public let owner: AppOwner
  /// The product.
  public let product: StoreProductIdentifier
  /// The product's kind.
  public let type: ProductType
  /// Pieces.
  public let quantity: Int
  /// What a piece cost.
  public let price: StatedPrice
  /// When it was charged, in whole seconds; of a renewal made in advance, when the paid period begins.
  public let purchaseDate: Timestamp
  /// When the first transaction was.
  public let originalPurchaseDate: Timestamp
  /// The paid period; nil unless it is a subscription. Its end may be put off (rule AS-EXT-1).
  public internal(set) var period: Period?
  /// The UUID that the app gave to the purchase, or a server set later (rule AS-API-8).
  public internal(set) var appAccountToken: AppStoreUUID?
  /// Who caused it.
  public let reason: TransactionReason
  /// Where it was bought.
  public let environment: SimulatedEnvironment
  /// The country of the store.
  public let storefront: Storefront
  /// Whether money moved: false for a further id of something that was already paid (rule AS-BUY-4).
  public let isCharge: Bool
  /// The transaction that was paid, of a further id of it (rules AS-BUY-4, AS-BUY-7).
  public internal(set) var repeats: TransactionIdentifier?
  /// Whether a member of the buyer's family has it (rule AS-FAM-1).
  public internal(set) var isFamilyShared = false
  /// The buyer's original transaction, of what is shared (rule AS-FAM-1).
  public internal(set) var sharedFrom: TransactionIdentifier?
  /// The offer by which it was charged (rule AS-OFF-1).
  public internal(set) var offer: AppliedOffer?
  /// Whether the device has said that it is done with it.
  public var isFinished = false
  /// What was taken back.
  public var revocation: SimulatedRevocation?
  /// When something was last taken back that was given back since: the next revocation is later (rule AS-REF-4).
  public internal(set) var reversedRevocation: Timestamp?
  /// By what a better subscription of the group has replaced it.
  public internal(set) var upgrade: SimulatedUpgrade?

  /// A paid period of a subscription.
  public struct Period: Hashable, Sendable {
    /// When it ends.
    public let expiresDate: Timestamp
    /// Apple's number of the period.
    public let webOrderLineItemId: String
    /// The group of the subscription.
    public let group: String
  }
}

/// An app of one account: what transactions, downloads and unfinished lists belong to.
public struct AppOwner: Hashable, Comparable, Sendable {
  /// The account.
  public let account: AppleAccountIdentifier
  /// The app.
  public let bundleId: String

  /// An account's app.
  public init(account: AppleAccountIdentifier, bundleId: String) {
    self.account = account
    self.bundleId = bundleId
  }

  public static func < (a: AppOwner, b: AppOwner) -> Bool {
    a.account == b.account ? a.bundleId < b.bundleId : a.account < b.account
  }
}

/// The end of a period that a better subscription of the same group replaced before its time.
public struct SimulatedUpgrade: Hashable, Sendable {
  /// The transaction that took its place.
  public let by: TransactionIdentifier
  /// How much of its price the store paid back for the unused time: 100 000 is everything. What is signed does not say.
  public let refundPercentage: Int64
}

/// A refund, whole or in parts.
public struct SimulatedRevocation: Hashable, Sendable {
  /// When the last part was paid back, in whole seconds.
  public let date: Timestamp
  /// Why.
  public let reason: RevocationReason
  /// How much has been paid back in all: 100 000 is everything.
  public let percentage: Int64
  /// Whether a member of a family lost it, who had paid nothing (rule AS-FAM-4).
  public var isFamily = false

  /// All of it.
  public static let wholePercentage: Int64 = 100_000

  /// Whether nothing of the payment is left.
  public var isWhole: Bool { percentage >= Self.wholePercentage }
}

/// An app on an account: it has one number for ever, whatever is bought, refunded or installed again.
struct AppDownload: Hashable, Sendable {
  let owner: AppOwner
  let appTransactionId: String
  let originalPurchaseDate: Timestamp
  let originalVersion: String
}

/// A subscription: all transactions with one `originalTransactionId`.
struct SimulatedLine: Hashable, Sendable {
  /// The first transaction's id.
  let id: TransactionIdentifier
  let owner: AppOwner
  let group: String
  /// The latest transaction.
  var latest: TransactionIdentifier
  var autoRenews = true
  /// What it renews as, where that is another product than the latest (rule AS-SUB-8).
  var next: StoreProductIdentifier?
  /// When the present run of periods began.
  var recentStart: Timestamp
  /// The buyer's subscription, of one that is shared in a family (rule AS-FAM-3).
  var sharedFrom: TransactionIdentifier?
  /// Renewals of the present run.
  var renewals = 0
  /// How it stands beside its paid period.
  var standing = LineStanding()
}

/// What the store has taken and given back, for tests and reports: nobody else knows the truth.
public struct SimulatedCharge: Hashable, Sendable {
  /// The transaction that was paid.
  public let transaction: SimulatedTransaction
  /// What was paid, in thousandths of the currency's main unit.
  public let milliunits: Int64
  /// How much of it was paid back: 100 000 is everything.
  public let refundedPercentage: Int64
  /// How much of it was paid back because a better subscription took its place.
  public let upgradeRefundPercentage: Int64

  init(_ transaction: SimulatedTransaction) {
    self.transaction = transaction
    milliunits = transaction.price.milliunits * Int64(transaction.quantity)
    refundedPercentage = transaction.revocation?.percentage ?? 0
    upgradeRefundPercentage = transaction.upgrade?.refundPercentage ?? 0
  }
}
