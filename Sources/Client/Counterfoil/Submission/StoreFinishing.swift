import CounterfoilAPI
import PaymentPrimitives

/// Finishes transactions at the store, and removes what the server and the store need no more.
final class StoreFinishing {
  private let queue: any StoreQueue
  private let policies: PurchasingPolicies
  private let tasks: BackgroundTasks
  private let server: ServerConnection
  private let session: UserSession
  private let records: VaultRecords
  private let orders: OpenOrders
  private let events: EventBroadcaster
  private let states: SubmissionStates
  private let log: SupportLog
  /// Queue entries with a requested, unanswered finish.
  private var finishing: Set<String> = []

  init(_ resources: PurchasingResources, _ state: PurchasingState) {
    queue = resources.queue
    policies = resources.configuration.policies
    tasks = resources.tasks
    server = resources.server
    session = state.session
    records = resources.records
    orders = state.orders
    events = state.events
    states = state.submissions
    log = state.log
  }

  /// Finishes again what the server allowed to finish before: after a process kill in between, for a repeated report,
  /// or because the finish did not take effect.
  nonisolated(nonsending) func finishAgain(
    _ transaction: StoreTransaction, _ key: TransactionKey, clearance: ClearedTransactions.Entry,
    from source: TransactionSource
  ) async {
    guard source.isInQueue else {
      await remove(key, clearance.order)
      return
    }
    let isEcho = source == .update && states[key]?.wasClearedInThisRun == true
    // A restore brings what was finished long ago.
    if clearance.isFinished, !isEcho, transaction.state != .restored {
      let times = await records.countReappearance(of: key)
      log.write(.warning, "client.finish.didNotStick", with: [("transaction", key.id.text), ("times", "\(times)")])
      events.emit(.finishDidNotStick(key.id, times: times))
    }
    await finish(transaction, key)
    await remove(key, clearance.order)
  }

  /// Finishes what the server has just allowed to finish.
  nonisolated(nonsending) func finishCleared(_ key: TransactionKey, paidOrder: OrderIdentifier?) async {
    // A transaction known only from the vault cannot be finished; if the queue shows it later, it is finished then.
    if let entry = states[key]?.inQueue { await finish(entry, key) }
    await remove(key, paidOrder)
  }

  /// Asks the store to close a transaction, waits a while, and reports it to the server if the store agreed.
  nonisolated(nonsending) private func finish(_ transaction: StoreTransaction, _ key: TransactionKey) async {
    guard await close(transaction) else { return }
    do throws(VaultFailure) {
      try await records.noteFinished(key)
    } catch {
      log.vaultFailed(error)
    }
    await tasks.addIsolated { await $0.submission.finishing.reportFinished(key.id) }
  }

  /// Asks the store to close an entry of its queue.
  ///
  /// - Returns: whether the store confirmed it in time. If not, the entry comes back, and is finished then.
  nonisolated(nonsending) func close(_ transaction: StoreTransaction) async -> Bool {
    // A call to close sometimes never returns: while one is open there is no second one.
    guard finishing.insert(transaction.handle).inserted else { return false }
    let queue = self.queue
    let isDone = await tasks.asking(policies.storeLimit) { client in
      let isDone: Bool
      do throws(StoreFailure) {
        try await queue.finish(transaction)
        isDone = true
      } catch {
        isDone = false
      }
      await client.isolated { $0.submission.finishing.closeReturned(transaction.handle) }
      return isDone
    }
    if isDone != true {
      log.write(.warning, "client.finish.failed", with: [("transaction", transaction.id?.text ?? "none")])
    }
    return isDone ?? false
  }

  private func closeReturned(_ handle: String) { finishing.remove(handle) }

  /// Removes the record of the order that it paid, and the evidence: the server has both.
  nonisolated(nonsending) private func remove(_ key: TransactionKey, _ paidOrder: OrderIdentifier?) async {
    if let paidOrder, let record = await records.order(of: paidOrder) {
      // Known and written down since the verdict; repeated in case the vault failed then.
      await orders.applyIfPossible(.paidAtServer, to: record.id)
      await orders.applyIfPossible(.finishedAtStore, to: record.id)
    }
    do throws(VaultFailure) {
      try await records.forget(key)
    } catch {
      log.vaultFailed(error)
    }
  }

  /// Tells the server once what was finished. A failure has no consequences: the server finishes unreported
  /// transactions itself.
  nonisolated(nonsending) private func reportFinished(_ id: TransactionIdentifier) async {
    guard let user = session.user else { return }
    let server = self.server
    _ = await session.asUser(user) { await server.reportFinished([id], as: $0) }
  }
}
