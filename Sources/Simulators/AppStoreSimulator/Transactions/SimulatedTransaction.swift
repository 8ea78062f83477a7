package import AppStoreProtocol
package import PaymentPrimitives

/// What the store knows of one transaction. What can be set is what may change after it has come into being.
package struct SimulatedTransaction: Hashable, Sendable {
  package let id: TransactionIdentifier
  /// The first transaction of the subscription or non-consumable; otherwise its own id.
  package let originalId: TransactionIdentifier
  package let owner: AppOwner
  package let product: StoreProductIdentifier
  package let type: ProductType
  package let quantity: Int
  package let price: StatedPrice
  /// When it was charged, in whole seconds; of a renewal made in advance, when the paid period begins.
  package let purchaseDate: Timestamp
  package let originalPurchaseDate: Timestamp
  /// The paid period; nil unless it is a subscription. Its end may be put off (rule AS-EXT-1).
  package internal(set) var period: Period?
  /// The UUID that the app gave to the purchase, or a server set later (rule AS-API-8).
  package internal(set) var appAccountToken: AppStoreUUID?
  package let reason: TransactionReason
  package let environment: SimulatedEnvironment
  package let storefront: Storefront
  /// Whether money moved: false for a further id of something that was already paid (rule AS-BUY-4).
  package let isCharge: Bool
  /// The transaction that was paid, of a further id of it (rules AS-BUY-4, AS-BUY-7).
  package internal(set) var repeats: TransactionIdentifier?
  /// Whether a member of the buyer's family has it (rule AS-FAM-1).
  package internal(set) var isFamilyShared = false
  /// The buyer's original transaction, of what is shared (rule AS-FAM-1).
  package internal(set) var sharedFrom: TransactionIdentifier?
  /// The offer by which it was charged (rule AS-OFF-1).
  package internal(set) var offer: AppliedOffer?
  /// Whether the device has said that it is done with it.
  package var isFinished = false
  package var revocation: SimulatedRevocation?
  /// When something was last taken back that was given back since: the next revocation is later (rule AS-REF-4).
  package internal(set) var reversedRevocation: Timestamp?
  /// By what a better subscription of the group has replaced it.
  package internal(set) var upgrade: SimulatedUpgrade?

  /// A paid period of a subscription.
  package struct Period: Hashable, Sendable {
    package let expiresDate: Timestamp
    package let webOrderLineItemId: String
    package let group: String
  }
}

/// An app of one account: what transactions, downloads and unfinished lists belong to.
package struct AppOwner: Hashable, Comparable, Sendable {
  package let account: AppleAccountIdentifier
  package let bundleId: String

  package init(account: AppleAccountIdentifier, bundleId: String) {
    self.account = account
    self.bundleId = bundleId
  }

  package static func < (a: AppOwner, b: AppOwner) -> Bool {
    a.account == b.account ? a.bundleId < b.bundleId : a.account < b.account
  }
}

/// The end of a period that a better subscription of the same group replaced before its time.
package struct SimulatedUpgrade: Hashable, Sendable {
  /// The transaction that took its place.
  package let by: TransactionIdentifier
  /// How much of its price the store paid back for the unused time: 100 000 is everything. What is signed does not say.
  package let refundPercentage: Int64
}

/// A refund, whole or in parts.
package struct SimulatedRevocation: Hashable, Sendable {
  /// When the last part was paid back, in whole seconds.
  package let date: Timestamp
  package let reason: RevocationReason
  /// How much has been paid back in all: 100 000 is everything.
  package let percentage: Int64
  /// Whether a member of a family lost it, who had paid nothing (rule AS-FAM-4).
  package var isFamily = false

  package static let wholePercentage: Int64 = 100_000

  /// Whether nothing of the payment is left.
  package var isWhole: Bool { percentage >= Self.wholePercentage }
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
  let id: TransactionIdentifier
  let owner: AppOwner
  let group: String
  var latest: TransactionIdentifier
  var autoRenews = true
  /// What it renews as, where that is another product than the latest (rule AS-SUB-8).
  var next: StoreProductIdentifier?
  /// When the present run of periods began.
  var recentStart: Timestamp
  /// The buyer's subscription, of one that is shared in a family (rule AS-FAM-3).
  var sharedFrom: TransactionIdentifier?
  var renewals = 0
  /// How it stands beside its paid period.
  var standing = LineStanding()
}

/// What the store has taken and given back, for tests and reports: nobody else knows the truth.
package struct SimulatedCharge: Hashable, Sendable {
  package let transaction: SimulatedTransaction
  /// What was paid, in thousandths of the currency's main unit.
  package let milliunits: Int64
  /// How much of it was paid back: 100 000 is everything.
  package let refundedPercentage: Int64
  /// How much of it was paid back because a better subscription took its place.
  package let upgradeRefundPercentage: Int64

  init(_ transaction: SimulatedTransaction) {
    self.transaction = transaction
    milliunits = transaction.price.milliunits * Int64(transaction.quantity)
    refundedPercentage = transaction.revocation?.percentage ?? 0
    upgradeRefundPercentage = transaction.upgrade?.refundPercentage ?? 0
  }
}
