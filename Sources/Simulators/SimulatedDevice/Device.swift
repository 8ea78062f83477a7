package import AppStoreSimulator
package import PaymentPrimitives
import Synchronization

/// A phone with one app on it, as far as payments see it: Apple's queues, its customer, its Keychain, its links. It
/// outlives every process of the app (rule DEV-1). `docs/reference/device-model.md` lists its rules.
///
/// It decides nothing about money: the simulated App Store makes the charges, and the device shows only what the App
/// Store signs.
package final class Device: Sendable {
  package let name: String
  /// The device's own UUID; the App Store binds device verification to it.
  package let identifier: AppStoreUUID
  package let appleLink = NetworkLink()
  package let serverLink = NetworkLink()
  package let keychain = Keychain()
  package let files = DeviceFiles()
  let link: any AppStoreLink
  /// Apple's own link to the App Store: a parent's approval and a refund need no phone.
  let approvals: any AppStoreLink
  let bundleId: String
  let dependencies: Dependencies
  let state: Mutex<DeviceState>
  private let jobs: AsyncStream<@Sendable () async -> Void>
  private let inbox: AsyncStream<@Sendable () async -> Void>.Continuation

  /// A new device in the same process as the App Store, signed in to an Apple account.
  ///
  /// - Parameters:
  ///   - store: where it buys.
  ///   - bundleId: the app on the device.
  package convenience init(
    _ name: String, account: AppleAccount, at store: SimulatedAppStore, bundleId: String,
    dependencies: Dependencies
  ) {
    let link = DirectAppStoreLink(store)
    self.init(name, account: account, over: link, approvals: link, bundleId: bundleId, dependencies: dependencies)
  }

  /// A new device, signed in to an Apple account.
  ///
  /// - Parameters:
  ///   - link: how it reaches the App Store; each call passes `appleLink` first.
  ///   - approvals: how Apple's servers reach the App Store when a parent approves a purchase.
  ///   - bundleId: the app on the device.
  package init(
    _ name: String, account: AppleAccount, over link: any AppStoreLink, approvals: any AppStoreLink,
    bundleId: String, dependencies: Dependencies
  ) {
    self.name = name
    self.link = link
    self.approvals = approvals
    self.bundleId = bundleId
    self.dependencies = dependencies
    identifier = AppStoreUUID(dependencies.makeOrderIdentifier())
    state = Mutex(DeviceState(account: account))
    (jobs, inbox) = AsyncStream.makeStream(of: (@Sendable () async -> Void).self)
  }

  /// Runs the system's own work, in a separate process: it continues while the app is ended. Without it nothing
  /// happens.
  package func run() async {
    await withDiscardingTaskGroup { group in
      for await job in jobs { group.addTask { await job() } }
    }
    // The simulation ends, so no answer comes any more. The release happens outside of the lock, because it resumes the
    // waiting calls.
    let unanswered = state.withLock { state in
      defer { state.unanswered = [] }
      return state.unanswered
    }
    withExtendedLifetime(unanswered) {}
  }

  func later(_ job: @escaping @Sendable () async -> Void) { inbox.yield(job) }

  // MARK: the app

  /// Starts the app; an earlier process of it ends. That loses the user names (rule SK1-9) and the payments without a
  /// password (rule DEV-3).
  ///
  /// - Parameter enter: starts a job in the new process.
  package func launch(
    enter: @escaping @Sendable (@escaping @Sendable () async -> Void) -> Void
  ) -> AppRun {
    state.withLock { $0.run }?.end()
    return state.withLock { state in
      state.runs += 1
      state.hidden = []
      state.entries.removeAll { $0.state == .purchasing }
      if !state.behaviours.keepsUserNames {
        for index in state.entries.indices { state.entries[index].userName = nil }
      }
      let run = AppRun(self, number: state.runs, enter: enter)
      state.run = run
      return run
    }
  }

  func ended(_ run: AppRun) { state.withLock { if $0.run === run { $0.run = nil } } }

  package var currentRun: AppRun? { state.withLock { $0.run } }

  /// The app comes to the foreground: the device asks Apple for changes (rules SK1-7, SK1-15).
  package func comeToForeground() {
    later {
      guard let run = self.currentRun else { return }
      self.show(await self.refresh(), to: run)
    }
  }

  /// Removes the app and its files; the Keychain and the unfinished transactions stay (rules DEV-2, SK1-23).
  package func uninstall() {
    currentRun?.end()
    files.removeAll()
    state.withLock {
      $0.cache = []
      $0.hidden = []
    }
  }

  // MARK: the customer

  package var behaviours: DeviceBehaviours {
    get { state.withLock { $0.behaviours } }
    set { state.withLock { $0.behaviours = newValue } }
  }

  /// Sets what the customer does with the next sheets; the customer agrees to sheets without an answer.
  package func nextAnswers(_ answers: CustomerAnswer...) { state.withLock { $0.answers += answers } }

  /// The Apple account that is signed in.
  package var account: AppleAccount { state.withLock { $0.account } }

  /// Signs another Apple account in; the queue keeps the entries of the earlier one (rule SK1-22).
  package func signIn(_ account: AppleAccount) { state.withLock { $0.account = account } }

  /// Every payment for which a sheet was opened.
  package var sheets: [DevicePayment] { state.withLock { $0.sheets } }

  /// Whether a payment sheet is open.
  package var isInSheet: Bool { state.withLock { $0.sheetsOpen > 0 } }

  /// The queue of StoreKit 1.
  package var entries: [QueueEntry] { state.withLock { $0.entries } }

  /// Charges that this device requested and got, whether the app was told or not.
  package var charges: [TransactionIdentifier] { state.withLock { $0.charges } }

  /// Finishes that the app requested, in order.
  package var finishes: [TransactionIdentifier] { state.withLock { $0.finishes } }

  /// The customer taps a promoted product in the App Store, perhaps with a win-back offer; the app is told (rules
  /// SK1-21, SK2-19).
  package func promote(_ product: StoreProductIdentifier, winBack offer: String? = nil) {
    var payment = DevicePayment(product: product, quantity: 1, userName: nil)
    payment.offer = offer
    currentRun?.intend(payment)
  }

  // MARK: the App Store

  var owner: AppOwner { AppOwner(account: account.id, bundleId: bundleId) }

  /// Calls the App Store over the device's link.
  func ask<Answer: Sendable>(
    _ body: @escaping @Sendable (SimulatedAppStore) async throws -> Answer
  ) async throws(DeviceFailure) -> Answer {
    do {
      return try await appleLink.cross { try await link.reach(body) }
    } catch is LinkBroken {
      throw .networkDown
    } catch is LinkDown {
      throw .networkDown
    } catch let refusal as CodedError<SimulatorErrorCode> {
      switch refusal.code {
      case .productUnknown: throw .productUnavailable
      case .quantityNotAllowed: throw .quantityNotAllowed
      case .offerNotAllowed: throw .offerNotAllowed
      case .offerSignatureInvalid: throw .offerSignatureInvalid
      default: throw .unknown(inner: 0)
      }
    } catch {
      throw .unknown(inner: 0)
    }
  }
}

struct DeviceState {
  var account: AppleAccount
  var behaviours = DeviceBehaviours()
  var answers: [CustomerAnswer] = []
  var sheets: [DevicePayment] = []
  var sheetsOpen = 0
  var finishes: [TransactionIdentifier] = []
  var charges: [TransactionIdentifier] = []
  var refundsAsked: Set<TransactionIdentifier> = []
  var offerCodes: [StoreProductIdentifier] = []
  var subscriptionSheets = 0
  /// Calls that the device never answers.
  var unanswered: [any Sendable] = []
  var run: AppRun?
  var runs = 0
  /// StoreKit 1's queue.
  var entries: [QueueEntry] = []
  var lastHandle = 0
  /// Whether a payment of that queue is in its sheet: one at a time (rule SK1-3).
  var isPaying = false
  /// StoreKit 2's unfinished set, as last seen.
  var cache: [DeviceTransaction] = []
  /// What was finished in this launch, whether the App Store received the finish or not (rule SK2-10).
  var hidden: Set<TransactionIdentifier> = []

  init(account: AppleAccount) { self.account = account }

  mutating func nextHandle() -> Int {
    lastHandle += 1
    return lastHandle
  }

  func index(of handle: Int) -> Int? { entries.firstIndex { $0.handle == handle } }
}
