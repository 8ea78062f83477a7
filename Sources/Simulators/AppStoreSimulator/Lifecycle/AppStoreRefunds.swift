package import AppStoreProtocol
package import PaymentPrimitives

/// Refunds: as the App Store grants them, and as customers ask for them.
package struct AppStoreRefunds: Sendable {
  let store: SimulatedAppStore

  /// Refunds a transaction, in part or completely. From now on its signed form shows the refund, and the server is
  /// notified (rules AS-REF-1 to AS-REF-4). A complete refund also ends the shares of family members (AS-FAM-4).
  ///
  /// - Parameters:
  ///   - percentage: the part of the payment, in thousandths of a percent (100 000 is all of it); nil for the rest.
  ///   - reason: why the customer wanted it.
  /// - Returns: the transaction with its revocation.
  /// - Throws: `transactionUnknown`, `nothingToRefund`, `alreadyRefunded`, `fieldInvalid`.
  nonisolated(nonsending) package func refund(
    _ id: TransactionIdentifier, percentage: Int64? = nil,
    reason: RevocationReason = .refundedForOtherReason
  ) async throws(CodedError<SimulatorErrorCode>) -> SimulatedTransaction {
    try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      try RefundDecision.refund(id, percentage: percentage, reason: reason, &decision)
    }
  }

  /// Reverses all refunds of a transaction: its signed form no longer shows them, and the server is notified (rule
  /// AS-REF-5).
  ///
  /// - Throws: `transactionUnknown`, or `nothingToRefund` when nothing was refunded.
  nonisolated(nonsending) package func reverse(_ id: TransactionIdentifier) async throws(CodedError<SimulatorErrorCode>)
  {
    try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      let transaction = try decision.transaction(id)
      guard let revocation = transaction.revocation, !revocation.isFamily else {
        throw CodedError(.nothingToRefund, "Nothing of it was refunded.")
      }
      decision.event = .refundReversed(
        id, decision.notification(.other(.refundReversed), about: RefundDecision.told(transaction, decision.state)))
    }
  }

  /// A customer asks for a refund. The App Store asks the server how the purchase was used, and decides twelve hours
  /// later by its answer (rules AS-CONS-1, AS-CONS-2).
  ///
  /// - Throws: `transactionUnknown`, `nothingToRefund`, `alreadyRefunded`, or `neverChanges` while a request is open.
  nonisolated(nonsending) package func request(
    _ id: TransactionIdentifier, reason: ConsumptionRequestReason = .unintendedPurchase
  ) async throws(CodedError<SimulatorErrorCode>) {
    try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      let transaction = try decision.transaction(id)
      guard transaction.isCharge else { throw CodedError(.nothingToRefund, "No money moved for it.") }
      guard RefundDecision.refundable(transaction) > 0 else {
        throw CodedError(.alreadyRefunded, "Nothing of it is left.")
      }
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
  nonisolated(nonsending) package func decline(_ id: TransactionIdentifier) async throws(CodedError<SimulatorErrorCode>)
  {
    try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      let transaction = try decision.transaction(id)
      guard decision.state.refundRequests[id] != nil else { throw CodedError(.nothingToRefund, "Nobody asked for it.") }
      RefundDecision.decline(transaction, &decision)
    }
  }
}
