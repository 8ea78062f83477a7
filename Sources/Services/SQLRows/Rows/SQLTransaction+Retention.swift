import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Rows that are shortened once they are old.
extension SQLTransaction {
  func paymentsWithDeliveries(
    acknowledgedBefore moment: Timestamp, after number: Int64, count: Int
  ) throws -> OldRows {
    try payments(RetentionSQL.deliveries, last: RetentionSQL.lastDelivery, before: moment, after: number, count: count)
  }

  func paymentsWithEvidence(receivedBefore moment: Timestamp, after number: Int64, count: Int) throws -> OldRows {
    try payments(RetentionSQL.evidence, last: RetentionSQL.lastEvidence, before: moment, after: number, count: count)
  }

  private func payments(
    _ sql: SQL, last: SQL, before moment: Timestamp, after number: Int64, count: Int
  ) throws -> OldRows {
    var found = OldRows()
    let end = number + Int64(max(1, count))
    found.hasMore = (try first(last, { _ in }, { $0.optionalInteger() }) ?? nil).map { $0 > end } ?? false
    found.payments = try all(
      sql,
      {
        $0.add(number)
        $0.add(end)
        $0.add(moment)
      }, { try $0.paymentKey() })
    return found
  }

  func shortenDeliveries(of payment: PaymentKey, acknowledgedBefore moment: Timestamp) throws -> Int {
    guard let number = try identifier(of: payment) else { return 0 }
    let old = try all(
      RetentionSQL.deliveriesOfPayment,
      {
        $0.add(number)
        $0.add(moment)
      }, { $0.integer() })
    for delivery in old {
      try write(RetentionSQL.emptyBody) { $0.add(delivery) }
      try write(RetentionSQL.forgetAttempts) { $0.add(delivery) }
    }
    return old.count
  }

  func shortenEvidence(
    of payment: PaymentKey, receivedBefore moment: Timestamp, to shortened: @escaping @Sendable (String) -> String
  ) throws -> Int {
    guard let number = try identifier(of: payment) else { return 0 }
    let old = try all(
      RetentionSQL.evidenceOfPayment,
      {
        $0.add(number)
        $0.add(moment)
      }, { row in (row.integer(), try EvidenceSQL.readText(&row)) })
    for (id, text) in old {
      try write(RetentionSQL.setEvidence) {
        $0.add(shortened(text))
        $0.add(id)
      }
    }
    return old.count
  }

  func shortenNotifications(
    receivedBefore moment: Timestamp, after number: Int64, count: Int,
    to shortened: @escaping @Sendable (String) -> String
  ) throws -> (changed: Int, hasMore: Bool) {
    let end = number + Int64(max(1, count))
    let last = try first(RetentionSQL.lastNotification, { _ in }, { $0.optionalInteger() }) ?? nil
    let old = try all(
      RetentionSQL.notifications,
      {
        $0.add(number)
        $0.add(end)
        $0.add(moment)
      }, { ($0.integer(), $0.text()) })
    for (id, text) in old {
      try write(RetentionSQL.setPayload) {
        $0.add(shortened(text))
        $0.add(id)
      }
    }
    return (old.count, last.map { $0 > end } ?? false)
  }

  func forgetReceipts(shownBefore moment: Timestamp, limit: Int) throws -> Int {
    try forget(RetentionSQL.receipts, by: RetentionSQL.forgetReceipt, before: moment, limit: limit)
  }

  func forgetSessions(madeBefore moment: Timestamp, limit: Int) throws -> Int {
    try RetentionSQL.sessions.reduce(0) { sum, table in
      sum + (try forget(table.old, by: table.forget, before: moment, limit: limit))
    }
  }

  /// Forgets rows that have a digest as their key.
  private func forget(_ old: SQL, by delete: SQL, before moment: Timestamp, limit: Int) throws -> Int {
    let digests = try all(
      old,
      {
        $0.add(moment)
        $0.add(max(0, limit))
      }, { $0.text() })
    for digest in digests { try write(delete) { $0.add(digest) } }
    return digests.count
  }
}

enum RetentionSQL {
  static let deliveries = SQL(
    """
    SELECT DISTINCT \(PaymentRow.keyColumns) FROM deliveries AS t JOIN payment_keys AS k ON k.id = t.payment
    WHERE t.payment > ? AND t.payment <= ? AND t.state = 'acknowledged' AND t.state_at < ? AND t.body <> ''
    """)
  static let lastDelivery = SQL("SELECT max(payment) FROM deliveries")
  static let evidence = SQL(
    """
    SELECT DISTINCT \(PaymentRow.keyColumns) FROM evidence AS t JOIN payment_keys AS k ON k.id = t.payment
    WHERE t.payment > ? AND t.payment <= ? AND t.received_at < ? AND substr(t.text, 1, 7) <> 'sha256:'
    """)
  static let lastEvidence = SQL("SELECT max(payment) FROM evidence")
  static let deliveriesOfPayment = SQL(
    "SELECT id FROM deliveries WHERE payment = ? AND state = 'acknowledged' AND state_at < ? AND body <> ''")
  static let emptyBody = SQL("UPDATE deliveries SET body = '' WHERE id = ?")
  static let forgetAttempts = SQL("DELETE FROM delivery_attempts WHERE delivery = ?")
  static let evidenceOfPayment = SQL(
    """
    SELECT e.id, e.text, e.digest, h.text FROM evidence AS e LEFT JOIN evidence_headers AS h ON h.id = e.header
    WHERE e.payment = ? AND e.received_at < ? AND substr(e.text, 1, 7) <> 'sha256:' ORDER BY e.id
    """)
  static let setEvidence = SQL("UPDATE evidence SET text = ?, header = NULL, digest = NULL WHERE id = ?")
  static let notifications = SQL(
    """
    SELECT id, signed_payload FROM notifications WHERE id > ? AND id <= ? AND effect = 'applied' AND received_at < ?
      AND substr(signed_payload, 1, 7) <> 'sha256:' ORDER BY id
    """)
  static let lastNotification = SQL("SELECT max(id) FROM notifications")
  static let setPayload = SQL("UPDATE notifications SET signed_payload = ? WHERE id = ?")
  static let receipts = SQL(
    "SELECT digest FROM receipts WHERE digest > '' AND received_at < ? ORDER BY digest LIMIT ?")
  static let forgetReceipt = SQL("DELETE FROM receipts WHERE digest = ?")
  static let sessions = ["console_sessions", "sign_in_links", "pending_sign_ins"].map { table in
    (
      old: SQL("SELECT digest FROM \(table) WHERE digest > '' AND created_at < ? ORDER BY digest LIMIT ?"),
      forget: SQL("DELETE FROM \(table) WHERE digest = ?")
    )
  }

  static let all =
    [
      deliveries, lastDelivery, evidence, lastEvidence, deliveriesOfPayment, emptyBody, forgetAttempts,
      evidenceOfPayment, setEvidence, notifications, lastNotification, setPayload, receipts, forgetReceipt,
    ] + sessions.flatMap { [$0.old, $0.forget] }
}
