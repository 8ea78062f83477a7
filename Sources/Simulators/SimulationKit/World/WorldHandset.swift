package import AppStoreSimulator
package import Counterfoil
package import PaymentPrimitives

/// A phone of a world as the app on it finds it: a payment queue, a vault, and a customer before the screen. It
/// outlives every process of the app.
///
/// `Substitutions.handsets` says which kind a world has. The plain one has a queue of our own over the simulated store;
/// the tests put Apple's queues and Keychain under the shipped adapters.
package protocol WorldHandset: Sendable {
  /// The device's own UUID, by which its evidence is known.
  var identifier: AppStoreUUID { get }

  /// The app starts in a new process; an earlier one is dead.
  ///
  /// - Parameter surroundings: those of the process, by the phone's own clock.
  func launch(in process: SimulatedProcess, _ surroundings: Dependencies) -> WorldAppRun

  /// The app's process was killed. No job of that process runs any more.
  func appWasKilled()

  /// The app comes to the foreground.
  func comeToForeground()

  /// The app hands a payment over: the customer makes up his mind.
  func willOpenSheet(_ payment: StorePayment)

  /// Everything that the app had stored is gone, as on a new phone.
  func loseVault()

  /// From now on nothing is out of order any more.
  func heal()

  /// What the next process of the app would find in its vault.
  func vaultContents() async throws(VaultFailure) -> VaultContents

  /// Whether the queue holds something of that product that may still be paid: it waits for a parent's leave.
  func waits(for product: StoreProductIdentifier) -> Bool

  /// Transactions whose evidence was broken on its way to the app, ever.
  var spoiled: Set<TransactionIdentifier> { get }

  /// Whether a customer has a sheet before him.
  var hasOpenSheet: Bool { get }

  /// Whether something was charged that is not finished, as far as the phone knows.
  var holdsCharge: Bool { get }
}

/// What the app gets from its phone at a start.
package struct WorldAppRun: Sendable {
  package var queue: any StoreQueue
  /// Where the app keeps its counterfoils.
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

/// Where a phone stands in its world.
package struct WorldHandsetSetting: Sendable {
  /// Counts the phones of the world, from 0.
  package let number: Int
  package let seed: UInt64
  /// The Apple account and the app; two phones may share an account.
  package let owner: AppOwner
  package let identifier: AppStoreUUID
  /// Whether the app uses StoreKit 1.
  package let isStoreKit1: Bool
  /// Whether the app's evidence is the app receipt; otherwise signed transactions.
  package let sendsReceipts: Bool
  /// The phone's way to the App Store: slow, lossy, sometimes cut.
  package let link: any AppStoreLink
  /// Apple's own way to its store, which asks until it is answered.
  package let approvals: any AppStoreLink
  /// How often what goes wrong, at this moment.
  package let faults: @Sendable () -> WorldHandsetFaults
  package let tell: @Sendable (_ what: String, _ sight: CoverageMark?) -> Void
  package let see: @Sendable (CoverageMark) -> Void
  /// A new process of the phone's own, which is never killed.
  package let makeProcess: @Sendable (_ name: String) -> SimulatedProcess
  /// Has something done after a span, whatever becomes of the phone; the world waits for it.
  package let appoint: @Sendable (_ after: TimeSpan, _ work: @escaping @Sendable () async -> Void) -> Void
}

/// How often what goes wrong with a phone and its customer, in thousandths.
package struct WorldHandsetFaults: Hashable, Sendable {
  package var customerCancels = 0
  /// A parent must approve the purchase.
  package var approvalNeeded = 0
  /// The store charges and the device reports a failure.
  package var failsThoughCharged = 0
  /// The callback about a purchase never comes.
  package var callbackLost = 0
  /// Apple wants something first: new terms, another payment method.
  package var interrupted = 0
  /// The device does what Apple's documents leave open.
  package var odd = 0
  /// The Keychain is locked, or does not write.
  package var keychainFails = 0
  /// The app is removed and installed again between two sessions.
  package var reinstalled = 0
  /// The store has written no new receipt yet for what the queue shows.
  package var receiptLags = 0
  package var approvedSoon = 0

  package init() {}
}
