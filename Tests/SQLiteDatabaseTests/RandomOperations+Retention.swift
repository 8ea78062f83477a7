import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import TestDoubles

// Rows that are shortened once they are old.
extension RandomOperations {
  /// Shortens rows of a random age, and tells what changed.
  mutating func shortenOldRows(_ transaction: any DatabaseTransaction) throws -> String {
    let (moment, key, most) = (moment(), try known(transaction), Int(Int32.max))
    let shortened: @Sendable (String) -> String = { ShortenedText.prefix + "\($0.utf8.count)" }
    switch chance.number(below: 6) {
    case 0:
      let found = try transaction.paymentsWithDeliveries(acknowledgedBefore: moment, after: 0, count: most)
      return "\(found.payments.sorted()) \(found.hasMore)"
    case 1:
      let found = try transaction.paymentsWithEvidence(receivedBefore: moment, after: 0, count: most)
      return "\(found.payments.sorted()) \(found.hasMore)"
    case 2: return "\(try transaction.shortenDeliveries(of: key, acknowledgedBefore: moment))"
    case 3: return "\(try transaction.shortenEvidence(of: key, receivedBefore: moment, to: shortened))"
    case 4:
      let step = try transaction.shortenNotifications(
        receivedBefore: moment, after: 0, count: most, to: shortened)
      return "\(step.changed) \(step.hasMore)"
    default:
      let receipts = try transaction.forgetReceipts(shownBefore: moment, limit: 3)
      return "\(receipts) \(try transaction.forgetSessions(madeBefore: moment, limit: 3))"
    }
  }
}
