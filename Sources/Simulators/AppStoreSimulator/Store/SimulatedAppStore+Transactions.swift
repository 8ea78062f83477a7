import AppStoreProtocol
package import PaymentPrimitives
import SimulatorCore

/// Queries of devices and servers about transactions, and the two calls that change them: `finish` and `restore`.
extension SimulatedAppStore {
  /// A transaction, signed now: with the current time as its date and, after a refund, with the revocation (rules
  /// AS-SIGN-1, AS-SIGN-2).
  ///
  /// - Parameter device: the UUID of the calling device; nil for a server, which gets no device verification.
  /// - Throws: `transactionUnknown`.
  package func signedTransaction(
    _ id: TransactionIdentifier, for device: AppStoreUUID? = nil
  ) throws(CodedError<SimulatorErrorCode>) -> SignedSimulatedTransaction {
    guard let transaction = state.transactions[id] else { throw CodedError(.transactionUnknown) }
    return try signed(transaction, for: device, at: now())
  }

  private func signed(
    _ transaction: SimulatedTransaction, for device: AppStoreUUID?, at moment: Timestamp
  ) throws(CodedError<SimulatorErrorCode>) -> SignedSimulatedTransaction {
    do throws(SimulatorState.Inconsistency) {
      var payload = try state.payload(of: transaction, signedAt: moment)
      if let device {
        let nonce = AppStoreUUID(random: dependencies.randomBytes(16))
        payload.deviceVerificationNonce = nonce.text
        payload.deviceVerification = AppStoreSigner.deviceVerification(nonce: nonce, device: device)
      }
      return SignedSimulatedTransaction(
        transaction: transaction, signedTransaction: signer.sign(payload, at: moment))
    } catch { throw CodedError(.logUnreadable, error.description) }
  }

  /// The unfinished transactions of an account in an app, oldest first, signed for a device (rule AS-FIN-1). Refunded
  /// transactions stay in the list until they are finished.
  package func unfinishedTransactions(
    of owner: AppOwner, for device: AppStoreUUID? = nil
  ) throws(CodedError<SimulatorErrorCode>) -> [SignedSimulatedTransaction] {
    try list(state.unfinished[owner] ?? [], for: device)
  }

  /// All transactions of an account in an app, oldest first, signed for a device.
  package func signedTransactions(
    of owner: AppOwner, for device: AppStoreUUID? = nil
  ) throws(CodedError<SimulatorErrorCode>) -> [SignedSimulatedTransaction] {
    try list(state.transactionsByOwner[owner] ?? [], for: device)
  }

  /// Everything that an account can restore in an app, oldest first, signed for a device: all but consumables. With the
  /// setting `newIdWhenRestored` each gets a duplicate id with the dates of the first (rule AS-BUY-7).
  ///
  /// - Throws: `accountUnknown`, `full`.
  package func restore(
    of owner: AppOwner, for device: AppStoreUUID? = nil
  ) async throws(CodedError<SimulatorErrorCode>) -> [SignedSimulatedTransaction] {
    var ids: [TransactionIdentifier] = []
    for paid in (state.transactionsByOwner[owner] ?? []).compactMap({ state.transactions[$0] }) {
      guard paid.type != .consumable else { continue }
      guard state.behaviours.isOn(.newIdWhenRestored), paid.isCharge else {
        if paid.repeats == nil || !state.behaviours.isOn(.newIdWhenRestored) { ids.append(paid.id) }
        continue
      }
      ids.append(
        try await commit { decision throws(CodedError<SimulatorErrorCode>) in
          guard decision.state.transactionOrder.count < SimulatorLimits.transactionsMax else { throw CodedError(.full) }
          let further = decision.furtherId(
            of: paid, purchaseDate: paid.purchaseDate, token: paid.appAccountToken,
            try decision.account(paid.owner.account))
          decision.event = .transacted(further, nil, nil)
          return further.id
        })
    }
    return try list(ids, for: device)
  }

  private func list(
    _ ids: [TransactionIdentifier], for device: AppStoreUUID?
  ) throws(CodedError<SimulatorErrorCode>) -> [SignedSimulatedTransaction] {
    let moment = now()
    var list: [SignedSimulatedTransaction] = []
    for transaction in ids.compactMap({ state.transactions[$0] }) {
      list.append(try signed(transaction, for: device, at: moment))
    }
    return list
  }

  /// Finishes a transaction for a device; repeating it is harmless (rules AS-FIN-2, AS-FIN-3).
  ///
  /// - Throws: `transactionUnknown`, also for a transaction of another account or app. Planned fault: `answerLost`.
  package func finish(
    _ id: TransactionIdentifier, of owner: AppOwner
  ) async throws(CodedError<SimulatorErrorCode>) {
    let isAnswered = try await commit { decision throws(CodedError<SimulatorErrorCode>) in
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

  /// The app transaction of an account's app (rule AS-SIGN-4); the first call counts as the download.
  package func signedAppTransaction(
    of owner: AppOwner, for device: AppStoreUUID? = nil
  ) async throws(CodedError<SimulatorErrorCode>) -> String {
    try await commit { decision throws(CodedError<SimulatorErrorCode>) in
      let app = try decision.app(owner.bundleId)
      _ = try decision.account(owner.account)
      let (download, isNew) = decision.download(owner, of: app)
      if isNew { decision.event = .downloaded(download) }
    }
    let moment = now()
    guard var payload = state.appTransaction(of: owner, at: moment) else { throw CodedError(.accountUnknown) }
    if let device {
      let nonce = AppStoreUUID(random: dependencies.randomBytes(16))
      payload.deviceVerificationNonce = nonce.text
      payload.deviceVerification = AppStoreSigner.deviceVerification(nonce: nonce, device: device)
    }
    return signer.sign(payload, at: moment)
  }

  /// All transactions in order, without signatures; those of one account, one app, or both.
  package func transactions(
    account: AppleAccountIdentifier? = nil, bundleId: String? = nil
  ) -> [SimulatedTransaction] {
    state.transactionOrder.compactMap { state.transactions[$0] }.filter {
      (account == nil || $0.owner.account == account) && (bundleId == nil || $0.owner.bundleId == bundleId)
    }
  }

  /// The true charges with their refunds, in order (rule AS-TRUTH-1).
  package func charges() -> [SimulatedCharge] {
    transactions().filter(\.isCharge).map { SimulatedCharge($0) }
  }
}
