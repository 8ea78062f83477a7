import AppStoreProtocol
import PaymentPrimitives
import SimulatorCore

/// What the App Store decides about refunds.
enum RefundDecision {
  /// How much of a payment can still be refunded. The part that an upgrade refunded cannot be refunded again.
  static func refundable(_ transaction: SimulatedTransaction) -> Int64 {
    SimulatedRevocation.wholePercentage - (transaction.revocation?.percentage ?? 0)
      - (transaction.upgrade?.refundPercentage ?? 0)
  }

  static func refund(
    _ id: TransactionIdentifier, percentage: Int64?, reason: RevocationReason, _ decision: inout CommandContext
  ) throws(CodedError<SimulatorErrorCode>) -> SimulatedTransaction {
    var transaction = try decision.transaction(id)
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
    let revocation = SimulatedRevocation(
      date: date(of: transaction, decision), reason: reason,
      percentage: (transaction.revocation?.percentage ?? 0) + part)
    let state = decision.state
    // A family member's share ends together with the purchase.
    let isEnd = revocation.isWhole && (state.subscriptions[transaction.originalId]?.latest ?? id) == id
    let shares = isEnd ? state.shares[transaction.originalId] ?? [] : []
    let members = shares.compactMap { FamilyDecision.shareEnd(of: $0, decision) }
    let notification = decision.notification(.refund, about: told(transaction, state))
    decision.event = .refunded(id, revocation, notification, members: members)
    transaction.revocation = revocation
    return transaction
  }

  /// Rule AS-REF-4: the date distinguishes the refunds of a transaction.
  private static func date(of transaction: SimulatedTransaction, _ decision: CommandContext) -> Timestamp {
    let last = [transaction.revocation?.date, transaction.reversedRevocation].compactMap(\.self).max()
    let next = last.map { max(decision.second, $0 + .seconds(1)) } ?? decision.second
    return decision.state.behaviours.isOn(.oneRefundDate) ? transaction.revocation?.date ?? next : next
  }

  /// Rule AS-CONS-2: the App Store follows the server's preference, and grants the refund without one.
  static func decideRequest(
    of id: TransactionIdentifier, _ decision: inout CommandContext
  ) throws(CodedError<SimulatorErrorCode>) {
    let transaction = try decision.transaction(id)
    let left = refundable(transaction)
    guard decision.state.refundRequests[id] != nil, left > 0 else { return decline(transaction, &decision) }
    switch RefundPreference(told: decision.state.consumption[id]) {
    case .decline: decline(transaction, &decision)
    case .grantFull: _ = try refund(id, percentage: nil, reason: .refundedForOtherReason, &decision)
    case .grantProrated(let share):
      _ = try refund(id, percentage: min(max(1, share), left), reason: .refundedForOtherReason, &decision)
    }
  }

  static func decline(_ transaction: SimulatedTransaction, _ decision: inout CommandContext) {
    decision.event = .refundDeclined(
      transaction.id, decision.notification(.other(.refundDeclined), about: transaction))
  }

  /// Rule AS-REF-6: the transaction id in the refund notification to the server.
  static func told(_ transaction: SimulatedTransaction, _ state: SimulatorState) -> SimulatedTransaction {
    guard state.behaviours.isOn(.refundsUnderFurtherIds) else { return transaction }
    let ids = state.transactionsByOwner[transaction.owner] ?? []
    let further = ids.lazy.reversed().compactMap { state.transactions[$0] }.first { $0.repeats == transaction.id }
    return further ?? transaction
  }
}
