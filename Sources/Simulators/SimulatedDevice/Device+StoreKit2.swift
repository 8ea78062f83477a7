import AppStoreProtocol
package import AppStoreSimulator
package import PaymentPrimitives
import Synchronization

// StoreKit 2 (SK2-1 to SK2-29). The system runs each call: a kill of the app never stops it halfway.

extension Device {
  /// The products with these ids; unknown ids are left out (rule SK2-22).
  package func products(_ ids: Set<String>) async -> Result<[SimulatedProduct], DeviceFailure>? {
    await system { () async -> Result<[SimulatedProduct], DeviceFailure> in
      await self.take(self.behaviours.productsTake)
      do throws(DeviceFailure) {
        let bundleId = self.bundleId
        let all = try await self.ask { await $0.products(of: bundleId) }
        return .success(all.filter { ids.contains($0.id.text) })
      } catch { return .failure(error) }
    }
  }

  /// Pays. The call does not return when the device stays silent (rule SK2-1).
  ///
  /// - Parameter hasPlace: whether the app said where on its screen the sheet opens. Without a place no sheet opens,
  ///   and the device reports a cancellation (rule SK2-28).
  package func purchase(_ payment: DevicePayment, from run: AppRun, hasPlace: Bool) async -> PurchaseAnswer? {
    guard hasPlace || behaviours.findsPlaces else { return .cancelled }
    return await work { answer in
      guard let end = self.answer(to: await self.openSheet(payment, .storeKit2, run: run), payment, run) else {
        return self.keepWaiting(answer)
      }
      answer.give(end)
    }
  }

  private func answer(to end: SheetEnd, _ payment: DevicePayment, _ run: AppRun) -> PurchaseAnswer? {
    switch end {
    case .charged(let purchase) where purchase.outcome == .renewalChanged:
      // Rule SK2-26: the current transaction, finished or not; it does not become unfinished again.
      return behaviours.losesCallbacks ? nil : .success(shown(purchase.transaction, purchase.signedTransaction))
    case .charged(let purchase):
      let shown = shown(purchase.transaction, purchase.signedTransaction)
      let echoes = state.withLock { state in
        state.keep(shown)
        return state.behaviours.echoes
      }
      // Rule SK2-3.
      for _ in 0..<echoes { run.yield(shown) }
      return behaviours.losesCallbacks ? nil : .success(shown)
    case .silent, .gone: return nil
    case .deferred:
      account.await(Approval(device: self, payment: payment, entry: nil))
      return .pending
    case .cancelled: return .cancelled
    case .failed(let failure): return .failed(failure)
    case .interrupted(let failure, let consent):
      awaitConsent(payment, .storeKit2, after: consent)
      return .failed(failure)
    }
  }

  /// The unfinished transactions, as Apple reports them or, without a link, as last seen (rule SK2-8).
  package func unfinished() async -> [DeviceTransaction]? {
    guard !behaviours.queueIsMute else { return await work { self.keepWaiting($0) } }
    return await system { () async -> [DeviceTransaction] in
      await self.take(self.behaviours.unfinishedTakes)
      await self.refresh()
      return self.state.withLock { $0.cache }
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
    await system { () async -> [DeviceTransaction] in
      let (owner, identifier) = (self.owner, self.identifier)
      let all = try? await self.ask { try await $0.signedTransactions(of: owner, for: identifier) }
      return (all ?? []).filter {
        $0.transaction.type != .consumable || !$0.transaction.isFinished || $0.transaction.revocation != nil
      }.map { self.shown($0.transaction, $0.signedTransaction) }
    }
  }

  /// Finishes a transaction. It never throws; without a link the transaction is unfinished again at the next launch
  /// (rule SK2-10).
  package func finish(_ id: TransactionIdentifier) async {
    _ = await system {
      self.state.withLock { $0.finishes.append(id) }
      let owner = self.owner
      try? await self.ask { try await $0.purchases.finish(id, of: owner) }
      self.state.withLock { state in
        state.conceal(id)
        // A finish in one queue also finishes in the other (rule SK2-21).
        state.entries.removeAll { $0.transaction == id }
      }
    }
  }

  /// `AppStore.sync()`: it asks for the password (rule SK2-20).
  package func synchronize() async -> Result<Void, DeviceFailure>? {
    await system { () async -> Result<Void, DeviceFailure> in
      guard !self.behaviours.refusesPassword else { return .failure(.cancelled) }
      guard self.appleLink.isUp else { return .failure(.networkDown) }
      await self.refresh()
      return .success(())
    }
  }
}
