package import AppStoreProtocol
package import Cryptography
import PaymentEngine

/// An app at the App Store, and the access to Apple's servers.
package struct AppStoreAccess: Sendable {
  /// The app's identifiers at Apple.
  package var identity: AppIdentity
  /// The App Store Server API; nil without a key. Then only presented evidence is known.
  package var server: AppStoreServerAccess?
  /// `verifyReceipt` as a last resort; nil if it is never called.
  package var verifyReceipt: VerifyReceiptSettings?

  package init(
    identity: AppIdentity, server: AppStoreServerAccess? = nil, verifyReceipt: VerifyReceiptSettings? = nil
  ) {
    self.identity = identity
    self.server = server
    self.verifyReceipt = verifyReceipt
  }

  /// Whether all calls go to Apple; otherwise they go to a simulator.
  var isGenuine: Bool { server?.isGenuine ?? true && verifyReceipt?.hosts.areGenuine ?? true }

  /// Whether a running client can go on with this access: the same app at the same hosts, by the same interfaces.
  func canFollow(_ running: AppStoreAccess) -> Bool {
    identity == running.identity && server?.hosts == running.server?.hosts
      && verifyReceipt?.hosts == running.verifyReceipt?.hosts
  }
}

/// The access of an app to the App Store Server API.
package struct AppStoreServerAccess: Sendable {
  /// The In-App Purchase key and the app that it signs for.
  package var credentials: AppStoreServerCredentials
  /// Earlier keys, the newest first: they are tried when Apple does not accept the newer one.
  package var formerCredentials: [AppStoreServerCredentials] = []
  package var hosts: AppStoreServerHosts
  /// Whether the app was ever released: until then production answers 401 to everything.
  package var isReleased: Bool

  /// Whether the server finishes a granted consumable that no client finished.
  package var finishesTransactions: Bool
  /// Whether the server sets the order's token at Apple for a payment that paid a presented order.
  package var setsAppAccountToken: Bool
  /// Whether Apple must confirm a signature older than a day before its first grant.
  package var confirmsOldSignatures: Bool
  /// The promotional offers that a user may request to be signed; the others are for the app's backend only.
  package var userOffers: Set<String>
  /// How Apple's consumption requests are answered; nil if they are not answered.
  package var consumption: ConsumptionPolicy?

  /// Whether all calls go to Apple; otherwise they go to a simulator.
  package var isGenuine: Bool { hosts.areGenuine }

  /// All keys, the newest first.
  var allCredentials: [AppStoreServerCredentials] { [credentials] + formerCredentials }

  /// Settings for a released app that calls Apple's hosts.
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

/// The use of `verifyReceipt`, which Apple deprecated but still answers. It is the last resort for a receipt that the
/// App Store Server API does not know or cannot be asked about.
package struct VerifyReceiptSettings: Sendable {
  /// The app's shared secret: required for receipts with subscriptions.
  package var sharedSecret: Secret?

  package var hosts: AppStoreServerHosts

  /// Settings with or without the shared secret; at Apple's hosts.
  package init(sharedSecret: Secret? = nil) {
    self.sharedSecret = sharedSecret
    hosts = .verifyReceipt
  }
}
