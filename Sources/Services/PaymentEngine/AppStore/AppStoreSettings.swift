package import AppStoreProtocol
package import Cryptography

/// What the configuration says of an app's access to Apple's servers.
package struct AppStoreSettings: Sendable {
  /// The In-App Purchase key and whom it speaks for.
  package var credentials: AppStoreServerCredentials
  package var hosts: AppStoreServerHosts
  /// Whether the app has ever been released: until then production answers 401 to everything.
  package var isReleased: Bool

  /// Whether a consumable that was granted, and that no client finished, is finished from here.
  package var finishesTransactions: Bool
  /// Whether a payment that paid a presented order is given that order's token at Apple.
  package var setsAppAccountToken: Bool
  /// Whether a signature older than a day is confirmed by asking Apple before it is granted for the first time.
  package var confirmsOldSignatures: Bool
  /// The promotional offers that a user may have signed for himself; others only the app's backend.
  package var userOffers: Set<String>
  /// How Apple is answered when it asks how far a purchase is used; nil where it is not to be answered.
  package var consumption: ConsumptionPolicy?

  /// Whether everything goes to Apple itself; otherwise a simulator is asked.
  package var isGenuine: Bool { hosts.areGenuine }

  /// Settings for a released app that asks Apple itself.
  package init(credentials: AppStoreServerCredentials) {
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
package struct VerifyReceiptSettings: Sendable {
  /// The app's shared secret: needed for receipts with subscriptions.
  package var sharedSecret: Secret?

  package var hosts: AppStoreServerHosts

  /// With or without the shared secret; at Apple's hosts.
  package init(sharedSecret: Secret? = nil) {
    self.sharedSecret = sharedSecret
    hosts = .verifyReceipt
  }
}
