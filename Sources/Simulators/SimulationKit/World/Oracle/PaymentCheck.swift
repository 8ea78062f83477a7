import AppStoreSimulator
import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Checks that each payment at the App Store was charged.
struct PaymentCheck: WorldCheck {
  let records: WorldRecords
  let marks: ChargeMarks

  func run() async throws {
    let payments = try await database.read { try $0.payments(after: nil, limit: 10_000) }
    // Family Sharing: one payment, signed for each member.
    let lines = Set(records.transactions.filter { $0.isCharge || $0.isFamilyShared }.map(\.originalId))
    for payment in payments
    where payment.key.store == .appStore && payment.key.appEnvironment == context.appEnvironment
      && !lines.contains(payment.facts.originalTransaction)
    {
      events.reportViolation("the payment \(payment.key.transaction) was never charged")
    }
    if records.transactions.contains(where: { !$0.isCharge }) { events.mark(.ownedAgain) }
    marks.noteHabits()
  }
}
