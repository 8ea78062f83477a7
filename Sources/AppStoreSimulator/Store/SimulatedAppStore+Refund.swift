public import AppStoreProtocol
public import PaymentVocabulary

extension SimulatedAppStore {
  /// Pays back a transaction, all that is left of it or a part; its signed form says so from now on, and the server
  /// is told (rules AS-REF-1 to AS-REF-4).
  ///
  /// - Parameters:
  ///   - percentage: how much of the payment, 100 000 being everything; nil for all that is left.
  ///   - reason: why the customer wanted it.
  /// - Returns: the transaction with its revocation.
  /// - Throws: `transactionUnknown`, `nothingToRefund`, `alreadyRefunded`, `fieldInvalid`.
  public func refund(
    _ id: TransactionIdentifier, percentage: Int64? = nil,
    reason: RevocationReason = .refundedForOtherReason
  ) async throws(Refusal<SimulatorErrorCode>) -> SimulatedTransaction {
    try await commit { decision throws(Refusal<SimulatorErrorCode>) in
      var transaction = try decision.transaction(id)
      guard transaction.isCharge else {
        throw Refusal(.nothingToRefund, "Its original transaction is \(transaction.originalId).")
      }
      let whole = SimulatedRevocation.wholePercentage
      let before = transaction.revocation?.percentage ?? 0
      // What an upgrade has paid back cannot be paid back again.
      let left = whole - before - (transaction.upgrade?.refundPercentage ?? 0)
      let part = percentage ?? max(1, left)
      guard (1...whole).contains(part) else {
        throw Refusal(.fieldInvalid, "percentage must be a whole number from 1 to \(whole).")
      }
      guard part <= left else {
        throw Refusal(.alreadyRefunded, "\(left) of \(whole) are left.")
      }
      // Rule AS-REF-4: the date tells one refund of a transaction from the next.
      let date = transaction.revocation.map { max(decision.second, $0.date + .seconds(1)) } ?? decision.second
      let revocation = SimulatedRevocation(date: date, reason: reason, percentage: before + part)
      let notification = decision.notification(
        .refund, bundleId: transaction.owner.bundleId, environment: transaction.environment, transaction: id)
      decision.event = .refunded(id, revocation, notification)
      transaction.revocation = revocation
      return transaction
    }
  }
}
