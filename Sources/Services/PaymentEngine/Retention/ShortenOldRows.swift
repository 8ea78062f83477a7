import Cryptography
import PaymentDatabase
package import PaymentModel
import PaymentPrimitives

extension PaymentEngine {
  /// Shortens once a day what is older than the configuration keeps (record 303), until the task is cancelled. Without
  /// such a configuration it ends at once.
  func keepRetention() async {
    guard !retention.isOff else { return }
    // A start has better things to do, and a server that restarts often must reach it.
    guard (try? await dependencies.sleep(limits.retentionDelay)) != nil else { return }
    await repeatUntilDone(loggingErrors: "retention.failed", pause: limits.erasureInterval) {
      guard try await doAlone("retention", { _ = try await shortenOldRows() }) else {
        try await dependencies.sleep(limits.workLeasePause)
        return false
      }
      try await dependencies.sleep(limits.retentionInterval)
      return false
    }
  }

  /// Shortens what is old enough, in small commits, and never what money still needs.
  ///
  /// - Returns: how many rows changed, by table.
  @discardableResult
  package func shortenOldRows() async throws -> [RetainedTable: Int] {
    let now = now
    var changed: [RetainedTable: Int] = [:]
    if let span = retention.deliveries {
      changed[.deliveries] = try await shorten(.deliveries, before: now - span)
    }
    if let span = retention.evidence {
      changed[.evidence] = try await shorten(.evidence, before: now - span)
      changed[.notifications] = try await shortenNotifications(before: now - span)
      changed[.receipts] = try await repeated { try $0.forgetReceipts(shownBefore: now - span, limit: $1) }
    }
    if let span = retention.sessions {
      // None of them is valid any more: the longest one is a session.
      let moment = now - span - ConsoleSession.ageMax
      changed[.sessions] = try await repeated { try $0.forgetSessions(madeBefore: moment, limit: $1) }
    }
    for (table, count) in changed where count > 0 {
      metrics.count(.retentionRowsTotal, [("table", table.rawValue)], by: Double(count))
    }
    let fields = changed.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key.rawValue, "\($0.value)") }
    log(LogEvent(.info, "retention.done", fields))
    return changed
  }

  private func shorten(_ table: RetainedTable, before moment: Timestamp) async throws -> Int {
    let count = limits.rowsPerErasureRead
    var (number, changed, hasMore): (Int64, Int, Bool) = (0, 0, true)
    while hasMore {
      let start = number
      let found = try await read { reader in
        try table == .deliveries
          ? reader.paymentsWithDeliveries(acknowledgedBefore: moment, after: start, count: count)
          : reader.paymentsWithEvidence(receivedBefore: moment, after: start, count: count)
      }
      changed += try await shorten(table, of: found.payments, before: moment)
      number += Int64(count)
      hasMore = found.hasMore
    }
    return changed
  }

  private func shorten(
    _ table: RetainedTable, of payments: [PaymentKey], before moment: Timestamp
  ) async throws -> Int {
    let (size, now) = (limits.rowsPerErasureStep, now)
    var changed = 0
    for start in stride(from: 0, to: payments.count, by: size) {
      let part = Array(payments[start...].prefix(size))
      changed += try await transact { transaction in
        let needs = NeededRows(reader: transaction, now: now)
        return try part.reduce(0) { sum, key in
          guard table == .deliveries else {
            return try needs.needsEvidence(of: key)
              ? sum : sum + transaction.shortenEvidence(of: key, receivedBefore: moment, to: Self.shortened)
          }
          return try needs.needsDeliveries(of: key)
            ? sum : sum + transaction.shortenDeliveries(of: key, acknowledgedBefore: moment)
        }
      }
      try await dependencies.sleep(limits.retentionPause)
    }
    return changed
  }

  private func shortenNotifications(before moment: Timestamp) async throws -> Int {
    let count = limits.rowsPerErasureStep
    var (number, changed, hasMore): (Int64, Int, Bool) = (0, 0, true)
    while hasMore {
      let start = number
      let step = try await transact { transaction in
        try transaction.shortenNotifications(
          receivedBefore: moment, after: start, count: count, to: Self.shortened)
      }
      (changed, hasMore) = (changed + step.changed, step.hasMore)
      number += Int64(count)
      try await dependencies.sleep(limits.retentionPause)
    }
    return changed
  }

  /// Repeats a step with a limit until it finds less.
  private func repeated(
    _ step: @escaping @Sendable (any DatabaseTransaction, _ limit: Int) throws -> Int
  ) async throws -> Int {
    let limit = limits.rowsPerErasureStep
    var sum = 0
    while true {
      let count = try await transact { try step($0, limit) }
      sum += count
      guard count >= limit else { return sum }
      try await dependencies.sleep(limits.retentionPause)
    }
  }

  /// What stays of a signed text: whoever has it elsewhere can show that it is the one.
  private static let shortened: @Sendable (String) -> String = { text in
    ShortenedText.prefix + Array(SHA256.hash(text)).hexadecimal
  }
}

/// What money still needs of a payment.
struct NeededRows {
  let reader: any DatabaseReader
  let now: Timestamp

  /// How long after a payment WeChat Pay takes refunds.
  private static let chargeRefundSpan = TimeSpan.days(366)
  /// How long after the end of its last period a subscription may go on: Apple's longest billing retry is 60 days.
  private static let subscriptionSpan = TimeSpan.days(90)

  /// Whether the bodies of its deliveries are needed: one of them is not acknowledged, or a refund is under way, whose
  /// delivery an operator compares with the earlier ones.
  func needsDeliveries(of key: PaymentKey) throws -> Bool {
    try hasOpenDelivery(key) || isRefunding(key)
  }

  /// Whether the evidence is needed to decide, to prove or to undo anything.
  func needsEvidence(of key: PaymentKey) throws -> Bool {
    if try !reader.stoppedChanges(of: key).isEmpty { return true }
    // Nothing says what it is evidence of.
    guard let payment = try reader.payment(try reader.duplicate(key)?.of ?? key) else { return true }
    if payment.awaitsOwner || payment.isSetAside || payment.idsDisagreeSince != nil { return true }
    let known = payment.key
    if try !reader.stoppedChanges(of: known).isEmpty { return true }
    for purpose in AppStoreTask.Purpose.allCases {
      for one in Set([key, known]) where try reader.appStoreTask(purpose, about: one) != nil { return true }
    }
    if try hasOpenDelivery(known) || isRefunding(known) || mayBeRefunded(payment) { return true }
    guard let order = payment.order else { return false }
    return try reader.order(OrderKey(appEnvironment: known.appEnvironment, id: order))?.frozenBecause != nil
  }

  private func hasOpenDelivery(_ key: PaymentKey) throws -> Bool {
    try reader.deliveries(of: key).contains { if case .acknowledged = $0.state { false } else { true } }
  }

  private func isRefunding(_ key: PaymentKey) throws -> Bool {
    try reader.refunds(of: key).contains { !$0.state.isFinal || $0.nextQuestionAt != nil }
  }

  /// Whether a refund may still come that is decided by more than the rows of the payment. Apple may refund at any
  /// time: what that needs is in the payment and its grant, which stay.
  private func mayBeRefunded(_ payment: Payment) throws -> Bool {
    if payment.key.store == .weChatPay, payment.facts.purchaseDate > now - Self.chargeRefundSpan { return true }
    guard payment.facts.kind == .autoRenewable else { return false }
    guard let end = try reader.subscription(payment.facts.originalKey)?.periodEnd ?? payment.facts.expiresDate else {
      return true
    }
    return end > now - Self.subscriptionSpan
  }
}
