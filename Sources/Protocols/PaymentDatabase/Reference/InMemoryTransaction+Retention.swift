import PaymentModel
import PaymentPrimitives

/// Rows that are shortened once they are old. Rows in memory have no numbers, so the first range has all of them.
extension InMemoryTransaction {
  func paymentsWithDeliveries(
    acknowledgedBefore moment: Timestamp, after number: Int64, count: Int
  ) throws -> OldRows {
    try proceed()
    var found = OldRows()
    guard number == 0 else { return found }
    found.payments = Set(rows.deliveries.values.filter { Self.isOld($0, moment) }.map(\.payment)).sorted()
    return found
  }

  func paymentsWithEvidence(receivedBefore moment: Timestamp, after number: Int64, count: Int) throws -> OldRows {
    try proceed()
    var found = OldRows()
    guard number == 0 else { return found }
    found.payments = rows.evidence.filter { $0.value.contains { Self.isOld($0, moment) } }.map(\.key).sorted()
    return found
  }

  private static func isOld(_ delivery: Delivery, _ moment: Timestamp) -> Bool {
    guard case .acknowledged(let at) = delivery.state else { return false }
    return at < moment && !delivery.body.isEmpty
  }

  private static func isOld(_ evidence: Evidence, _ moment: Timestamp) -> Bool {
    evidence.receivedAt < moment && !ShortenedText.isOne(evidence.text)
  }

  func shortenDeliveries(of payment: PaymentKey, acknowledgedBefore moment: Timestamp) throws -> Int {
    try proceed()
    var count = 0
    for id in rows.deliveriesByPayment[payment] ?? [] {
      guard let delivery = rows.deliveries[id], Self.isOld(delivery, moment) else { continue }
      count += 1
      set(\.deliveries, id, value: delivery.withoutBody)
      if rows.attempts[id] != nil { remove(\.attempts, id) }
    }
    return count
  }

  func shortenEvidence(
    of payment: PaymentKey, receivedBefore moment: Timestamp, to shortened: @escaping @Sendable (String) -> String
  ) throws -> Int {
    try proceed()
    let all = rows.evidence[payment] ?? []
    let count = all.count { Self.isOld($0, moment) }
    guard count > 0 else { return 0 }
    set(
      \.evidence, payment,
      value: all.map { one in
        guard Self.isOld(one, moment) else { return one }
        return Evidence(
          payment: payment, text: shortened(one.text), origin: one.origin, receivedAt: one.receivedAt)
      })
    return count
  }

  func shortenNotifications(
    receivedBefore moment: Timestamp, after number: Int64, count: Int,
    to shortened: @escaping @Sendable (String) -> String
  ) throws -> (changed: Int, hasMore: Bool) {
    try proceed()
    guard number == 0 else { return (0, false) }
    var changed = 0
    for (key, one) in rows.notifications
    where one.effect == .applied && one.receivedAt < moment && !ShortenedText.isOne(one.signedPayload) {
      changed += 1
      set(
        \.notifications, key,
        value: ReceivedNotification(
          appEnvironment: one.appEnvironment, id: one.id, type: one.type, subtype: one.subtype,
          signedDate: one.signedDate, transaction: one.transaction, signedPayload: shortened(one.signedPayload),
          receivedAt: one.receivedAt, effect: one.effect))
    }
    return (changed, false)
  }

  func forgetReceipts(shownBefore moment: Timestamp, limit: Int) throws -> Int {
    try proceed()
    let old = rows.receiptTimes.filter { $0.value < moment }.map(\.key).sorted().limited(to: limit)
    for digest in old {
      remove(\.receipts, digest)
      remove(\.receiptTimes, digest)
    }
    return old.count
  }

  func forgetSessions(madeBefore moment: Timestamp, limit: Int) throws -> Int {
    try proceed()
    let sessions = rows.consoleSessions.filter { $0.value.createdAt < moment }.map(\.key).sorted().limited(to: limit)
    let links = rows.signInLinks.filter { $0.value.createdAt < moment }.map(\.key).sorted().limited(to: limit)
    let pending = rows.pendingSignIns.filter { $0.value.createdAt < moment }.map(\.key).sorted().limited(to: limit)
    for key in sessions { remove(\.consoleSessions, key) }
    for key in links { remove(\.signInLinks, key) }
    for key in pending { remove(\.pendingSignIns, key) }
    return sessions.count + links.count + pending.count
  }
}
