package import AppStoreProtocol
package import PaymentPrimitives

extension SimulatedAppStore {
  /// Refunds a transaction, in part or completely. From now on its signed form shows the refund, and the server is
  /// notified (rules AS-REF-1 to AS-REF-4). A complete refund also ends the shares of family members (AS-FAM-4).
  ///
  /// - Parameters:
  ///   - percentage: the part of the payment, in thousandths of a percent (100 000 is all of it); nil for the rest.
  ///   - reason: why the customer wanted it.
  /// - Returns: the transaction with its revocation.
  /// - Throws: `transactionUnknown`, `nothingToRefund`, `alreadyRefunded`, `fieldInvalid`.
  package func refund(
    _ id: TransactionIdentifier, percentage: Int64? = nil,
    reason: RevocationReason = .refundedForOtherReason
  ) async throws(CodedError<SimulatorErrorCode>) -> SimulatedTransaction {
    try await commit { decision throws(CodedError<SimulatorErrorCode>) in
      try decision.refund(id, percentage: percentage, reason: reason)
    }
  }

  /// Reverses all refunds of a transaction: its signed form no longer shows them, and the server is notified (rule
  /// AS-REF-5).
  ///
  /// - Throws: `transactionUnknown`, or `nothingToRefund` when nothing was refunded.
  package func reverseRefund(_ id: TransactionIdentifier) async throws(CodedError<SimulatorErrorCode>) {
    try await commit { decision throws(CodedError<SimulatorErrorCode>) in
      let transaction = try decision.transaction(id)
      guard let revocation = transaction.revocation, !revocation.isFamily else {
        throw CodedError(.nothingToRefund, "Nothing of it was refunded.")
      }
      decision.event = .refundReversed(
        id, decision.notification(.other(.refundReversed), about: decision.told(transaction)))
    }
  }

  /// A customer asks for a refund. The App Store asks the server how the purchase was used, and decides twelve hours
  /// later by its answer (rules AS-CONS-1, AS-CONS-2).
  ///
  /// - Throws: `transactionUnknown`, `nothingToRefund`, `alreadyRefunded`, or `neverChanges` while a request is open.
  package func requestRefund(
    _ id: TransactionIdentifier, reason: ConsumptionRequestReason = .unintendedPurchase
  ) async throws(CodedError<SimulatorErrorCode>) {
    try await commit { decision throws(CodedError<SimulatorErrorCode>) in
      let transaction = try decision.transaction(id)
      guard transaction.isCharge else { throw CodedError(.nothingToRefund, "No money moved for it.") }
      guard decision.refundable(transaction) > 0 else { throw CodedError(.alreadyRefunded, "Nothing of it is left.") }
      guard decision.state.refundRequests[id] == nil else {
        throw CodedError(.neverChanges, "It was asked for already.")
      }
      var notification = decision.notification(.other(.consumptionRequest), about: transaction)
      notification.content = .consumptionRequest(reason)
      let request = SimulatedRefundRequest(transaction: id, reason: reason, askedAt: decision.now)
      decision.event = .refundRequested(request, notification)
    }
  }

  /// Declines a requested refund before the App Store's regular decision (rule AS-CONS-2).
  ///
  /// - Throws: `transactionUnknown`, or `nothingToRefund` when there is no request.
  package func declineRefund(_ id: TransactionIdentifier) async throws(CodedError<SimulatorErrorCode>) {
    try await commit { decision throws(CodedError<SimulatorErrorCode>) in
      let transaction = try decision.transaction(id)
      guard decision.state.refundRequests[id] != nil else { throw CodedError(.nothingToRefund, "Nobody asked for it.") }
      decision.event = .refundDeclined(id, decision.notification(.other(.refundDeclined), about: transaction))
    }
  }

  /// The open refund requests, oldest first.
  package func refundRequests() -> [SimulatedRefundRequest] {
    state.refundRequests.values.sorted { ($0.askedAt, $0.transaction) < ($1.askedAt, $1.transaction) }
  }
}

extension CommandContext {
  /// How much of a payment can still be refunded. The part that an upgrade refunded cannot be refunded again.
  func refundable(_ transaction: SimulatedTransaction) -> Int64 {
    SimulatedRevocation.wholePercentage - (transaction.revocation?.percentage ?? 0)
      - (transaction.upgrade?.refundPercentage ?? 0)
  }

  mutating func refund(
    _ id: TransactionIdentifier, percentage: Int64?, reason: RevocationReason
  ) throws(CodedError<SimulatorErrorCode>) -> SimulatedTransaction {
    var transaction = try transaction(id)
    guard transaction.isCharge else {
      throw CodedError(.nothingToRefund, "Its original transaction is \(transaction.originalId).")
    }
    let whole = SimulatedRevocation.wholePercentage
    let left = refundable(transaction)
    let part = percentage ?? max(1, left)
    guard (1...whole).contains(part) else {
      throw CodedError(.fieldInvalid, "percentage must be a whole number from 1 to \(whole).")
    }
    guard part <= left else { throw CodedError(.alreadyRefunded, "\(left) of \(whole) are left.") }
    // Rule AS-REF-4: the date distinguishes the refunds of a transaction.
    let last = [transaction.revocation?.date, transaction.reversedRevocation].compactMap(\.self).max()
    let next = last.map { max(second, $0 + .seconds(1)) } ?? second
    let date = state.behaviours.isOn(.oneRefundDate) ? transaction.revocation?.date ?? next : next
    let revocation = SimulatedRevocation(
      date: date, reason: reason, percentage: (transaction.revocation?.percentage ?? 0) + part)
    // A family member's share ends together with the purchase.
    let isEnd = revocation.isWhole && (state.lines[transaction.originalId]?.latest ?? id) == id
    let members = isEnd ? (state.shares[transaction.originalId] ?? []).compactMap { shareEnd(of: $0) } : []
    event = .refunded(id, revocation, notification(.refund, about: told(transaction)), members: members)
    transaction.revocation = revocation
    return transaction
  }

  /// Rule AS-CONS-2: the App Store follows the server's preference, and grants the refund without one.
  mutating func decideRefund(of id: TransactionIdentifier) throws(CodedError<SimulatorErrorCode>) {
    let transaction = try transaction(id)
    let left = refundable(transaction)
    guard state.refundRequests[id] != nil, left > 0 else {
      event = .refundDeclined(id, notification(.other(.refundDeclined), about: transaction))
      return
    }
    switch RefundPreference(told: state.consumption[id]) {
    case .decline: event = .refundDeclined(id, notification(.other(.refundDeclined), about: transaction))
    case .grantFull: _ = try refund(id, percentage: nil, reason: .refundedForOtherReason)
    case .grantProrated(let share):
      _ = try refund(id, percentage: min(max(1, share), left), reason: .refundedForOtherReason)
    }
  }

  /// Rule AS-REF-6: the transaction id in the refund notification to the server.
  func told(_ transaction: SimulatedTransaction) -> SimulatedTransaction {
    guard state.behaviours.isOn(.refundsUnderFurtherIds) else { return transaction }
    let ids = state.transactionsByOwner[transaction.owner] ?? []
    let further = ids.lazy.reversed().compactMap { state.transactions[$0] }.first { $0.repeats == transaction.id }
    return further ?? transaction
  }

  func notification(
    _ kind: NotificationKind, about transaction: SimulatedTransaction
  ) -> SimulatedNotification.Facts {
    notification(
      kind, bundleId: transaction.owner.bundleId, environment: transaction.environment, transaction: transaction.id)
  }
}
