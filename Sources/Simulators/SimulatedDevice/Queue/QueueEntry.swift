package import AppStoreSimulator
package import PaymentPrimitives

/// An entry of StoreKit 1's queue. It belongs to app and Apple account on this device and outlives the process (rule
/// SK1-4).
package struct QueueEntry: Hashable, Sendable {
  /// Where it stands, numbered as `SKPaymentTransactionState` is.
  package enum State: Int, Sendable {
    /// In the sheet, or waiting for one.
    case purchasing = 0
    case purchased = 1
    /// Ended without a charge, as far as the device knows.
    case failed = 2
    /// An earlier purchase, come back because the customer asked.
    case restored = 3
    case deferred = 4
  }

  /// Its identity on this device; never used again.
  package let handle: Int
  package internal(set) var state: State
  /// The product; nil where the queue has lost it (rule SK1-5).
  package internal(set) var product: StoreProductIdentifier?
  /// Pieces (rule SK1-10).
  package let quantity: Int
  /// What the app put into `applicationUsername`: kept within the process that did (rule SK1-9).
  package internal(set) var userName: String?
  /// The store's number: in `purchased` and `restored` only (rule SK1-5).
  package internal(set) var transaction: TransactionIdentifier?
  /// When it was charged: in `purchased` and `restored` only (rule SK1-5).
  package internal(set) var date: Timestamp?
  /// Why it failed: in `failed` only (rule SK1-5).
  package internal(set) var failure: DeviceFailure?
  /// The first purchase: in `restored` only (rule SK1-5).
  package internal(set) var original: TransactionIdentifier?
  /// Whether a sheet was opened for it.
  var isInSheet = false
  /// The payment's promotional offer, and what was signed of it (rule SK1-25).
  var offer: String?
  var offerSignature: SimulatedOfferSignature?
}

/// Why the device did not do what the app asked.
package enum DeviceFailure: Error, Hashable, Sendable {
  /// Something that it has no word for, with the store's own number within: 3038 new terms, 2024 confirm the payment.
  case unknown(inner: Int)
  /// The customer gave up, or so it seems.
  case cancelled
  case notAllowed
  case productUnavailable
  case quantityNotAllowed
  case networkDown
  /// There is no such offer, or not for this customer.
  case offerNotAllowed
  /// The offer's signature does not hold for this payment.
  case offerSignatureInvalid
}

/// A payment as an app hands it over.
package struct DevicePayment: Hashable, Sendable {
  /// The product id, known to the store or not.
  package let product: StoreProductIdentifier
  package var quantity: Int
  /// `applicationUsername` under StoreKit 1, `appAccountToken` as text under StoreKit 2.
  package var userName: String?
  /// The id of the offer under which it is bought.
  package var offer: String?
  /// What the team has signed of it, where it is a promotional one (rules SK1-25, SK2-27).
  package var offerSignature: SimulatedOfferSignature?

  package init(product: StoreProductIdentifier, quantity: Int, userName: String?) {
    self.product = product
    self.quantity = quantity
    self.userName = userName
  }
}

/// What the queue of StoreKit 1 tells its observers.
package enum QueueNews: Hashable, Sendable {
  /// Entries that are new or stand elsewhere; of several products and states at once (rule SK1-6).
  case updated([QueueEntry])
  /// Entries that left the queue (rule SK1-12).
  case removed([QueueEntry])
  /// The end of a restore (rule SK1-18).
  case restoreFinished
  /// The failure of a restore; the error may be missing (rule SK1-18).
  case restoreFailed(DeviceFailure?)
  /// Rights to these products were taken back (rule SK1-20).
  case revoked([StoreProductIdentifier])
  /// The customer wants to buy this, from outside the app (rule SK1-21).
  case promoted(DevicePayment)
}

extension QueueEntry {
  /// The first purchase of what this entry restores or renews: an entry of no queue.
  package func first(_ original: TransactionIdentifier) -> QueueEntry {
    var entry = QueueEntry(handle: -handle, state: .purchased, product: product, quantity: quantity)
    entry.transaction = original
    entry.date = date
    return entry
  }
}
