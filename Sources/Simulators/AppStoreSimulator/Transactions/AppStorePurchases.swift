import AppStoreProtocol
package import PaymentPrimitives
import SimulatorCore

/// What devices ask of the App Store: to buy, to finish, to restore, and to download an app.
package struct AppStorePurchases: Sendable {
  let store: SimulatedAppStore

  /// Charges an account, or delivers an earlier payment again.
  ///
  /// - Throws: `appUnknown`, `productUnknown`, `accountUnknown`, `quantityNotAllowed`, `alreadySubscribed`,
  ///   `offerNotAllowed`, `offerSignatureInvalid`, `full`. Planned faults: `purchaseFailed` (nothing was charged) and
  ///   `answerLost` (it was charged: the device must find out).
  nonisolated(nonsending) package func purchase(
    _ request: SimulatedPurchaseRequest
  ) async throws(CodedError<SimulatorErrorCode>) -> SimulatedPurchase {
    try await Self.purchase(request, at: store)
  }

  private static func purchase(
    _ request: SimulatedPurchaseRequest, at store: isolated SimulatedAppStore
  ) async throws(CodedError<SimulatorErrorCode>) -> SimulatedPurchase {
    let wish = PurchaseDecision(request: request, testKey: store.testAPIKey.key)
    let (outcome, claimed) = try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      (try wish.decide(&decision), decision.claimed)
    }
    // Rule AS-NOTE-8: the notification is sent before the answer.
    if let claimed { await store.attempt(claimed) }
    switch outcome {
    case .failed: throw CodedError(.purchaseFailed)
    case .answerLost: throw CodedError(.answerLost, "The purchase was charged.")
    case .made(let outcome, let id):
      let signed = try store.snapshot.signedTransaction(id, for: request.deviceVerificationId)
      return SimulatedPurchase(
        outcome: outcome, transaction: signed.transaction, signedTransaction: signed.signedTransaction)
    }
  }

  /// Finishes a transaction for a device; repeating it is harmless (rules AS-FIN-2, AS-FIN-3).
  ///
  /// - Throws: `transactionUnknown`, also for a transaction of another account or app. Planned fault: `answerLost`.
  nonisolated(nonsending) package func finish(
    _ id: TransactionIdentifier, of owner: AppOwner
  ) async throws(CodedError<SimulatorErrorCode>) {
    let isAnswered = try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      let transaction = try decision.transaction(id)
      guard transaction.owner == owner else { throw CodedError(.transactionUnknown) }
      guard !transaction.isFinished else { return true }
      // Rule AS-FAULT-4.
      if decision.strikes(.loseFinishes) {
        decision.event = .faultStruck
        return true
      }
      decision.event = .finished(id)
      // Rule AS-FAULT-5.
      return !decision.strikes(.loseFinishAnswers)
    }
    guard isAnswered else { throw CodedError(.answerLost, "The transaction is finished.") }
  }

  /// Everything that an account can restore in an app, oldest first, signed for a device: all but consumables. With the
  /// setting `newIdWhenRestored` each gets a duplicate id with the dates of the first (rule AS-BUY-7).
  ///
  /// - Throws: `accountUnknown`, `full`.
  nonisolated(nonsending) package func restore(
    of owner: AppOwner, for device: AppStoreUUID? = nil
  ) async throws(CodedError<SimulatorErrorCode>) -> [SignedSimulatedTransaction] {
    try await Self.restore(of: owner, for: device, at: store)
  }

  private static func restore(
    of owner: AppOwner, for device: AppStoreUUID?, at store: isolated SimulatedAppStore
  ) async throws(CodedError<SimulatorErrorCode>) -> [SignedSimulatedTransaction] {
    var ids: [TransactionIdentifier] = []
    let bought = (store.state.transactionsByOwner[owner] ?? []).compactMap { store.state.transactions[$0] }
    for paid in bought where paid.type != .consumable {
      let isRepeated = store.state.behaviours.isOn(.newIdWhenRestored)
      if isRepeated, paid.isCharge {
        ids.append(
          try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in try repeatPaid(paid, &decision) })
      } else if paid.repeats == nil || !isRepeated {
        ids.append(paid.id)
      }
    }
    return try store.snapshot.signedTransactions(ids, for: device)
  }

  private static func repeatPaid(
    _ paid: SimulatedTransaction, _ decision: inout CommandContext
  ) throws(CodedError<SimulatorErrorCode>) -> TransactionIdentifier {
    guard decision.state.transactionOrder.count < SimulatorLimits.transactionsMax else { throw CodedError(.full) }
    let account = try decision.account(paid.owner.account)
    let further = paid.repeated(
      as: decision.nextTransactionId(paid.environment), purchaseDate: paid.purchaseDate, token: paid.appAccountToken,
      in: account.storefront)
    decision.event = .transacted(further, nil, nil)
    return further.id
  }

  /// The app transaction of an account's app (rule AS-SIGN-4); the first call counts as the download.
  nonisolated(nonsending) package func appTransaction(
    of owner: AppOwner, for device: AppStoreUUID? = nil
  ) async throws(CodedError<SimulatorErrorCode>) -> String {
    try await Self.appTransaction(of: owner, for: device, at: store)
  }

  static func appTransaction(
    of owner: AppOwner, for device: AppStoreUUID?, at store: isolated SimulatedAppStore
  ) async throws(CodedError<SimulatorErrorCode>) -> String {
    try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      let app = try decision.app(owner.bundleId)
      _ = try decision.account(owner.account)
      let (download, isNew) = decision.download(owner, of: app)
      if isNew { decision.event = .downloaded(download) }
    }
    return try store.snapshot.signedAppTransaction(of: owner, for: device)
  }
}
