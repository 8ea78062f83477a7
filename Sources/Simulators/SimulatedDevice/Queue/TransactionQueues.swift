import AppStoreSimulator
import PaymentPrimitives
import Synchronization

/// The queues of StoreKit 1 and StoreKit 2: both show the same App Store data (rule SK2-21). They tell the running app
/// of changes.
final class TransactionQueues: Sendable {
  private struct State {
    var queues = QueueState()
    var run: AppRun?
    var runs = 0
    /// Whether a payment of StoreKit 1 is in its sheet: one at a time (rule SK1-3).
    var isPaying = false
    var finishes: [TransactionIdentifier] = []
  }

  private let settings: DeviceSettings
  private let state = Mutex(State())

  init(_ settings: DeviceSettings) { self.settings = settings }

  // MARK: the app

  var currentRun: AppRun? { state.withLock { $0.run } }

  /// Starts a process of the app; an earlier one ends.
  ///
  /// - Parameter make: makes the process with this number.
  func launch(_ make: (_ number: Int) -> AppRun) -> AppRun {
    currentRun?.end()
    let keepsUserNames = settings.behaviours.keepsUserNames
    return state.withLock { state in
      state.runs += 1
      state.queues.launch(keepsUserNames: keepsUserNames)
      let run = make(state.runs)
      state.run = run
      return run
    }
  }

  func ended(_ run: AppRun) { state.withLock { if $0.run === run { $0.run = nil } } }

  func removeApp() { state.withLock { $0.queues.removeApp() } }

  // MARK: what they hold

  var entries: [QueueEntry] { state.withLock { $0.queues.entries } }

  /// The unfinished transactions, as last seen.
  var unfinished: [DeviceTransaction] { state.withLock { $0.queues.unfinished } }

  var transactions: Set<TransactionIdentifier> { state.withLock { $0.queues.transactions } }

  /// The finishes that the app requested, in order.
  var finishes: [TransactionIdentifier] { state.withLock { $0.finishes } }

  func noteFinish(_ id: TransactionIdentifier) { state.withLock { $0.finishes.append(id) } }

  /// Takes over Apple's list (`QueueState.merge`).
  func merge(
    _ list: [DeviceTransaction], since before: Set<TransactionIdentifier>
  ) -> (entries: [QueueEntry], transactions: [DeviceTransaction]) {
    state.withLock { $0.queues.merge(list, since: before) }
  }

  /// Adds a charge that no sheet of this process made to both queues.
  func surface(_ shown: DeviceTransaction) {
    let (entry, run) = state.withLock { state in
      state.queues.keep(shown)
      return (state.queues.addPurchased(shown.transaction), state.run)
    }
    guard let run, !settings.behaviours.losesCallbacks else { return }
    if let entry { run.tell(.updated([entry])) }
    run.yield(shown)
  }

  // MARK: StoreKit 1

  /// Adds an entry under a handle of its own, without telling the observers.
  func add(_ make: (_ handle: Int) -> QueueEntry) -> QueueEntry { state.withLock { $0.queues.add(make) } }

  func addFailed(_ payment: DevicePayment, _ failure: DeviceFailure) {
    let (entry, run) = state.withLock { state in
      let entry = state.queues.add { handle in
        var entry = QueueEntry(handle: handle, state: .failed, product: payment.product, quantity: payment.quantity)
        entry.fail(failure)
        return entry
      }
      return (entry, state.run)
    }
    run?.tell(.updated([entry]))
  }

  /// - Returns: false when a payment is in its sheet already (rule SK1-3).
  func startPaying() -> Bool {
    state.withLock { state in
      defer { state.isPaying = true }
      return !state.isPaying
    }
  }

  func stopPaying() { state.withLock { $0.isPaying = false } }

  func nextPayment() -> (QueueEntry, AppRun)? {
    state.withLock { state in
      guard let run = state.run,
        let next = state.queues.entries.first(where: { $0.state == .purchasing && !$0.isInSheet }),
        let entry = state.queues.change(next.handle, { $0.isInSheet = true })
      else { return nil }
      return (entry, run)
    }
  }

  /// Changes an entry and reports it to the observers.
  ///
  /// - Returns: false when the entry no longer exists.
  @discardableResult
  func change(
    _ handle: Int, _ body: (inout QueueEntry) -> Void, keeping shown: DeviceTransaction? = nil, isTold: Bool = true
  ) -> Bool {
    let changed = state.withLock { state -> (QueueEntry, AppRun?)? in
      guard let entry = state.queues.change(handle, body) else { return nil }
      if let shown { state.queues.keep(shown) }
      return (entry, state.run)
    }
    guard let (entry, run) = changed else { return false }
    if !settings.behaviours.losesCallbacks, isTold { run?.tell(.updated([entry])) }
    return true
  }

  /// Delivers a charge again that the queues may hold already (rule SK1-13).
  func deliverAgain(_ shown: DeviceTransaction) {
    let (entry, run) = state.withLock { state -> (QueueEntry?, AppRun?) in
      state.queues.keep(shown)
      let new = state.queues.addPurchased(shown.transaction)
      return (new ?? state.queues.entries.first { $0.transaction == shown.transaction.id }, state.run)
    }
    if let entry { run?.tell(.updated([entry])) }
  }

  /// A parent approved: the deferred entry becomes the purchased one. Without a link the next refresh shows it.
  func approve(_ handle: Int, _ transaction: SimulatedTransaction, isLinkUp: Bool) {
    let told = state.withLock { state -> (QueueEntry, AppRun?)? in
      guard isLinkUp else {
        state.queues.removeEntries { $0.handle == handle }
        return nil
      }
      return state.queues.change(handle) { $0.charge(transaction) }.map { ($0, state.run) }
    }
    if let (entry, run) = told { run?.tell(.updated([entry])) }
  }

  func decline(_ handle: Int) {
    let told = state.withLock { state -> (QueueEntry, AppRun?)? in
      state.queues.change(handle) { $0.fail(.cancelled) }.map { ($0, state.run) }
    }
    if let (entry, run) = told { run?.tell(.updated([entry])) }
  }

  func remove(_ handle: Int) { state.withLock { $0.queues.removeEntries { $0.handle == handle } } }

  /// Removes a finished entry, and reports it to the observers.
  func finish(_ entry: QueueEntry) {
    let run = state.withLock { state in
      state.queues.removeEntries { $0.handle == entry.handle }
      if let id = entry.transaction { state.queues.conceal(id) }
      return state.run
    }
    run?.tell(.removed([entry]))
  }

  /// Adds an entry for each restored transaction that has none (rule SK1-18).
  ///
  /// - Returns: the entries to report.
  func restore(_ transactions: [SimulatedTransaction]) -> [QueueEntry] {
    let showsUnfinished = settings.behaviours.restoreShowsUnfinished
    return state.withLock { state in
      var told = showsUnfinished ? state.queues.entries.filter { $0.state == .purchased } : []
      for transaction in transactions
      where !state.queues.entries.contains(where: { $0.transaction == transaction.id }) {
        told.append(
          state.queues.add { handle in
            var entry = QueueEntry(handle: handle, state: .restored, product: transaction.product, quantity: 1)
            entry.charge(transaction)
            entry.state = .restored
            entry.original = transaction.originalId
            return entry
          })
      }
      return told
    }
  }

  // MARK: StoreKit 2

  /// Adds a transaction to the unfinished set, without telling the observers.
  func keep(_ shown: DeviceTransaction) { state.withLock { $0.queues.keep(shown) } }

  /// Hides a finished transaction. A finish in one queue also finishes in the other (rule SK2-21).
  func finish(_ id: TransactionIdentifier) {
    state.withLock { state in
      state.queues.conceal(id)
      state.queues.removeEntries { $0.transaction == id }
    }
  }
}
