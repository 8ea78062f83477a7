import AppStoreProtocol
package import AppStoreSimulator
package import PaymentPrimitives

/// StoreKit 2 as the app calls it (SK2-1 to SK2-29). The system runs each call: a kill of the app never stops it
/// halfway.
package struct StoreKit2Calls: Sendable {
  let dependencies: Dependencies
  let tasks: SystemTasks
  let settings: DeviceSettings
  let store: AppStoreAccess
  let queues: TransactionQueues
  let sheets: PaymentSheets
  let delayed: DelayedPayments
  let queueRefresh: QueueRefresh

  /// The products with these ids; unknown ids are left out (rule SK2-22).
  package func products(_ ids: Set<String>) async -> Result<[SimulatedProduct], DeviceFailure>? {
    await tasks.answer { () async -> Result<[SimulatedProduct], DeviceFailure> in
      await tasks.wait(settings.behaviours.productsTake)
      do throws(DeviceFailure) {
        let bundleId = store.bundleId
        let all = try await store.ask { await $0.products(of: bundleId) }
        let unsold = settings.behaviours.unsold
        return .success(all.filter { ids.contains($0.id.text) && !unsold.contains($0.id) })
      } catch { return .failure(error) }
    }
  }

  // MARK: payments

  /// Pays. The call does not return when the device stays silent (rule SK2-1).
  ///
  /// - Parameter hasPlace: whether the app said where on its screen the sheet opens. Without a place no sheet opens,
  ///   and the device reports a cancellation (rule SK2-28).
  package func purchase(_ payment: DevicePayment, from run: AppRun, hasPlace: Bool) async -> PurchaseAnswer? {
    guard hasPlace || settings.behaviours.findsPlaces else { return .cancelled }
    return await tasks.work { waiting in
      guard let end = answer(to: await sheets.open(payment, .storeKit2, run: run), payment, run: run) else {
        return tasks.keepWaiting(waiting)
      }
      waiting.give(end)
    }
  }

  private func answer(to end: SheetEnd, _ payment: DevicePayment, run: AppRun) -> PurchaseAnswer? {
    let behaviours = settings.behaviours
    switch end {
    case .charged(let purchase) where purchase.outcome == .renewalChanged:
      // Rule SK2-26: the current transaction, finished or not; it does not become unfinished again.
      return behaviours.losesCallbacks
        ? nil : .success(behaviours.shown(purchase.transaction, purchase.signedTransaction))
    case .charged(let purchase):
      let shown = behaviours.shown(purchase.transaction, purchase.signedTransaction)
      queues.keep(shown)
      // Rule SK2-3.
      for _ in 0..<behaviours.echoes { run.yield(shown) }
      return behaviours.losesCallbacks ? nil : .success(shown)
    case .silent, .gone: return nil
    case .deferred:
      delayed.awaitApproval(payment, entry: nil)
      return .pending
    case .cancelled: return .cancelled
    case .failed(let failure): return .failed(failure)
    case .interrupted(let failure, let consent):
      delayed.awaitConsent(payment, .storeKit2, after: consent)
      return .failed(failure)
    }
  }

  // MARK: transactions

  /// The unfinished transactions, as Apple reports them or, without a link, as last seen (rule SK2-8).
  package func unfinished() async -> [DeviceTransaction]? {
    guard !settings.behaviours.queueIsMute else { return await tasks.work { tasks.keepWaiting($0) } }
    return await tasks.answer { () async -> [DeviceTransaction] in
      await tasks.wait(settings.behaviours.unfinishedTakes)
      await queueRefresh.refresh()
      return queues.unfinished
    }
  }

  /// The current entitlements: no consumables, nothing that was revoked (rule SK2-8).
  package func entitlements() async -> [DeviceTransaction]? {
    await everything()?.filter { shown in
      let transaction = shown.transaction
      switch transaction.type {
      // Rule AS-BUY-4: any refund ends a permanent purchase.
      case .nonConsumable: return transaction.revocation == nil
      case .nonRenewingSubscription: return transaction.revocation?.isWhole != true
      case .autoRenewableSubscription:
        guard transaction.upgrade == nil else { return false }
        return transaction.period.map { $0.expiresDate > dependencies.now() } ?? false
      default: return false
      }
    }
  }

  /// Everything that `Transaction.all` shows: all but finished consumables (rule SK2-8).
  package func everything() async -> [DeviceTransaction]? {
    await tasks.answer { () async -> [DeviceTransaction] in
      let (owner, identifier) = (store.owner, store.identifier)
      let all = try? await store.ask { try await $0.signedTransactions(of: owner, for: identifier) }
      return (all ?? []).filter {
        $0.transaction.type != .consumable || !$0.transaction.isFinished || $0.transaction.revocation != nil
      }.map { settings.behaviours.shown($0.transaction, $0.signedTransaction) }
    }
  }

  /// Finishes a transaction. It never throws; without a link the transaction is unfinished again at the next launch
  /// (rule SK2-10).
  package func finish(_ id: TransactionIdentifier) async {
    _ = await tasks.answer {
      queues.noteFinish(id)
      let owner = store.owner
      try? await store.ask { try await $0.purchases.finish(id, of: owner) }
      queues.finish(id)
    }
  }

  /// `AppStore.sync()`: it asks for the password (rule SK2-20).
  package func synchronize() async -> Result<Void, DeviceFailure>? {
    await tasks.answer { () async -> Result<Void, DeviceFailure> in
      guard !settings.behaviours.refusesPassword else { return .failure(.cancelled) }
      guard store.isUp else { return .failure(.networkDown) }
      await queueRefresh.refresh()
      return .success(())
    }
  }
}
