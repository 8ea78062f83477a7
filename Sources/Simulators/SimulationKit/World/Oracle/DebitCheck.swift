import AppStoreProtocol
import AppStoreSimulator
import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Checks the backend's debits.
struct DebitCheck: WorldCheck {
  let records: WorldRecords

  /// Checks that each debit was booked at most once, that no finally rejected debit was booked, and that none exceeded
  /// the balance.
  func run() async throws {
    for user in Set(records.debits.map(\.user)).sorted() {
      let entries = try await records.entries(of: user)
      var (booked, balances): ([String: [Int64]], [UserIdentifier: Int64]) = ([:], [:])
      for posting in entries.reversed().map(\.posting) {
        for change in posting.balanceChanges { balances[change.user, default: 0] += change.amount }
        let has = posting.balanceChanges.first.flatMap { balances[$0.user] } ?? 0
        guard case .booking(let key, .debit) = posting.source else { continue }
        booked[key, default: []].append(posting.amount)
        if has < 0 { events.reportViolation("\(key) has left \(user) with \(has)") }
      }
      for debit in records.debits where debit.user == user {
        let amounts = booked.removeValue(forKey: debit.key) ?? []
        switch debit.outcome {
        case .done:
          if amounts != [debit.amount] {
            events.reportViolation("\(debit.key) of \(debit.amount) was booked as \(amounts)")
          }
        case .refused, .unknown:
          if !amounts.isEmpty { events.reportViolation("\(debit.key) is \(debit.outcome), and was booked: \(amounts)") }
        }
      }
      for key in booked.keys.sorted() {
        events.reportViolation("\(key) was taken from \(user), and no caller asked for it")
      }
    }
    if records.debits.contains(where: { $0.outcome == .unknown }) {
      events.reportViolation("a debit was never answered")
    }
    try await noteSpentRefunds()
  }

  private func noteSpentRefunds() async throws {
    for charge in records.charges where charge.transaction.type == .consumable {
      guard let payment = try await records.payment(for: charge.transaction.id) else { continue }
      let (grant, changes, deliveries) = try await database.read { database in
        (
          try database.grant(payment.key), try database.changes(of: payment.key),
          try database.deliveries(of: payment.key)
        )
      }
      guard let grant, let first = changes.first(where: { $0.kind == .reversal })?.at else { continue }
      let spent = records.debits.contains { debit in
        guard case .done(let moment) = debit.outcome, debit.user == grant.user else { return false }
        return moment < first
      }
      if spent { events.mark(.refundedAfterSpending) }
      if case .acknowledged(let moment) = deliveries.first?.state {
        events.mark(moment > first ? .refundedBeforeDelivery : .refundedAfterDelivery)
      }
    }
  }
}
