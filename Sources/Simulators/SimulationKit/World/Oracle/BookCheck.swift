import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Checks that the backend got each change exactly once, in order, and nothing else.
struct BookCheck: WorldCheck {
  let records: WorldRecords

  func run() async throws {
    let (payments, grants) = try await database.read { database in
      let payments = try database.payments(after: nil, limit: 10_000).filter { $0.key.environment != .sandbox }
      return (payments, try payments.map { try database.grant($0.key) })
    }
    let accounts = records.bookings
    for (payment, grant) in zip(payments, grants) {
      let id = payment.key.transaction
      guard let grant else {
        if accounts[id] != nil { events.reportViolation("the backend booked \(id), which nothing was granted for") }
        continue
      }
      guard let account = accounts[id] else {
        events.reportViolation("the backend never booked \(id)")
        continue
      }
      for problem in account.problems { events.reportViolation("the backend's book of \(id): \(problem)") }
      if account.holder != grant.user {
        events.reportViolation(
          "the backend booked \(id) for \(account.holder?.text ?? "no user"), it is \(grant.user)'s")
      }
      if account.left != grant.parts - grant.takenBack {
        events.reportViolation("of \(id) the backend has \(account.left), the server \(grant.parts - grant.takenBack)")
      }
      note(account)
    }
    for id in accounts.keys.sorted() where !payments.contains(where: { $0.key.transaction == id }) {
      events.reportViolation("the backend booked \(id), which the server does not know")
    }
  }

  private func note(_ account: WorldAccount) {
    if account.returns > 0 { events.mark(.refundReversed) }
    if account.returns > 0, account.reversals > 1 { events.mark(.refundedAgain) }
    if account.parts > 1, account.reversals > 1, account.returns == 0 { events.mark(.refundedInParts) }
  }
}
