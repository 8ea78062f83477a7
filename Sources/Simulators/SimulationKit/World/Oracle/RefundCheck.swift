import AppStoreProtocol
import AppStoreSimulator
import PaymentModel
import PaymentPrimitives

/// Checks that the server takes back what the App Store has refunded.
struct RefundCheck: WorldCheck {
  let records: WorldRecords
  let repeats: RepeatPurchases

  /// Checks that the units taken back equal the App Store's refunded total, at the end and after each step. Any
  /// partial refund takes back an entitlement.
  func run() async throws {
    let accounts = records.bookings
    for charge in records.charges {
      let (id, whole) = (charge.transaction.id, Int64(100_000))
      guard let payment = try await records.payment(for: id), let account = accounts[payment.key.transaction],
        records.ids(of: charge).contains(payment.key.transaction)
      else { continue }
      let isPieces = charge.transaction.type == .consumable
      let taken = { (part: Int64) in
        isPieces ? RefundedPieces.count(part, of: whole, in: account.parts) : part > 0 ? 1 : 0
      }
      let stated = Set((records.truths[id]?.stated ?? []).map(taken)).union([0])
      for total in account.totals where !stated.contains(total) {
        events.reportViolation("of \(id) \(total) of \(account.parts) were taken back, which the store never said")
      }
      guard records.canKnowRefunds(of: id), account.taken != taken(charge.refundedPercentage),
        try await !repeats.isRefundedUnderAnother(charge), !repeats.isTiedWithARefund(charge)
      else { continue }
      events.reportViolation(
        "of \(id) the store gave back \(charge.refundedPercentage) of \(whole), and \(account.taken) of "
          + "\(account.parts) were taken back")
    }
  }
}
