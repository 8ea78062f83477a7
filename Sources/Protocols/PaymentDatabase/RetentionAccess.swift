package import PaymentModel
package import PaymentPrimitives

/// Rows that are old enough to be shortened (record 303).
package protocol RetentionReader {
  /// Payments with deliveries that were acknowledged before a moment and have their bodies; from `count` numbers after
  /// `number`.
  func paymentsWithDeliveries(
    acknowledgedBefore moment: Timestamp, after number: Int64, count: Int
  ) throws -> OldRows
  /// Payments with evidence that came before a moment and has its text; from `count` numbers after `number`.
  func paymentsWithEvidence(receivedBefore moment: Timestamp, after number: Int64, count: Int) throws -> OldRows
}

/// What shortens them. Each returns how many rows changed.
package protocol RetentionWriter {
  /// Takes the bodies and the failed attempts of a payment's deliveries that were acknowledged before a moment. The
  /// rows stay: their ids can never be used again.
  func shortenDeliveries(of payment: PaymentKey, acknowledgedBefore moment: Timestamp) throws -> Int
  /// Replaces the texts of a payment's evidence that came before a moment.
  func shortenEvidence(
    of payment: PaymentKey, receivedBefore moment: Timestamp, to shortened: @escaping @Sendable (String) -> String
  ) throws -> Int
  /// Replaces the texts of notifications that took effect and came before a moment; from `count` numbers after
  /// `number`.
  ///
  /// - Returns: also whether there are numbers after the range.
  func shortenNotifications(
    receivedBefore moment: Timestamp, after number: Int64, count: Int,
    to shortened: @escaping @Sendable (String) -> String
  ) throws -> (changed: Int, hasMore: Bool)
  /// Forgets receipts that were last shown before a moment, at most `limit`. Evidence names them by their digest.
  func forgetReceipts(shownBefore moment: Timestamp, limit: Int) throws -> Int
  /// Forgets sessions, links and begun sign-ins that were made before a moment, at most `limit` of each.
  func forgetSessions(madeBefore moment: Timestamp, limit: Int) throws -> Int
}
