package import AppStoreSimulator
package import PaymentPrimitives

/// An entry of StoreKit 1's queue. It belongs to the app and the Apple account on this device, and outlives the process
/// (rule SK1-4).
package struct QueueEntry: Hashable, Sendable {
  /// The state, numbered like `SKPaymentTransactionState`.
  package enum State: Int, Sendable {
    /// In the sheet, or waiting for one.
    case purchasing = 0
    case purchased = 1
    /// Ended without a charge, as far as the device knows.
    case failed = 2
    /// An earlier purchase, delivered again because the customer asked.
    case restored = 3
    case deferred = 4
  }

  /// Its identity on this device; never reused.
  package let handle: Int
  package internal(set) var state: State
  /// The product; nil when the queue has lost it (rule SK1-5).
  package internal(set) var product: StoreProductIdentifier?
  /// Pieces (rule SK1-10).
  package let quantity: Int
  /// The app's `applicationUsername`: kept only within the process that set it (rule SK1-9).
  package internal(set) var userName: String?
  /// The App Store's transaction id: in `purchased` and `restored` only (rule SK1-5).
  package internal(set) var transaction: TransactionIdentifier?
  /// When it was charged: in `purchased` and `restored` only (rule SK1-5).
  package internal(set) var date: Timestamp?
  /// Why it failed: in `failed` only (rule SK1-5).
  package internal(set) var failure: DeviceFailure?
  /// The first purchase: in `restored`, and in a renewal (rules SK1-5, SK1-19).
  package internal(set) var original: TransactionIdentifier?
  /// Whether a sheet was opened for it.
  var isInSheet = false
  /// Whether the payment was made from a product (rule SK1-27).
  var hasProduct = true
  /// The payment's promotional offer, and its signature (rule SK1-25).
  var offer: String?
  var offerSignature: SimulatedOfferSignature?
}

/// Why the device did not do what the app asked.
package enum DeviceFailure: Error, Hashable, Sendable {
  /// A failure without a code of its own; the number is the App Store's: 3038 new terms, 2024 confirm the payment.
  case unknown(inner: Int)
  /// The customer cancelled, or the device reports so.
  case cancelled
  case notAllowed
  case productUnavailable
  case quantityNotAllowed
  case networkDown
  /// No one is signed in to the App Store (rule ACC-5).
  case signedOut
  /// There is no such offer, or this customer may not use it.
  case offerNotAllowed
  /// The offer's signature is not valid for this payment.
  case offerSignatureInvalid
}

/// A payment as the app hands it over.
package struct DevicePayment: Hashable, Sendable {
  /// The product id, known to the App Store or not.
  package let product: StoreProductIdentifier
  package var quantity: Int
  /// `applicationUsername` under StoreKit 1, `appAccountToken` as text under StoreKit 2.
  package var userName: String?
  /// Whether it was made from a product that the store had described; otherwise from a bare id (rule SK1-27).
  package var hasProduct = true
  /// The id of the offer for this purchase.
  package var offer: String?
  /// The team's signature for a promotional offer (rules SK1-25, SK2-27).
  package var offerSignature: SimulatedOfferSignature?

  package init(product: StoreProductIdentifier, quantity: Int, userName: String?) {
    self.product = product
    self.quantity = quantity
    self.userName = userName
  }
}

/// What StoreKit 1's queue tells its observers.
package enum QueueUpdate: Hashable, Sendable {
  /// Entries that are new or changed; several products and states may come at once (rule SK1-6).
  case updated([QueueEntry])
  /// Entries that left the queue (rule SK1-12).
  case removed([QueueEntry])
  /// The end of a restore (rule SK1-18).
  case restoreFinished
  /// The failure of a restore; the error may be missing (rule SK1-18).
  case restoreFailed(DeviceFailure?)
  /// The entitlements to these products were revoked (rule SK1-20).
  case revoked([StoreProductIdentifier])
  /// The customer starts this purchase from outside the app (rule SK1-21).
  case promoted(DevicePayment)
  /// The App Store's country has changed (rule SK2-30).
  case storefrontChanged
}

extension QueueEntry {
  /// The first purchase of the subscription or product that this entry restores or renews; that entry is in no queue.
  package func first(_ original: TransactionIdentifier) -> QueueEntry {
    var entry = QueueEntry(handle: -handle, state: .purchased, product: product, quantity: quantity)
    entry.transaction = original
    entry.date = date
    return entry
  }

  /// Marks the entry as charged (rule SK1-5).
  mutating func charge(_ transaction: SimulatedTransaction) {
    state = .purchased
    self.transaction = transaction.id
    date = transaction.purchaseDate
    failure = nil
    // Rule SK1-19: a renewal names its first purchase.
    original = transaction.originalId == transaction.id ? nil : transaction.originalId
  }

  /// Marks the entry as failed (rule SK1-5).
  mutating func fail(_ failure: DeviceFailure) {
    state = .failed
    self.failure = failure
  }
}
