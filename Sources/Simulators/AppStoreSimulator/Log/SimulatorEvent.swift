import PaymentPrimitives

/// Everything that can change the simulator's state: one for each command, so that a command takes effect whole or
/// not at all.
enum SimulatorEvent: Hashable, Sendable {
  case created(SimulatorOrigin)
  /// So many lines before this one were torn by a kill and say nothing.
  case tornLinesDropped(Int)
  /// An app was added or changed.
  case appSet(SimulatedApp)
  /// A product was added or changed.
  case productSet(SimulatedProduct, bundleId: String)
  /// An account was added or moved.
  case accountSet(SimulatedAppleAccount)
  case downloaded(AppDownload)
  /// A transaction came into being; with it, perhaps, the download of its app.
  case transacted(SimulatedTransaction, AppDownload?, SimulatedNotification.Facts?)
  /// A better subscription took the place of another before its time.
  case upgraded(SimulatedTransaction, from: TransactionIdentifier, SimulatedUpgrade, SimulatedNotification.Facts)
  /// What a subscription renews as was changed, and by which offer; no product is the one that it has.
  case renewalPreferenceSet(
    TransactionIdentifier, StoreProductIdentifier?, SimulatedOffer?, SimulatedNotification.Facts)
  /// A finished transaction is to be delivered to the device again.
  case redelivered(TransactionIdentifier)
  /// A device is done with a transaction.
  case finished(TransactionIdentifier)
  /// A transaction was refunded; the revocation is what holds from now on. With it ends what was shared of it.
  case refunded(TransactionIdentifier, SimulatedRevocation, SimulatedNotification.Facts, members: [SimulatedShareEnd])
  /// A member of a family lost what was shared.
  case shareEnded(SimulatedShareEnd)
  /// A customer asked for a refund.
  case refundRequested(SimulatedRefundRequest, SimulatedNotification.Facts)
  case refundDeclined(TransactionIdentifier, SimulatedNotification.Facts)
  case refundReversed(TransactionIdentifier, SimulatedNotification.Facts)
  /// A subscription's renewal was turned on or off.
  case autoRenewSet(TransactionIdentifier, Bool, SimulatedNotification.Facts)
  /// How a subscription stands beside its period has changed.
  case standingSet(TransactionIdentifier, LineStanding, SimulatedNotification.Facts?)
  /// The end of a period was put off.
  case renewalExtended(TransactionIdentifier, until: Timestamp, SimulatedNotification.Facts)
  /// A server was told of something that changes nothing here.
  case told(SimulatedNotification.Facts)
  /// Somebody asked for a notification of type TEST.
  case testRequested(SimulatedNotification.Facts)
  case attempted(AppStoreUUID, SimulatedNotification.Attempt)
  /// A key of the API was registered or changed.
  case apiKeySet(SimulatedAPIKey)
  /// The faults of the API that are planned from now on.
  case apiFaultsSet([PlannedAPIFault])
  /// A server has set the token of a transaction.
  case appAccountTokenSet(TransactionIdentifier, AppStoreUUID)
  /// A server has said how a purchase was used, in these words.
  case consumptionTold(TransactionIdentifier, String)
  /// The clock was moved, or runs at another rate.
  case clockSet(SimulatorClock)
  case knobSet(SimulatorKnob, Int64)
  /// A fault struck, and nothing else happened.
  case faultStruck
}

/// The end of what a member of a family had.
struct SimulatedShareEnd: Hashable, Sendable {
  let transaction: TransactionIdentifier
  let revocation: SimulatedRevocation
  let notification: SimulatedNotification.Facts
}

/// What is decided once, when the simulator comes into being.
struct SimulatorOrigin: Hashable, Sendable {
  /// What all its keys are made of. They are made for tests: nobody but a simulator's user trusts them.
  let testKeySeed: [UInt8]
  let createdAt: Timestamp

  /// 48 bytes are as many as a key on P-384 needs.
  static let seedByteCount = 48
}
