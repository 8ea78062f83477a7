package import PaymentPrimitives

/// The purchases that a buyer shares with the members of their family.
package struct FamilySharing: Sendable {
  let store: SimulatedAppStore

  /// Shares a non-consumable or a running subscription with a member of the buyer's family. The member gets a separate
  /// transaction, without a charge and without a token (rules AS-FAM-1 to AS-FAM-3).
  ///
  /// - Parameter id: any transaction of the purchase.
  /// - Returns: the member's transaction.
  /// - Throws: `transactionUnknown`, `accountUnknown`, `fieldInvalid` when it cannot be shared, or `full`.
  nonisolated(nonsending) package func share(
    _ id: TransactionIdentifier, with member: AppleAccountIdentifier
  ) async throws(CodedError<SimulatorErrorCode>) -> SimulatedTransaction {
    try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      try FamilyDecision.share(id, with: member, &decision)
    }
  }

  /// Ends a family member's share: the member left, or the buyer stopped sharing (rule AS-FAM-4).
  ///
  /// - Parameter id: any transaction of the member's.
  /// - Throws: `transactionUnknown`, `nothingToRefund` for a purchase that was not shared, or `alreadyRefunded`.
  nonisolated(nonsending) package func end(_ id: TransactionIdentifier) async throws(CodedError<SimulatorErrorCode>) {
    try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      let named = try decision.transaction(id)
      guard named.isFamilyShared else { throw CodedError(.nothingToRefund, "It was bought, not shared.") }
      guard let end = FamilyDecision.shareEnd(of: named.originalId, decision) else {
        throw CodedError(.alreadyRefunded, "He lost it.")
      }
      decision.event = .shareEnded(end)
    }
  }
}
