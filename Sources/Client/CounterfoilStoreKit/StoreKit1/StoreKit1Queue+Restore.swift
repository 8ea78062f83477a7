#if canImport(StoreKit)
  public import Counterfoil
  import PaymentPrimitives
  import StoreKit

  extension StoreKit1Queue {
    /// Restores permanent purchases. Call it only when the customer asks for it: it may ask for their password.
    public func restore() async throws(StoreFailure) -> [StoreTransaction] {
      let restored = try await restoreEntries()
      return await restored + nonRenewing(besides: restored)
    }

    private func restoreEntries() async throws(StoreFailure) -> [StoreTransaction] {
      let waiting = Waiting<StoreFailure?>()
      restoring.append(waiting)
      // The system refuses a second restore while one runs: it joins the first.
      if restoring.count == 1 {
        brought = []
        // An entry of an earlier restore is not told again, and a recovery may finish it before this one ends.
        let there = ((try? await unfinished()) ?? []).filter { $0.state == .restored }
        brought += there.filter { entry in !brought.contains { $0.handle == entry.handle } }
        SKPaymentQueue.default().restoreCompletedTransactions()
      }
      let end = await waiting.value(within: AdapterLimits.restore, dependencies)
      if let failure = end ?? nil { throw failure }
      let queued = try await unfinished().filter(\.isEvidence)
      let gone = brought.filter { entry in !queued.contains { $0.handle == entry.handle } }
      let restored = await queued + withEvidence(gone)
      guard end == nil else { return restored }
      // The end never came: the next tap begins a restore of its own.
      for other in restoring { other.end(StoreFailure(.storeUnreachable, explanation: "the restore did not end")) }
      restoring = []
      guard !restored.isEmpty else {
        throw StoreFailure(.storeUnreachable, explanation: "the restore did not end")
      }
      return restored
    }

    /// The non-renewing subscriptions of this Apple account. StoreKit 1 restores none of them; StoreKit 2 lists them,
    /// finished or not.
    private func nonRenewing(besides restored: [StoreTransaction]) async -> [StoreTransaction] {
      let known = Set(restored.compactMap(\.id))
      let listed = await bounds.value(within: AdapterLimits.evidenceSearch) {
        var entries: [StoreTransaction] = []
        for await result in Transaction.currentEntitlements
        where result.unsafePayloadValue.productType == .nonRenewable {
          var entry = StoreTransaction(result)
          if entry.state == .purchased { entry.state = .restored }
          entries.append(entry)
        }
        return entries
      }
      return (listed ?? []).filter { entry in entry.id.map { !known.contains($0) } ?? false }
    }
  }
#endif
