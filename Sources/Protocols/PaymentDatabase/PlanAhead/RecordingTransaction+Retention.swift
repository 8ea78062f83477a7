package import PaymentModel
package import PaymentPrimitives

extension RecordingTransaction {
  package func paymentsWithDeliveries(
    acknowledgedBefore moment: Timestamp, after number: Int64, count: Int
  ) throws -> OldRows {
    try readWithoutKey { try $0.paymentsWithDeliveries(acknowledgedBefore: moment, after: number, count: count) }
  }

  package func paymentsWithEvidence(
    receivedBefore moment: Timestamp, after number: Int64, count: Int
  ) throws -> OldRows {
    try readWithoutKey { try $0.paymentsWithEvidence(receivedBefore: moment, after: number, count: count) }
  }

  package func shortenDeliveries(of payment: PaymentKey, acknowledgedBefore moment: Timestamp) throws -> Int {
    try writeEverything { try $0.shortenDeliveries(of: payment, acknowledgedBefore: moment) }
  }

  package func shortenEvidence(
    of payment: PaymentKey, receivedBefore moment: Timestamp, to shortened: @escaping @Sendable (String) -> String
  ) throws -> Int {
    try writeEverything { try $0.shortenEvidence(of: payment, receivedBefore: moment, to: shortened) }
  }

  package func shortenNotifications(
    receivedBefore moment: Timestamp, after number: Int64, count: Int,
    to shortened: @escaping @Sendable (String) -> String
  ) throws -> (changed: Int, hasMore: Bool) {
    try writeEverything {
      try $0.shortenNotifications(receivedBefore: moment, after: number, count: count, to: shortened)
    }
  }

  package func forgetReceipts(shownBefore moment: Timestamp, limit: Int) throws -> Int {
    try writeEverything { try $0.forgetReceipts(shownBefore: moment, limit: limit) }
  }

  package func forgetSessions(madeBefore moment: Timestamp, limit: Int) throws -> Int {
    try writeEverything { try $0.forgetSessions(madeBefore: moment, limit: limit) }
  }
}
