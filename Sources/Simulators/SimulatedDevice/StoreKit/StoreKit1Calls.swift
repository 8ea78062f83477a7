import AppStoreProtocol
import AppStoreSimulator
import PaymentPrimitives

/// StoreKit 1's queue as the app calls it (SK1-1 to SK1-25).
package struct StoreKit1Calls: Sendable {
  let tasks: SystemTasks
  let settings: DeviceSettings
  let store: AppStoreAccess
  let queues: TransactionQueues
  let sheets: PaymentSheets
  let delayed: DelayedPayments

  /// The current state of an entry; nil when it has left the queue.
  package func entry(_ handle: Int) -> QueueEntry? { queues.entries.first { $0.handle == handle } }

  // MARK: payments

  /// Adds a payment; it returns at once (rule SK1-2).
  package func add(_ payment: DevicePayment, from run: AppRun) {
    // Rule DEV-1: an ended process asks for nothing. A simulation runs its last jobs after the end.
    guard !run.isDead else { return }
    precondition(run.isObserved, "rule SK1-1: a payment needs an observer")
    precondition(payment.quantity >= 1, "rule SK1-1: a quantity is at least 1")
    let entry = queues.add { handle in
      var entry = QueueEntry(
        handle: handle, state: .purchasing, product: payment.product, quantity: payment.quantity,
        userName: payment.userName)
      entry.hasProduct = payment.hasProduct
      if payment.offerSignature != nil { (entry.offer, entry.offerSignature) = (payment.offer, payment.offerSignature) }
      return entry
    }
    run.tell(.updated([entry]))
    tasks.later { await payOneByOne() }
  }

  /// Runs one payment after the other (rule SK1-3).
  private func payOneByOne() async {
    guard queues.startPaying() else { return }
    while let (entry, run) = queues.nextPayment() { await pay(entry, run) }
    queues.stopPaying()
  }

  private func pay(_ entry: QueueEntry, _ run: AppRun) async {
    guard let product = entry.product else { return }
    var asked = DevicePayment(product: product, quantity: entry.quantity, userName: entry.userName)
    (asked.offer, asked.offerSignature, asked.hasProduct) = (entry.offer, entry.offerSignature, entry.hasProduct)
    let payment = asked
    guard payment.hasProduct || !settings.behaviours.needsProducts else {
      queues.change(entry.handle) { $0.fail(.productUnavailable) }
      return
    }
    switch await sheets.open(payment, .storeKit1, run: run) {
    case .charged(let purchase) where purchase.outcome == .unfinishedDelivered:
      deliverEarlier(purchase, instead: entry.handle)
    case .charged(let purchase) where purchase.outcome == .renewalChanged:
      // Rule SK1-24: the entry carries the current transaction, finished or not.
      queues.change(entry.handle) { $0.charge(purchase.transaction) }
    case .charged(let purchase):
      let shown = settings.behaviours.shown(purchase.transaction, purchase.signedTransaction)
      guard queues.change(entry.handle, { $0.charge(purchase.transaction) }, keeping: shown) else {
        return queues.surface(shown)
      }
    case .silent: break
    case .gone: queues.remove(entry.handle)
    case .deferred:
      queues.change(entry.handle) { $0.state = .deferred }
      delayed.awaitApproval(payment, entry: entry.handle)
    case .cancelled: queues.change(entry.handle) { $0.fail(.cancelled) }
    case .failed(let failure): queues.change(entry.handle) { $0.fail(failure) }
    case .interrupted(let failure, let consent):
      let isTogether = settings.behaviours.deliversInterruptedTogether
      queues.change(entry.handle, { $0.fail(failure) }, isTold: !isTogether)
      delayed.awaitConsent(payment, .storeKit1, after: consent)
    }
  }

  /// Rule SK1-13: nothing is charged. The earlier purchase is delivered again, and the new entry fails or disappears.
  private func deliverEarlier(_ purchase: SimulatedPurchase, instead handle: Int) {
    let shown = settings.behaviours.shown(purchase.transaction, purchase.signedTransaction)
    if settings.behaviours.failsSecondPayment {
      queues.change(handle) { $0.fail(.unknown(inner: 0)) }
    } else {
      queues.remove(handle)
    }
    queues.deliverAgain(shown)
  }

  // MARK: finish, restore

  /// Finishes an entry. It needs the network; without it the entry stays, and no error is reported (rule SK1-12).
  package func finish(_ handle: Int) {
    guard let entry = entry(handle) else { return }
    precondition(entry.state != .purchasing, "rule SK1-11: what is in its sheet cannot be finished")
    if let id = entry.transaction { queues.noteFinish(id) }
    tasks.later {
      let owner = store.owner
      do throws(DeviceFailure) {
        try await store.ask { store in
          if let id = entry.transaction { try await store.purchases.finish(id, of: owner) }
        }
      } catch { return }
      queues.finish(entry)
    }
  }

  /// Delivers permanent purchases again (rule SK1-18).
  package func restore(from run: AppRun) {
    tasks.later {
      guard !settings.behaviours.refusesPassword else { return run.tell(.restoreFailed(.cancelled)) }
      let restored: [SimulatedTransaction]
      do throws(DeviceFailure) {
        restored = try await restorable()
      } catch { return run.tell(.restoreFailed(error == .networkDown ? .networkDown : nil)) }
      let entries = queues.restore(restored)
      if !entries.isEmpty { run.tell(.updated(entries)) }
      if !settings.behaviours.restoreNeverEnds { run.tell(.restoreFinished) }
    }
  }

  /// What a restore delivers: no consumables, no non-renewing subscriptions (rule SK1-18).
  private func restorable() async throws(DeviceFailure) -> [SimulatedTransaction] {
    let (owner, identifier) = (store.owner, store.identifier)
    let all = try await store.ask { try await $0.signedTransactions(of: owner, for: identifier) }.map(\.transaction)
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
