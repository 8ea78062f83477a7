import Console
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Checks what operators did: each press left exactly one entry in the audit log, which tells what became of it, and
/// each entry stands for one change.
struct OperatorCheck: WorldCheck {
  let records: WorldRecords

  private var presses: [WorldOperators.Press] { context.operators.presses }

  func run() async throws {
    guard context.plan.bookkeeping.presses > 0 else { return }
    let (chain, entries) = try await database.read { reader in
      (try AuditLogVerification(of: reader), try reader.auditLog(after: 0, limit: 100_000))
    }
    if let broken = chain.broken {
      events.reportViolation("the audit log is broken at \(broken.number): \(broken.finding)")
    }
    let own = entries.filter { $0.actorKind == .account }
    let byKey = Dictionary(grouping: own, by: \.actionKey)
    var expected: Set<String> = []
    for press in presses {
      expected.insert(press.key)
      check(press, byKey[press.key] ?? [])
    }
    let approvals = try await database.read { reader in
      try reader.approvals(of: WorldShop.id, askedSince: SimulatedWorld.beginning, limit: 10_000)
    }
    for approval in approvals { expected.formUnion(check(approval, byKey)) }
    for entry in own where !expected.contains(entry.actionKey) {
      events.reportViolation("\(entry.actor) has an entry for \(entry.action), which nobody pressed")
    }
    let journal = try await journal()
    try await checkChanges(own, in: journal)
    try await checkClaims(entries, in: journal)
  }

  private func check(_ press: WorldOperators.Press, _ entries: [AuditLogEntry]) {
    let what = "the press of \(press.action) (\(press.id))"
    guard let answer = press.answer else { return events.reportViolation("\(what) was never answered") }
    guard entries.count == 1, let entry = entries.first else {
      return events.reportViolation("\(what) was answered \(answer) and has \(entries.count) entries")
    }
    let isFit =
      switch answer {
      case .notice("repeated"): true
      case .notice("asked"): entry.action == "approval.ask" && entry.outcome == .done
      case .notice: entry.action == press.action && entry.outcome == .done
      // The decision counts, and what was decided may be refused: the approval has an entry of its own.
      case .refused: entry.outcome == .refused || press.approval != nil
      }
    if !isFit || entry.reason != press.reason {
      events.reportViolation("\(what) was answered \(answer), and its entry says \(entry.action) \(entry.outcome)")
    }
  }

  /// - Returns: the key of the approved action.
  private func check(_ approval: Approval, _ entries: [String: [AuditLogEntry]]) -> Set<String> {
    let key = "approval " + approval.id
    let own = entries[key] ?? []
    switch approval.state(at: context.world.now) {
    case .asked, .refused, .ended:
      if !own.isEmpty { events.reportViolation("\(approval.action) was done without an approval") }
    case .approved: events.reportViolation("\(approval.action) was approved, and nobody knows what became of it")
    case .done, .failed:
      let outcome: AuditLogEntry.Outcome = approval.problem == nil ? .done : .refused
      if own.count != 1 || own.first?.outcome != outcome || own.first?.action != approval.action {
        events.reportViolation(
          "\(approval.action) was approved and is \(outcome); its entries are \(own.map(\.outcome))")
      }
    }
    return [key]
  }

  // MARK: what was changed

  private func checkChanges(_ entries: [AuditLogEntry], in journal: [JournalEntry]) async throws {
    let done = Dictionary(grouping: entries.filter { $0.outcome == .done }, by: \.action).mapValues(\.count)
    func told(_ event: JournalEvent, _ member: String) -> [JournalEntry] {
      journal.filter { entry in
        entry.what == event.name && isOurs((try? JSONReader.read(entry.details.utf8))?[member]?.string)
      }
    }
    // An erasure takes the operators' own words, and so who wrote them stays alone.
    let notes = told(.operatorNoted, "operator").count
    if notes != done["order.note", default: 0] {
      events.reportViolation("\(notes) notes were written, by \(done["order.note", default: 0]) entries")
    }
    let refunds = told(.refundAsked, "by").count
    if refunds != done["payment.refund", default: 0] {
      events.reportViolation("\(refunds) refunds were made, by \(done["payment.refund", default: 0]) entries")
    }
    // What was acknowledged, or set aside before, is not changed again.
    for (event, action) in [
      (JournalEvent.deliveryRedriven, "delivery.redrive"), (.setAside, "payment.setAside"),
      (.retryAsked, "payment.retry"), (.released, "payment.release"),
    ] {
      let count = told(event, "operator").count
      if count > done[action, default: 0] {
        events.reportViolation("\(event.name) was told \(count) times, by \(done[action, default: 0]) entries")
      }
    }
    let left = try await database.read { reader in
      try reader.payments(after: nil, limit: 10_000).filter { if case .setAside = $0.state { true } else { false } }
    }
    for payment in left { events.reportViolation("\(payment.key.transaction) is left set aside") }
  }

  /// Checks that what operators claimed for a user was granted once, however many of them pressed. The entry of the
  /// audit log is of the same moment, because both are one transaction.
  private func checkClaims(_ entries: [AuditLogEntry], in journal: [JournalEntry]) async throws {
    for key in Set(presses.compactMap(\.claimed)).sorted() {
      // The operator's key may claim what the console left.
      let done = entries.filter { entry in
        entry.action == ConsoleAction.claim.entry && entry.outcome == .done
          && entry.object == "\(key.store.rawValue):\(key.transaction)"
      }
      let grants = journal.filter { $0.payment == key && isClaim($0) }
      if grants.count > 1 {
        events.reportViolation("operators gave \(key.transaction) to a user \(grants.count) times")
      }
      for grant in grants where !done.contains(where: { $0.at == grant.at }) {
        events.reportViolation("an operator gave \(key.transaction) to a user, and no entry tells it")
      }
      let payment = try await database.read { try $0.payment(key) }
      if !done.isEmpty, payment?.owner == nil {
        events.reportViolation("an entry tells that \(key.transaction) was given to a user, and nobody has it")
      }
    }
  }

  /// Whether a claim of an operator granted a payment.
  private func isClaim(_ entry: JournalEntry) -> Bool {
    guard entry.what == JournalEvent.payment(.fulfilled).name,
      let details = try? JSONReader.read(entry.details.utf8)
    else { return false }
    return details["by"]?.string == Evidence.Origin.operator.rawValue
      && details["rule"]?.string == MatchRule.operator.rawValue
  }

  /// Whether the name is of one of the operators, alone or with who approved.
  private func isOurs(_ name: String?) -> Bool {
    guard let name else { return false }
    return WorldOperators.Account.all.contains { name == $0.name.text || name.hasPrefix("\($0.name), approved by ") }
  }

  private func journal() async throws -> [JournalEntry] {
    var (all, after): ([JournalEntry], Int64) = ([], 0)
    while true {
      let query = JournalQuery(
        appEnvironment: context.appEnvironment, after: after, upTo: .max, limit: JournalQuery.scanMax)
      let page = try await database.read { try $0.journal(query) }
      all += page.entries.map(\.entry)
      guard let last = page.last, last.number > after else { return all }
      after = last.number
    }
  }
}
