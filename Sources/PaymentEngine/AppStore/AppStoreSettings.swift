public import AppStoreProtocol
public import Cryptography

/// What the configuration says of an app's access to Apple's servers.
public struct AppStoreSettings: Sendable {
  /// The In-App Purchase key and whom it speaks for.
  public var credentials: AppStoreServerCredentials
  /// The two hosts.
  public var hosts: AppStoreServerHosts
  /// Whether the app has ever been released: until then production answers 401 to everything.
  public var isReleased: Bool

  /// Whether a consumable that was granted, and that no client finished, is finished from here.
  public var finishesTransactions: Bool
  /// Whether a payment that paid a presented order is given that order's token at Apple.
  public var setsAppAccountToken: Bool
  /// Whether a signature older than a day is confirmed by asking Apple before it is granted for the first time.
  public var confirmsOldSignatures: Bool
  /// The promotional offers that a user may have signed for himself; others only the app's backend.
  public var userOffers: Set<String>
  /// How Apple is answered when it asks how far a purchase is used; nil where it is not to be answered.
  public var consumption: ConsumptionPolicy?

  /// Whether everything goes to Apple itself; otherwise a simulator is asked.
  public var isGenuine: Bool { hosts.areGenuine }

  /// Settings for a released app that asks Apple itself.
  public init(credentials: AppStoreServerCredentials) {
    self.credentials = credentials
    hosts = AppStoreServerHosts()
    isReleased = true
    finishesTransactions = true
    setsAppAccountToken = true
    confirmsOldSignatures = true
    userOffers = []
    consumption = ConsumptionPolicy()
  }
}

/// The use of `verifyReceipt`, which Apple has withdrawn but still answers: the last resort about a receipt that the
/// App Store Server API cannot be asked about, or does not know.
public struct VerifyReceiptSettings: Sendable {
  /// The app's shared secret: needed for receipts with subscriptions.
  public var sharedSecret: Secret?

  /// The two hosts.
  public var hosts: AppStoreServerHosts

  /// With or without the shared secret; at Apple's hosts.
  public init(sharedSecret: Secret? = nil) {
    self.sharedSecret = sharedSecret
    hosts = .verifyReceipt
  }
}
