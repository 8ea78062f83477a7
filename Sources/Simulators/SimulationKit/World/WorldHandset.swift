package import AppStoreSimulator
package import Counterfoil
package import PaymentPrimitives

/// A phone as its app sees it: a payment queue, a vault, and a customer. It survives every process of the app.
///
/// `Substitutions.handsets` decides which kind a world has. The plain kind has our own queue over the simulated App
/// Store. The tests instead run the shipped adapters on simulated versions of Apple's queues and Keychain.
package protocol WorldHandset: Sendable {
  /// The device's own UUID, which identifies its evidence.
  var identifier: AppStoreUUID { get }

  /// Starts the app in a new process; the previous one is dead.
  ///
  /// - Parameter dependencies: the dependencies of the process, with the phone's own clock.
  func launch(in process: SimulatedProcess, _ dependencies: Dependencies) -> WorldAppRun

  /// Reports that the app's process was killed. No job of that process runs any more.
  func appWasKilled()

  /// Brings the app to the foreground.
  func comeToForeground()

  /// Announces that the app submits a payment: the customer decides what to do.
  func willOpenSheet(_ payment: StorePayment)

  /// Deletes everything that the app had stored, as on a new phone.
  func loseVault()

  /// Ends all faults of the phone.
  func heal()

  /// What the next process of the app would find in its vault.
  func vaultContents() async throws(VaultFailure) -> VaultContents

  /// Whether the queue holds a payment of that product that waits for a parent's approval.
  func waits(for product: StoreProductIdentifier) -> Bool

  /// All transactions whose evidence was ever broken on its way to the app.
  var spoiled: Set<TransactionIdentifier> { get }

  /// Whether a payment sheet is open.
  var hasOpenSheet: Bool { get }

  /// Whether a charged transaction is not finished, as far as the phone knows.
  var holdsCharge: Bool { get }
}

/// What the app gets from its phone at a start.
package struct WorldAppRun: Sendable {
  package var queue: any StoreQueue
  /// The storage for the app's counterfoils.
  package var vault: any Vault
  /// Starts work of the app in its process.
  package var start: @Sendable (@escaping @Sendable () async -> Void) -> Void

  package init(
    queue: any StoreQueue, vault: any Vault,
    start: @escaping @Sendable (@escaping @Sendable () async -> Void) -> Void
  ) {
    self.queue = queue
    self.vault = vault
    self.start = start
  }
}

/// The settings of a phone in its world.
package struct WorldHandsetSetting: Sendable {
  /// The number of the phone in the world, from 0.
  package let number: Int
  package let seed: UInt64
  /// The Apple account and the app; two phones may share an account.
  package let owner: AppOwner
  package let identifier: AppStoreUUID
  /// Whether the app uses StoreKit 1.
  package let isStoreKit1: Bool
  /// Whether the app's evidence is the app receipt; otherwise signed transactions.
  package let sendsReceipts: Bool
  /// The phone's connection to the App Store: slow, lossy, sometimes cut.
  package let link: any AppStoreLink
  /// Apple's own connection to its store, which retries until it gets an answer.
  package let approvals: any AppStoreLink
  /// The fault rates at this moment.
  package let faults: @Sendable () -> WorldHandsetFaults
  package let record: @Sendable (_ what: String, _ mark: CoverageMark?) -> Void
  package let mark: @Sendable (CoverageMark) -> Void
  /// Makes a process of the phone itself, which is never killed.
  package let makeProcess: @Sendable (_ name: String) -> SimulatedProcess
  /// Schedules work after a time span, even if the phone is lost; the world waits for it.
  package let appoint: @Sendable (_ after: TimeSpan, _ work: @escaping @Sendable () async -> Void) -> Void
}

/// Fault rates of a phone and its customer, in thousandths.
package struct WorldHandsetFaults: Hashable, Sendable {
  package var customerCancels = 0
  /// A parent must approve the purchase.
  package var approvalNeeded = 0
  /// The App Store charges, and the device reports a failure.
  package var failsThoughCharged = 0
  /// The callback about a purchase never comes.
  package var callbackLost = 0
  /// Apple first requires an action: new terms, another payment method.
  package var interrupted = 0
  /// The device does something that Apple's documents leave open.
  package var odd = 0
  /// The Keychain is locked, or does not write.
  package var keychainFails = 0
  /// The app is removed and installed again between two sessions.
  package var reinstalled = 0
  /// The App Store has not yet written a new receipt for what the queue shows.
  package var receiptLags = 0
  package var approvedSoon = 0

  package init() {}
}
