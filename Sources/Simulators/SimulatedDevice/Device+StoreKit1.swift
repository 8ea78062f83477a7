import AppStoreProtocol
import AppStoreSimulator
import PaymentPrimitives
import Synchronization

// StoreKit 1's queue (SK1-1 to SK1-25).

extension Device {
  /// The current state of an entry; nil when it has left the queue.
  package func entry(_ handle: Int) -> QueueEntry? {
    state.withLock { state in state.index(of: handle).map { state.entries[$0] } }
  }

  /// Adds a payment; it returns at once (rule SK1-2).
  package func add(_ payment: DevicePayment, from run: AppRun) {
    // Rule DEV-1: an ended process asks for nothing. A simulation runs its last jobs after the end.
    guard !run.isDead else { return }
    precondition(run.isObserved, "rule SK1-1: a payment needs an observer")
    precondition(payment.quantity >= 1, "rule SK1-1: a quantity is at least 1")
    let entry = state.withLock { state in
      var entry = QueueEntry(
        handle: state.nextHandle(), state: .purchasing, product: payment.product, quantity: payment.quantity,
        userName: payment.userName)
      if payment.offerSignature != nil { (entry.offer, entry.offerSignature) = (payment.offer, payment.offerSignature) }
      state.entries.append(entry)
      return entry
    }
    run.tell(.updated([entry]))
    later { await self.payOneByOne() }
  }

  /// Runs one payment after the other (rule SK1-3).
  private func payOneByOne() async {
    guard
      state.withLock({ state in
        defer { state.isPaying = true }
        return !state.isPaying
      })
    else { return }
    while let (entry, run) = nextPayment() { await pay(entry, run) }
    state.withLock { $0.isPaying = false }
  }

  private func nextPayment() -> (QueueEntry, AppRun)? {
    state.withLock { state in
      guard let run = state.run,
        let index = state.entries.firstIndex(where: { $0.state == .purchasing && !$0.isInSheet })
      else { return nil }
      state.entries[index].isInSheet = true
      return (state.entries[index], run)
    }
  }

  private func pay(_ entry: QueueEntry, _ run: AppRun) async {
    guard let product = entry.product else { return }
    var asked = DevicePayment(product: product, quantity: entry.quantity, userName: entry.userName)
    (asked.offer, asked.offerSignature) = (entry.offer, entry.offerSignature)
    let payment = asked
    switch await openSheet(payment, .storeKit1, run: run) {
    case .charged(let purchase) where purchase.outcome == .unfinishedDelivered:
      deliverEarlier(purchase, instead: entry.handle)
    case .charged(let purchase) where purchase.outcome == .renewalChanged:
      // Rule SK1-24: the entry carries the current transaction, finished or not.
      change(entry.handle) { $0.charge(purchase.transaction) }
    case .charged(let purchase):
      let shown = shown(purchase.transaction, purchase.signedTransaction)
      guard change(entry.handle, { $0.charge(purchase.transaction) }, keeping: shown) else { return surface(shown) }
    case .silent: break
    case .gone: remove(entry.handle)
    case .deferred:
      change(entry.handle) { $0.state = .deferred }
      account.await(Approval(device: self, payment: payment, entry: entry.handle))
    case .cancelled: change(entry.handle) { $0.fail(.cancelled) }
    case .failed(let failure): change(entry.handle) { $0.fail(failure) }
    case .interrupted(let failure, let consent):
      let isTogether = behaviours.deliversInterruptedTogether
      change(entry.handle, { $0.fail(failure) }, isTold: !isTogether)
      awaitConsent(payment, .storeKit1, after: consent)
    }
  }

  /// Rule SK1-13: nothing is charged. The earlier purchase is delivered again, and the new entry fails or disappears.
  private func deliverEarlier(_ purchase: SimulatedPurchase, instead handle: Int) {
    let shown = shown(purchase.transaction, purchase.signedTransaction)
    if behaviours.failsSecondPayment {
      change(handle) { $0.fail(.unknown(inner: 0)) }
    } else {
      remove(handle)
    }
    let (entry, run) = state.withLock { state -> (QueueEntry?, AppRun?) in
      state.keep(shown)
      let new = state.addPurchased(purchase.transaction)
      return (new ?? state.entries.first { $0.transaction == purchase.transaction.id }, state.run)
    }
    if let entry { run?.tell(.updated([entry])) }
  }

  /// Changes an entry and reports it to the observers.
  ///
  /// - Returns: false when the entry no longer exists.
  @discardableResult
  private func change(
    _ handle: Int, _ body: (inout QueueEntry) -> Void, keeping shown: DeviceTransaction? = nil, isTold: Bool = true
  ) -> Bool {
    let changed = state.withLock { state -> (QueueEntry, AppRun?, Bool)? in
      guard let index = state.index(of: handle) else { return nil }
      body(&state.entries[index])
      if let shown { state.keep(shown) }
      return (state.entries[index], state.run, state.behaviours.losesCallbacks)
    }
    guard let (entry, run, isLost) = changed else { return false }
    if !isLost, isTold { run?.tell(.updated([entry])) }
    return true
  }

  private func remove(_ handle: Int) {
    state.withLock { $0.entries.removeAll { $0.handle == handle } }
  }

  func addFailed(_ payment: DevicePayment, _ failure: DeviceFailure) {
    let (entry, run) = state.withLock { state in
      var entry = QueueEntry(
        handle: state.nextHandle(), state: .failed, product: payment.product, quantity: payment.quantity)
      entry.fail(failure)
      state.entries.append(entry)
      return (entry, state.run)
    }
    run?.tell(.updated([entry]))
  }

  /// Finishes an entry. It needs the network; without it the entry stays, and no error is reported (rule SK1-12).
  package func finish(_ handle: Int) {
    guard let entry = entry(handle) else { return }
    precondition(entry.state != .purchasing, "rule SK1-11: what is in its sheet cannot be finished")
    if let id = entry.transaction { state.withLock { $0.finishes.append(id) } }
    later {
      let owner = self.owner
      do throws(DeviceFailure) {
        try await self.ask { store in
          if let id = entry.transaction { try await store.purchases.finish(id, of: owner) }
        }
      } catch { return }
      let run = self.state.withLock { state in
        state.entries.removeAll { $0.handle == handle }
        if let id = entry.transaction { state.conceal(id) }
        return state.run
      }
      run?.tell(.removed([entry]))
    }
  }

  /// Delivers permanent purchases again (rule SK1-18).
  package func restore(from run: AppRun) {
    later {
      guard !self.behaviours.refusesPassword else { return run.tell(.restoreFailed(.cancelled)) }
      let restored: [SimulatedTransaction]
      do throws(DeviceFailure) {
        restored = try await self.restorable()
      } catch { return run.tell(.restoreFailed(error == .networkDown ? .networkDown : nil)) }
      let entries = self.state.withLock { state -> [QueueEntry] in
        var told = state.behaviours.restoreShowsUnfinished ? state.entries.filter { $0.state == .purchased } : []
        for transaction in restored where !state.entries.contains(where: { $0.transaction == transaction.id }) {
          var entry = QueueEntry(
            handle: state.nextHandle(), state: .restored, product: transaction.product, quantity: 1)
          entry.charge(transaction)
          entry.state = .restored
          entry.original = transaction.originalId
          state.entries.append(entry)
          told.append(entry)
        }
        return told
      }
      if !entries.isEmpty { run.tell(.updated(entries)) }
      run.tell(.restoreFinished)
    }
  }

  /// What a restore delivers: no consumables, no non-renewing subscriptions (rule SK1-18).
  private func restorable() async throws(DeviceFailure) -> [SimulatedTransaction] {
    let (owner, identifier) = (owner, identifier)
    let all = try await ask { try await $0.signedTransactions(of: owner, for: identifier) }.map(\.transaction)
    return all.filter { transaction in
      switch transaction.type {
      case .nonConsumable: transaction.isCharge && transaction.revocation == nil
      case .autoRenewableSubscription:
        all.last { $0.originalId == transaction.originalId }?.id == transaction.id
      default: false
      }
    }
  }
}

extension QueueEntry {
  /// Marks the entry as failed (rule SK1-5).
  mutating func fail(_ failure: DeviceFailure) {
    state = .failed
    self.failure = failure
  }
}
