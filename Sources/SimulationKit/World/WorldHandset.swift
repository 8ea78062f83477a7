public import AppStoreSimulator
public import Counterfoil
public import PaymentVocabulary

/// A phone of a world as the app on it finds it: a payment queue, a vault, and a customer before the screen. It
/// outlives every process of the app.
///
/// `WorldSeams.handsets` says which kind a world has. The plain one has a queue of our own over the simulated store;
/// the tests put Apple's queues and Keychain under the shipped adapters.
public protocol WorldHandset: Sendable {
  /// The device's own UUID, by which its evidence is known.
  var identifier: AppStoreUUID { get }

  /// The app starts in a new process; an earlier one is dead.
  ///
  /// - Parameter surroundings: those of the process, by the phone's own clock.
  func launch(in process: SimulatedProcess, _ surroundings: Surroundings) -> WorldAppRun

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
public struct WorldAppRun: Sendable {
  /// The device's payment queue.
  public var queue: any StoreQueue
  /// Where the app keeps its counterfoils.
  public var vault: any Vault
  /// Starts work of the app in its process.
  public var start: @Sendable (@escaping @Sendable () async -> Void) -> Void

  /// What the app gets.
  public init(
    queue: any StoreQueue, vault: any Vault,
    start: @escaping @Sendable (@escaping @Sendable () async -> Void) -> Void
  ) {
    self.queue = queue
    self.vault = vault
    self.start = start
  }
}

/// Where a phone stands in its world.
public struct WorldHandsetSetting: Sendable {
  /// Counts the phones of the world, from 0.
  public let number: Int
  /// What decides everything.
  public let seed: UInt64
  /// The Apple account and the app; two phones may share an account.
  public let owner: AppOwner
  /// The device's own UUID.
  public let identifier: AppStoreUUID
  /// Whether the app uses StoreKit 1.
  public let isStoreKit1: Bool
  /// Whether the app's evidence is the app receipt; otherwise signed transactions.
  public let sendsReceipts: Bool
  /// The phone's way to the App Store: slow, lossy, sometimes cut.
  public let link: any AppStoreLink
  /// Apple's own way to its store, which asks until it is answered.
  public let approvals: any AppStoreLink
  /// How often what goes wrong, at this moment.
  public let faults: @Sendable () -> WorldHandsetFaults
  /// Tells the story.
  public let tell: @Sendable (_ what: String, _ sight: WorldSight?) -> Void
  /// Counts something seen.
  public let see: @Sendable (WorldSight) -> Void
  /// A new process of the phone's own, which is never killed.
  public let makeProcess: @Sendable (_ name: String) -> SimulatedProcess
  /// Has something done after a span, whatever becomes of the phone; the world waits for it.
  public let appoint: @Sendable (_ after: TimeSpan, _ work: @escaping @Sendable () async -> Void) -> Void
}

/// How often what goes wrong with a phone and its customer, in thousandths.
public struct WorldHandsetFaults: Hashable, Sendable {
  /// The customer gives up.
  public var customerCancels = 0
  /// A parent must approve the purchase.
  public var approvalNeeded = 0
  /// The store charges and the device reports a failure.
  public var failsThoughCharged = 0
  /// The callback about a purchase never comes.
  public var callbackLost = 0
  /// Apple wants something first: new terms, another payment method.
  public var interrupted = 0
  /// The device does what Apple's documents leave open.
  public var odd = 0
  /// The Keychain is locked, or does not write.
  public var keychainFails = 0
  /// The app is removed and installed again between two sessions.
  public var reinstalled = 0
  /// The store has written no new receipt yet for what the queue shows.
  public var receiptLags = 0
  /// Parents approve within minutes.
  public var approvedSoon = 0

  /// Nothing goes wrong.
  public init() {}
}
