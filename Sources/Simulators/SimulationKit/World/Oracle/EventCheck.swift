import CounterfoilAPI
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Checks the events that the server told.
struct EventCheck: WorldCheck {
  let records: WorldRecords

  /// Checks that no id was told twice, that each payment was told by exactly one charge, and that the refunds that were
  /// told last are those that stand.
  func run() async throws {
    guard context.plan.bookkeeping.tellsEvents else { return }
    var ids: Set<String> = []
    var charges: [String: Int] = [:]
    var refunds: [String: Int64] = [:]
    for event in try await told() {
      guard let id = event["id"]?.string, let type = event["type"]?.string.flatMap({ EventType(rawValue: $0) }) else {
        events.reportViolation("an event without an id or a type: \(event.text)")
        continue
      }
      if !ids.insert(id).inserted { events.reportViolation("\(type.rawValue) is told twice: \(id)") }
      guard let transaction = event["transactionId"]?.string, event["environment"]?.string == environment else {
        continue
      }
      switch type {
      case .purchaseCompleted, .subscriptionPurchased, .subscriptionRenewed: charges[transaction, default: 0] += 1
      case .purchaseRefunded: refunds[transaction] = event["refund"]?["percentage"]?.integer
      case .purchaseRefundUndone: refunds[transaction] = nil
      default: break
      }
    }
    if !charges.isEmpty { events.mark(.eventsTold) }
    for payment in try await payments() {
      let transaction = payment.key.transaction.text
      let count = charges.removeValue(forKey: transaction) ?? 0
      if count != (payment.state == .imported ? 0 : 1) {
        events.reportViolation("\(transaction) is told as charged \(count) times")
      }
      guard payment.key.store == .appStore else { continue }
      let revocation = payment.facts.revocation.flatMap { $0.type == "FAMILY_REVOKE" ? nil : $0 }
      let standing = revocation.map { $0.percentage ?? 100_000 }
      if refunds[transaction] != standing {
        let told = refunds[transaction].map { "\($0)" } ?? "nothing"
        events.reportViolation("\(transaction) is told as refunded by \(told), and stands at \(standing ?? 0)")
      }
    }
  }

  private var environment: String { context.appEnvironment.environment.rawValue }

  private func payments() async throws -> [Payment] {
    try await database.read { try $0.payments(after: nil, limit: 10_000) }
      .filter { $0.key.appEnvironment == context.appEnvironment }
  }

  /// The events of the app, in order.
  private func told() async throws -> [JSONValue] {
    var told: [JSONValue] = []
    var after: Int64 = 0
    while true {
      let query = JournalQuery(
        appEnvironment: context.appEnvironment, after: after, upTo: .max, limit: JournalQuery.scanMax)
      let page = try await database.read { try $0.journal(query) }
      told += page.entries.compactMap { $0.entry.event.flatMap { try? JSONReader.read($0.utf8) } }
      guard let last = page.last, last.number > after else { return told }
      after = last.number
    }
  }
}
