import PaymentPrimitives
import SimulatorCore

/// Every change of the simulator's state: one event per command, so a command takes effect completely or not at all.
enum SimulatorEvent: Hashable, Sendable {
  case created(SimulatorOrigin)
  /// The number of lines before this one that a kill made unreadable.
  case tornLinesDropped(Int)
  /// An app was added or changed.
  case appSet(SimulatedApp)
  /// A product was added or changed.
  case productSet(SimulatedProduct, bundleId: String)
  /// An account was added or changed.
  case accountSet(SimulatedAppleAccount)
  case downloaded(AppDownload)
  /// A new transaction; also the app's download, if it is the first.
  case transacted(SimulatedTransaction, AppDownload?, SimulatedNotification.Facts?)
  /// A better subscription replaced another one before the end of its period.
  case upgraded(SimulatedTransaction, from: TransactionIdentifier, SimulatedUpgrade, SimulatedNotification.Facts)
  /// The renewal product of a subscription changed, perhaps with an offer; nil is the current product.
  case renewalPreferenceSet(
    TransactionIdentifier, StoreProductIdentifier?, SimulatedOffer?, SimulatedNotification.Facts)
  /// A finished transaction is to be delivered to the device again.
  case redelivered(TransactionIdentifier)
  /// A device or server finished a transaction.
  case finished(TransactionIdentifier)
  /// A transaction was refunded; the revocation includes all earlier refunds. `members` are the shares that end with
  /// it.
  case refunded(TransactionIdentifier, SimulatedRevocation, SimulatedNotification.Facts, members: [SimulatedShareEnd])
  /// A family member's share ended.
  case shareEnded(SimulatedShareEnd)
  case refundRequested(SimulatedRefundRequest, SimulatedNotification.Facts)
  case refundDeclined(TransactionIdentifier, SimulatedNotification.Facts)
  case refundReversed(TransactionIdentifier, SimulatedNotification.Facts)
  /// A subscription's renewal was turned on or off.
  case autoRenewSet(TransactionIdentifier, Bool, SimulatedNotification.Facts)
  /// The state of a subscription beside its period changed.
  case standingSet(TransactionIdentifier, SubscriptionStanding, SimulatedNotification.Facts?)
  /// The current period was extended.
  case renewalExtended(SimulatedRenewalExtension)
  /// A request to extend all subscriptions to a product came, or went on.
  case massExtension(MassExtensionChange)
  /// A notification that changes no other state.
  case told(SimulatedNotification.Facts)
  /// A notification of type TEST was requested.
  case testRequested(SimulatedNotification.Facts)
  case attempted(AppStoreUUID, SimulatedNotification.Attempt)
  /// An API key was registered or changed.
  case apiKeySet(SimulatedAPIKey)
  /// The planned API faults from now on.
  case apiFaultsSet([PlannedAPIFault])
  /// A server set the token of a transaction.
  case appAccountTokenSet(TransactionIdentifier, AppStoreUUID)
  /// A server sent consumption information; the text is its JSON.
  case consumptionTold(TransactionIdentifier, String)
  case certificateRevoked(SimulatedCertificateRevocation)
  /// The clock was moved, or its rate changed.
  case clockSet(SimulatorClock)
  case behaviourSet(SimulatorBehaviour, Int64)
  /// A fault occurred, and nothing else happened.
  case faultStruck
}

/// The end of a family member's share.
struct SimulatedShareEnd: Hashable, Sendable {
  let transaction: TransactionIdentifier
  let revocation: SimulatedRevocation
  let notification: SimulatedNotification.Facts
}
