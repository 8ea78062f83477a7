import CounterfoilAPI
import PaymentPrimitives

/// Collects what the device knows of one order, for support.
struct SupportTrace {
  let app: AppIdentifier
  let dependencies: Dependencies
  let log: SupportLog
  let session: UserSession
  let records: VaultRecords
  let states: SubmissionStates

  nonisolated(nonsending) func bundle(for order: OrderIdentifier) async -> SupportBundle? {
    let record = await records.order(of: order)
    var transactions: [TransactionKey] = await records.transactions.filter {
      $0.transaction.token == order || $0.sameRun == order || record?.phase == .paid(by: $0.key.id)
    }.map(\.key)
    for entry in await records.clearances where entry.order == order && !transactions.contains(entry.key) {
      transactions.append(entry.key)
    }
    let names = Set([order.description] + transactions.map(\.id.text))
    let lines = log.lines.filter { $0.isAbout(names) }
    guard record != nil || log.lines.contains(where: { $0.names(names) }) else { return nil }
    var facts: [(String, String)] = [("app", app.text), ("order", order.description)]
    if let record { facts += self.facts(of: record) }
    for key in transactions.sorted() {
      facts.append(("transaction", fact(of: key, await records.clearance(of: key))))
    }
    return SupportBundle(order: order, writtenAt: dependencies.now(), facts: facts, lines: lines)
  }

  private func facts(of record: OrderRecord) -> [(String, String)] {
    var facts = [
      ("product", record.request.product.text), ("quantity", "\(record.request.quantity)"),
      ("store", record.request.store.rawValue), ("state", record.stateName),
      (
        "signedIn",
        record.user == session.user ? "the order's user" : session.user == nil ? "no user" : "another user"
      ),
    ]
    if let order = record.order {
      facts += [("createdAt", order.createdAt.iso8601), ("expiresAt", order.expiresAt.iso8601)]
      facts += order.shownPrice.map { [("amount", $0.decimal), ("currency", $0.currency)] } ?? []
    }
    return facts + record.history.map { ("step", "\($0.at.iso8601) \($0.state)") }
  }

  private func fact(of key: TransactionKey, _ clearance: ClearedTransactions.Entry?) -> String {
    var fact = "\(key.id.text) \(states[key]?.result.map(\.name) ?? "not asked in this run")"
    guard let clearance else { return fact }
    fact += ", may be finished"
    if clearance.isFinished { fact += ", finished" }
    if clearance.reappearances > 0 { fact += ", came back \(clearance.reappearances) times" }
    return fact
  }
}

extension SubmissionResult {
  /// The result as a few words.
  fileprivate var name: String {
    switch self {
    case .answered(let answer): answer.name
    case .finishedBefore: "finished again"
    case .noUser: "waits for a user"
    case .unknown: "unknown"
    case .unreadable(let code): "refused: \(code)"
    }
  }
}
