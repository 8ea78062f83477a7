package import AppStoreProtocol
package import PaymentPrimitives

extension SimulatedAppStore {
  /// Pays back a transaction, all that is left of it or a part; its signed form says so from now on, and the server
  /// is told (rules AS-REF-1 to AS-REF-4). With the whole of it ends what members of the family had of it (AS-FAM-4).
  ///
  /// - Parameters:
  ///   - percentage: how much of the payment, 100 000 being everything; nil for all that is left.
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

  /// Undoes all refunds of a transaction: what was signed of them vanishes, and the server is told (rule AS-REF-5).
  ///
  /// - Throws: `transactionUnknown`, or `nothingToRefund` where nothing was refunded.
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

  /// A customer asks for a refund: the server is asked how the purchase was used, and the store decides twelve hours
  /// later, by the server's answer (rules AS-CONS-1, AS-CONS-2).
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

  /// Declines a refund that was asked for, before the store would have decided (rule AS-CONS-2).
  ///
  /// - Throws: `transactionUnknown`, or `nothingToRefund` where none was asked for.
  package func declineRefund(_ id: TransactionIdentifier) async throws(CodedError<SimulatorErrorCode>) {
    try await commit { decision throws(CodedError<SimulatorErrorCode>) in
      let transaction = try decision.transaction(id)
      guard decision.state.refundRequests[id] != nil else { throw CodedError(.nothingToRefund, "Nobody asked for it.") }
      decision.event = .refundDeclined(id, decision.notification(.other(.refundDeclined), about: transaction))
    }
  }

  /// The refunds that were asked for and not decided on, oldest first.
  package func refundRequests() -> [SimulatedRefundRequest] {
    state.refundRequests.values.sorted { ($0.askedAt, $0.transaction) < ($1.askedAt, $1.transaction) }
  }
}

extension CommandContext {
  /// How much of a payment can still be paid back. What an upgrade has paid back cannot be paid back again.
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
    // Rule AS-REF-4: the date tells one refund of a transaction from the next.
    let last = [transaction.revocation?.date, transaction.reversedRevocation].compactMap(\.self).max()
    let next = last.map { max(second, $0 + .seconds(1)) } ?? second
    let date = state.knobs.isOn(.oneRefundDate) ? transaction.revocation?.date ?? next : next
    let revocation = SimulatedRevocation(
      date: date, reason: reason, percentage: (transaction.revocation?.percentage ?? 0) + part)
    // What a member of the family has lasts as long as what was bought.
    let isEnd = revocation.isWhole && (state.lines[transaction.originalId]?.latest ?? id) == id
    let members = isEnd ? (state.shares[transaction.originalId] ?? []).compactMap { shareEnd(of: $0) } : []
    event = .refunded(id, revocation, notification(.refund, about: told(transaction)), members: members)
    transaction.revocation = revocation
    return transaction
  }

  /// Rule AS-CONS-2: the store does what the server wishes, and grants where it wishes nothing.
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

  /// Rule AS-REF-6: under which id the server is told of a refund.
  func told(_ transaction: SimulatedTransaction) -> SimulatedTransaction {
    guard state.knobs.isOn(.refundsUnderFurtherIds) else { return transaction }
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
