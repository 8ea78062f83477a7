import AppStoreSimulator
import PaymentPrimitives
import Synchronization

// How a device learns what it did not do itself: charges after a kill, approvals, renewals, other devices.

extension Device {
  /// Asks Apple for the unfinished transactions and updates both queues accordingly.
  ///
  /// - Returns: what is new; empty when the device cannot reach Apple.
  @discardableResult
  func refresh() async -> (entries: [QueueEntry], transactions: [DeviceTransaction]) {
    let (owner, identifier) = (owner, identifier)
    // A transaction that arrives during the request is newer than Apple's answer, so it stays.
    let before = state.withLock { state in
      Set(state.entries.compactMap(\.transaction) + state.cache.map(\.transaction.id))
    }
    let list: [SignedSimulatedTransaction]
    do throws(DeviceFailure) {
      list = try await ask { try await $0.unfinishedTransactions(of: owner, for: identifier) }
    } catch { return ([], []) }
    let seen = list.map { shown($0.transaction, $0.signedTransaction) }
    return state.withLock { state in
      let visible = seen.filter { !state.hidden.contains($0.transaction.id) }
      let known = Dictionary(uniqueKeysWithValues: state.cache.map { ($0.transaction.id, $0.transaction.revocation) })
      let new = visible.filter { known[$0.transaction.id] != .some($0.transaction.revocation) }
      let ids = Set(visible.map(\.transaction.id))
      state.cache = visible + state.cache.filter { !ids.union(before).contains($0.transaction.id) }
      // The server or another device finished these (rule SK2-21).
      let isGone = before.subtracting(ids)
      state.entries.removeAll { $0.state == .purchased && $0.transaction.map(isGone.contains) ?? false }
      return (visible.compactMap { state.addPurchased($0.transaction) }, new)
    }
  }

  func show(_ new: (entries: [QueueEntry], transactions: [DeviceTransaction]), to run: AppRun) {
    guard !behaviours.losesCallbacks else { return }
    if !new.entries.isEmpty { run.tell(.updated(new.entries)) }
    for transaction in new.transactions { run.yield(transaction) }
  }

  /// Rule SK1-7.
  func firstObserverCame(_ run: AppRun) {
    later {
      await self.refresh()
      let (entries, isSilent) = self.state.withLock { ($0.entries, $0.behaviours.staysSilentAtLaunch) }
      if !entries.isEmpty, !isSilent { run.tell(.updated(entries)) }
    }
  }

  /// Rule SK2-6.
  func firstIteratorCame(_ run: AppRun) {
    later {
      await self.refresh()
      let (cache, isSilent) = self.state.withLock { ($0.cache, $0.behaviours.staysSilentAtLaunch) }
      guard !isSilent else { return }
      for transaction in cache { run.yield(transaction) }
    }
  }

  /// A parent answered. This does not need the app; the device needs its link only to learn the result (rules SK1-17,
  /// SK2-4).
  func approvalCame(_ approval: Approval, isApproved: Bool) {
    later {
      guard isApproved else {
        // Rule SK2-4: StoreKit 2 does not report a decline.
        if let handle = approval.entry { self.declined(handle) }
        return
      }
      let request = self.request(approval.payment, approval.entry == nil ? .storeKit2 : .storeKit1)
      guard let purchase = try? await self.approvals.reach({ try await $0.purchases.purchase(request) }) else { return }
      self.state.withLock { $0.charges.append(purchase.transaction.id) }
      if let handle = approval.entry { self.approved(handle, purchase.transaction) }
      guard self.appleLink.isUp else { return }
      self.surface(self.shown(purchase.transaction, purchase.signedTransaction))
    }
  }

  private func approved(_ handle: Int, _ transaction: SimulatedTransaction) {
    // The deferred entry becomes the purchased one; without a link the next refresh shows it.
    let told = state.withLock { state -> (QueueEntry, AppRun?)? in
      guard let index = state.index(of: handle) else { return nil }
      guard appleLink.isUp else {
        state.entries.remove(at: index)
        return nil
      }
      state.entries[index].charge(transaction)
      return (state.entries[index], state.run)
    }
    if let (entry, run) = told { run?.tell(.updated([entry])) }
  }

  private func declined(_ handle: Int) {
    let told = state.withLock { state -> (QueueEntry, AppRun?)? in
      guard let index = state.index(of: handle) else { return nil }
      state.entries[index].fail(.cancelled)
      return (state.entries[index], state.run)
    }
    if let (entry, run) = told { run?.tell(.updated([entry])) }
  }
}

extension DeviceState {
  /// Hides a finished transaction for this launch, whether the App Store received the finish or not (rule SK2-10).
  mutating func conceal(_ id: TransactionIdentifier) {
    hidden.insert(id)
    cache.removeAll { $0.transaction.id == id }
  }
}
