import AppStoreSimulator
import PaymentModel
import PaymentPrimitives

/// Checks that the server knows each refund, even if its notification was lost.
struct RefundKnowledgeCheck: WorldCheck {
  let records: WorldRecords

  func run() async throws {
    guard context.plan.apple.hasKey else { return }
    for charge in records.charges where charge.refundedPercentage > 0 {
      guard let payment = try await records.payment(for: charge.transaction.id), payment.facts.revocation == nil,
        records.ids(of: charge).contains(payment.key.transaction)
      else { continue }
      events.reportViolation("\(charge.transaction.id) was refunded, and the server does not know it")
    }
  }
}
