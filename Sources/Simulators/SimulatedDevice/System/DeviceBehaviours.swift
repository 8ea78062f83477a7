import AppStoreSimulator
package import PaymentPrimitives

/// Behaviour settings of a device, where Apple's documents are silent and where real devices differ. With the defaults
/// it behaves as documented.
package struct DeviceBehaviours: Hashable, Sendable {
  /// Callbacks and updates about purchases never arrive; only the queue shows them.
  package var losesCallbacks = false
  /// The device delivers nothing on its own after launch (rules SK1-8, SK2-6).
  package var staysSilentAtLaunch = false
  /// `applicationUsername` survives a relaunch (rule SK1-9 says that it does not).
  package var keepsUserNames = false
  /// How often a result of `purchase()` also arrives through `updates` (rule SK2-3).
  package var echoes = 0
  /// The device cannot check signatures: clock, root, first start without a network (rule SK2-12).
  package var cannotVerify = false
  /// One array holds the failed entry and the purchased entry of an interrupted payment (rule SK1-14).
  package var deliversInterruptedTogether = false
  /// The entry of a second payment for an unfinished product fails; otherwise it disappears (rule SK1-13).
  package var failsSecondPayment = false
  /// A restore also delivers unfinished consumables again (rule SK1-18).
  package var restoreShowsUnfinished = false
  /// The customer does not type the password when a restore asks for it (rules SK1-18, SK2-20).
  package var refusesPassword = false
  /// The customer closes the refund sheet without asking (rule SK2-17).
  package var givesUpRefunds = false
  /// The win-back offers that the App Store has for this customer, by product (rule SK2-25).
  package var winBackOffers: [StoreProductIdentifier: [String]] = [:]
  /// `Transaction.unfinished` does not answer (rule SK2-9).
  package var queueIsMute = false
  /// A payment opens its sheet although the app does not say where: systems before iOS 18.2 (rule SK2-28).
  package var findsPlaces = false
  /// The country of the App Store (rule SK2-30).
  package var country = "CHN"
  /// Products that the App Store does not sell in this country (rule SK2-30).
  package var unsold: Set<StoreProductIdentifier> = []
  /// A payment of StoreKit 1 that was made from a bare product id fails (rule SK1-27).
  package var needsProducts = false
  /// A restore delivers its entries and never ends (rule SK1-26).
  package var restoreNeverEnds = false
  /// Payments fail because no one is signed in to the App Store (rule ACC-5).
  package var isSignedOut = false
  /// Time until products arrive, even if the caller has stopped waiting (rule SK2-29).
  package var productsTake = TimeSpan.zero
  /// Time until `Transaction.unfinished` answers, even if the caller has stopped waiting (rule SK2-29).
  package var unfinishedTakes = TimeSpan.zero
  /// Transactions with a signature that breaks on the way to the app (SK2-12).
  package var spoiled: Set<TransactionIdentifier> = []

  package init() {}
}

extension DeviceBehaviours {
  /// A transaction as the device shows it.
  func shown(_ transaction: SimulatedTransaction, _ signed: String) -> DeviceTransaction {
    let isSpoiled = spoiled.contains(transaction.id)
    return DeviceTransaction(
      transaction: transaction, signed: isSpoiled ? Self.spoil(signed) : signed,
      isVerified: !cannotVerify && !isSpoiled)
  }

  private static func spoil(_ signed: String) -> String {
    let parts = signed.split(separator: ".")
    guard parts.count == 3 else { return signed }
    return "\(parts[0]).\(parts[1]).\(String(parts[2].reversed()))"
  }
}
