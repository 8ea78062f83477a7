import AppStoreProtocol
package import PaymentPrimitives
import SimulatorCore

/// Queries of devices and tests about transactions, and the two calls that change them: `finish` and `restore`.
package struct AppStoreTransactions: Sendable {
  let store: SimulatedAppStore

  /// A transaction, signed now: with the current time as its date and, after a refund, with the revocation (rules
  /// AS-SIGN-1, AS-SIGN-2).
  ///
  /// - Parameter device: the UUID of the calling device; nil for a server, which gets no device verification.
  /// - Throws: `transactionUnknown`.
  nonisolated(nonsending) package func signed(
    _ id: TransactionIdentifier, for device: AppStoreUUID? = nil
  ) async throws(CodedError<SimulatorErrorCode>) -> SignedSimulatedTransaction {
    try await store.read { snapshot throws(CodedError<SimulatorErrorCode>) in
      try snapshot.signedTransaction(id, for: device)
    }
  }

  /// All transactions of an account in an app, oldest first, signed for a device.
  nonisolated(nonsending) package func signed(
    of owner: AppOwner, for device: AppStoreUUID? = nil
  ) async throws(CodedError<SimulatorErrorCode>) -> [SignedSimulatedTransaction] {
    try await store.read { snapshot throws(CodedError<SimulatorErrorCode>) in
      try snapshot.signedTransactions(snapshot.state.transactionsByOwner[owner] ?? [], for: device)
    }
  }

  /// The unfinished transactions of an account in an app, oldest first, signed for a device (rule AS-FIN-1). Refunded
  /// transactions stay in the list until they are finished.
  nonisolated(nonsending) package func unfinished(
    of owner: AppOwner, for device: AppStoreUUID? = nil
  ) async throws(CodedError<SimulatorErrorCode>) -> [SignedSimulatedTransaction] {
    try await store.read { snapshot throws(CodedError<SimulatorErrorCode>) in
      try snapshot.signedTransactions(snapshot.state.unfinished[owner] ?? [], for: device)
    }
  }

  /// All transactions in order, without signatures; those of one account, one app, or both.
  nonisolated(nonsending) package func all(
    account: AppleAccountIdentifier? = nil, bundleId: String? = nil
  ) async -> [SimulatedTransaction] {
    await store.read { snapshot in
      snapshot.state.transactionOrder.compactMap { snapshot.state.transactions[$0] }.filter {
        (account == nil || $0.owner.account == account) && (bundleId == nil || $0.owner.bundleId == bundleId)
      }
    }
  }

  /// The true charges with their refunds, in order (rule AS-TRUTH-1).
  nonisolated(nonsending) package func charges() async -> [SimulatedCharge] {
    await store.read { snapshot in
      snapshot.state.transactionOrder.compactMap { snapshot.state.transactions[$0] }.filter(\.isCharge)
        .map { SimulatedCharge($0) }
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
