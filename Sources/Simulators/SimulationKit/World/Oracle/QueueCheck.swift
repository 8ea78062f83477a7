import AppStoreProtocol
import AppStoreSimulator
import PaymentModel
import PaymentPrimitives

/// Checks what the App Store's queue still holds at the end.
struct QueueCheck: WorldCheck {
  let records: WorldRecords

  func run() async throws {
    for transaction in records.transactions {
      guard !transaction.isFinished else {
        // Either a phone or the server may have finished it: only a transaction known here may be finished.
        if try await records.payment(for: transaction.id) == nil {
          events.reportViolation("\(transaction.id) is finished, and unknown here")
        }
        continue
      }
      let account = transaction.owner.account.text
      guard records.phones.contains(where: { $0.plan.account == account && !$0.plan.isLost }) else { continue }
      let payment = try await records.payment(for: transaction.id)
      if payment?.state == .unclaimed { continue }
      // A renewal that came after the last use of the account's phones.
      let lastOpen = records.phones.filter { $0.plan.account == account }.compactMap(\.closedAt).max()
      if transaction.reason == .renewal, let lastOpen, transaction.purchaseDate > lastOpen { continue }
      events.reportViolation("the transaction \(transaction.id) of \(account) was never finished")
    }
  }
}
