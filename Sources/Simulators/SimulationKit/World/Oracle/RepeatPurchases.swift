import AppStoreProtocol
import AppStoreSimulator
import PaymentModel
import PaymentPrimitives

/// Non-consumables that were bought again after a refund.
struct RepeatPurchases: Sendable {
  let records: WorldRecords

  /// Whether a non-consumable was bought again, after a refund, under the original id of its first purchase.
  func isUnderOldOriginal(_ charge: SimulatedCharge) -> Bool {
    let sold = charge.transaction
    return sold.type == .nonConsumable && sold.originalId != sold.id
  }

  /// Two purchases of which one was made again under the original id of the other, the first one first.
  func pair(
    _ one: SimulatedCharge, _ other: SimulatedCharge
  ) -> (first: SimulatedCharge, again: SimulatedCharge)? {
    if isUnderOldOriginal(one) { return (other, one) }
    guard isUnderOldOriginal(other), other.transaction.originalId == one.transaction.originalId else { return nil }
    return (one, other)
  }

  /// Whether a repeat purchase counts as another id of this charge, and was refunded. The server could not know of the
  /// first refund at that time, so a refund under one id also reverses the other.
  func isRefundedUnderAnother(_ charge: SimulatedCharge) async throws -> Bool {
    for other in records.charges
    where other.transaction.originalId == charge.transaction.originalId && isUnderOldOriginal(other)
      && other.refundedPercentage > 0
    {
      guard let counted = try await records.payment(for: other.transaction.id)?.key.transaction else { continue }
      if counted != other.transaction.id, records.ids(of: charge).contains(counted) { return true }
    }
    return false
  }

  /// Whether a transaction with the same original id was bought in the same second as a reported refund. Stores report
  /// whole seconds only, so the order of the two is unknown.
  func isTiedWithARefund(_ charge: SimulatedCharge) -> Bool {
    let siblings = records.transactions.filter { $0.originalId == charge.transaction.originalId }
    let refunds = Set(siblings.flatMap { records.truths[$0.id]?.dates ?? [] }.map(\.seconds))
    return charge.transaction.type == .nonConsumable && siblings.contains { refunds.contains($0.purchaseDate.seconds) }
  }
}
