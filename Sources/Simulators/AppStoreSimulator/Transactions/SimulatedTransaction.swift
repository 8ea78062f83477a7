package import AppStoreProtocol
package import PaymentPrimitives

/// The App Store's data about one transaction. Only the variables may change after its creation.
package struct SimulatedTransaction: Hashable, Sendable {
  package let id: TransactionIdentifier
  /// The first transaction of the subscription or non-consumable; otherwise its own id.
  package let originalId: TransactionIdentifier
  package let owner: AppOwner
  package let product: StoreProductIdentifier
  package let type: ProductType
  package let quantity: Int
  package let price: StatedPrice
  /// The time of the charge, in whole seconds; for a renewal in advance, the start of the paid period.
  package let purchaseDate: Timestamp
  package let originalPurchaseDate: Timestamp
  /// The paid period; nil unless it is a subscription. An extension changes its end (rule AS-EXT-1).
  package internal(set) var period: Period?
  /// The UUID that the app gave to the purchase, or that a server set later (rule AS-API-8).
  package internal(set) var appAccountToken: AppStoreUUID?
  package let reason: TransactionReason
  package let environment: SimulatedEnvironment
  package let storefront: Storefront
  /// Whether there was a charge: false for a duplicate of an earlier payment (rule AS-BUY-4).
  package let isCharge: Bool
  /// For a duplicate: the transaction that was paid (rules AS-BUY-4, AS-BUY-7).
  package internal(set) var repeats: TransactionIdentifier?
  /// Whether a member of the buyer's family has it (rule AS-FAM-1).
  package internal(set) var isFamilyShared = false
  /// For a family share: the buyer's original transaction (rule AS-FAM-1).
  package internal(set) var sharedFrom: TransactionIdentifier?
  /// The offer of the charge (rule AS-OFF-1).
  package internal(set) var offer: AppliedOffer?
  /// Whether the device or the server has finished it.
  package var isFinished = false
  package var revocation: SimulatedRevocation?
  /// The date of the last revocation that was reversed: the next revocation must be later (rule AS-REF-4).
  package internal(set) var reversedRevocation: Timestamp?
  /// The better subscription of the group that replaced it.
  package internal(set) var upgrade: SimulatedUpgrade?

  /// A paid period of a subscription.
  package struct Period: Hashable, Sendable {
    package let expiresDate: Timestamp
    package let webOrderLineItemId: String
    package let group: String
  }
}

extension SimulatedTransaction {
  /// Whether its period is a free trial, as receipts say it.
  var isTrial: Bool { offer?.offer.payment == .freeTrial }

  /// Whether its period has an introductory price. A free trial is none, in receipts.
  var isIntroduced: Bool { offer?.offer.kind == .introductoryOffer && !isTrial }
}

/// An app of one account: the owner of transactions, downloads and unfinished lists.
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

/// The replacement of a period by a better subscription of the same group, before the end of the period.
package struct SimulatedUpgrade: Hashable, Sendable {
  /// The transaction that replaced it.
  package let by: TransactionIdentifier
  /// The part of its price that the App Store refunded for the unused time: 100 000 is all of it. The signed payload
  /// does not contain it.
  package let refundPercentage: Int64
}

/// A refund, complete or partial.
package struct SimulatedRevocation: Hashable, Sendable {
  /// The time of the last partial refund, in whole seconds.
  package let date: Timestamp
  package let reason: RevocationReason
  /// The total refunded so far: 100 000 is all of it.
  package let percentage: Int64
  /// Whether it ends a family member's share, which was never charged (rule AS-FAM-4).
  package var isFamily = false

  package static let wholePercentage: Int64 = 100_000

  /// Whether the whole payment is refunded.
  package var isWhole: Bool { percentage >= Self.wholePercentage }
}

/// An app on an account. Its number never changes, whatever is bought, refunded or reinstalled.
struct AppDownload: Hashable, Sendable {
  let owner: AppOwner
  let appTransactionId: String
  let originalPurchaseDate: Timestamp
  let originalVersion: String
}

/// A subscription: all transactions with one `originalTransactionId`.
struct SimulatedSubscription: Hashable, Sendable {
  let id: TransactionIdentifier
  let owner: AppOwner
  let group: String
  var latest: TransactionIdentifier
  var autoRenews = true
  /// The renewal product, if it differs from the latest (rule AS-SUB-8).
  var next: StoreProductIdentifier?
  /// When the current sequence of periods began.
  var recentStart: Timestamp
  /// For a family share: the buyer's subscription (rule AS-FAM-3).
  var sharedFrom: TransactionIdentifier?
  var renewals = 0
  /// When its renewal date was extended, as far as the limit of a year needs it (rule AS-EXT-3).
  var extensions: [Timestamp] = []
  /// Its state beside the paid period.
  var standing = SubscriptionStanding()

  mutating func noteExtension(at moment: Timestamp) {
    extensions = (extensions + [moment]).suffix(SimulatorLimits.extensionsPerYear)
  }
}

/// A charge and its refunds, for tests and reports: no other component knows the true charges.
package struct SimulatedCharge: Hashable, Sendable {
  package let transaction: SimulatedTransaction
  /// The payment, in thousandths of the currency's main unit.
  package let milliunits: Int64
  /// The refunded part of it: 100 000 is all of it.
  package let refundedPercentage: Int64
  /// The part that was refunded because a better subscription replaced it.
  package let upgradeRefundPercentage: Int64

  init(_ transaction: SimulatedTransaction) {
    self.transaction = transaction
    milliunits = transaction.price.milliunits * Int64(transaction.quantity)
    refundedPercentage = transaction.revocation?.percentage ?? 0
    upgradeRefundPercentage = transaction.upgrade?.refundPercentage ?? 0
  }
}
