import AppStoreSimulator
import PaymentPrimitives

/// How a device learns what it did not do itself: charges after a kill, approvals, renewals, other devices.
struct QueueRefresh: Sendable {
  let tasks: SystemTasks
  let settings: DeviceSettings
  let store: AppStoreAccess
  let queues: TransactionQueues

  /// Asks Apple for the unfinished transactions and updates both queues accordingly.
  ///
  /// - Returns: what is new; empty when the device cannot reach Apple.
  @discardableResult
  func refresh() async -> (entries: [QueueEntry], transactions: [DeviceTransaction]) {
    let (owner, identifier) = (store.owner, store.identifier)
    let before = queues.transactions
    let list: [SignedSimulatedTransaction]
    do throws(DeviceFailure) {
      list = try await store.ask { try await $0.unfinishedTransactions(of: owner, for: identifier) }
    } catch { return ([], []) }
    return queues.merge(
      list.map { settings.behaviours.shown($0.transaction, $0.signedTransaction) }, since: before)
  }

  /// The app comes to the foreground (rules SK1-7, SK1-15).
  func appCameToForeground() {
    tasks.later {
      guard let run = queues.currentRun else { return }
      show(await refresh(), to: run)
    }
  }

  private func show(_ new: (entries: [QueueEntry], transactions: [DeviceTransaction]), to run: AppRun) {
    guard !settings.behaviours.losesCallbacks else { return }
    if !new.entries.isEmpty { run.tell(.updated(new.entries)) }
    for transaction in new.transactions { run.yield(transaction) }
  }

  /// Rule SK1-7.
  func firstObserverCame(_ run: AppRun) {
    tasks.later {
      await refresh()
      let entries = queues.entries
      if !entries.isEmpty, !settings.behaviours.staysSilentAtLaunch { run.tell(.updated(entries)) }
    }
  }

  /// Rule SK2-6.
  func firstIteratorCame(_ run: AppRun) {
    tasks.later {
      await refresh()
      guard !settings.behaviours.staysSilentAtLaunch else { return }
      for transaction in queues.unfinished { run.yield(transaction) }
    }
  }
}
