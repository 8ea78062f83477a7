import AppStoreSimulator
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Synchronization
import SystemPlatform
import TestDatabases

/// Backends that debit what users have, over all nodes, and remember what they were told.
final class Spending: Sendable {
  private struct State {
    var taken: Set<String> = []
    var refused: Set<String> = []
    var problems: [String] = []
  }

  static let amount: Int64 = 70
  private let shop: Shop
  private let state = Mutex(State())

  init(_ shop: Shop) { self.shop = shop }

  /// The ids of the debits that were booked, as the servers said.
  var taken: Set<String> { state.withLock { $0.taken } }
  var refused: Set<String> { state.withLock { $0.refused } }
  var problems: [String] { state.withLock { $0.problems } }

  /// Debits twice for each purchase, from two nodes at once: the balance may not suffice.
  func spend(after fact: Load.Fact) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...2 { group.addTask { try await self.debit("\(fact.order)-\(number)", of: fact.user) } }
      try await group.waitForAll()
    }
  }

  private func debit(_ id: String, of user: String) async throws {
    for _ in 0..<ProgramProcess.patience {
      do {
        let answer = try await shop.ask(
          "POST", "/v1/users/\(user)/balances/coin/debits",
          body: .members([("id", .string(id)), ("amount", .integer(Self.amount))]))
        switch answer.status {
        case 200, 201:
          state.withLock { _ = $0.taken.insert(id) }
          return
        case 409:
          state.withLock { _ = $0.refused.insert(id) }
          return
        case 429, 503: break
        default:
          state.withLock { $0.problems.append("debit \(id) was answered \(answer.status): \(answer.json.text)") }
          return
        }
      } catch is HTTPExchangeError {}
      try await Dependencies.system.sleep(.milliseconds(10))
    }
    state.withLock { $0.problems.append("debit \(id) was never answered") }
  }
}

/// Compares what customers, the store, the backend and its receiver saw with the rows of the database. It uses neither
/// the engine nor its audit.
struct ChaosChecker {
  let server: PostgreSQLServer
  let schema: String
  let facts: [Load.Fact]
  let charges: [(transaction: String, order: String?)]
  let spending: Spending
  let received: [WebhookReceiver.Attempt]

  /// What was lost, doubled or misdirected.
  func findings() throws -> [String] {
    try orders() + payments() + deliveries() + debits()
  }

  private func rows(_ sql: String) throws -> [[String]] {
    try server.run("SET search_path = \(schema); \(sql)").split(separator: "\n").map {
      $0.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    }
  }

  private func orders() throws -> [String] {
    let kept = Dictionary(uniqueKeysWithValues: try rows("SELECT order_id, user_id FROM orders").map { ($0[0], $0[1]) })
    return facts.filter { kept[$0.order] != $0.user }.map { "order \($0.order) of \($0.user) was answered and is lost" }
  }

  /// Each charge at the store is one payment of the order that it names, granted once to the user of that order.
  private func payments() throws -> [String] {
    let found = try rows(
      """
      SELECT k.transaction_id, p.state, o.order_id, o.user_id, g.user_id, g.amount,
        (SELECT count(*) FROM postings AS t WHERE t.payment = p.id),
        (SELECT sum(t.amount) FROM postings AS t WHERE t.payment = p.id)
      FROM payments AS p JOIN payment_keys AS k ON k.id = p.id
      LEFT JOIN orders AS o ON o.paid_by = p.id LEFT JOIN grants AS g ON g.payment = p.id
      """)
    let byTransaction = Dictionary(grouping: found) { $0[0] }
    var findings: [String] = []
    for charge in charges {
      let rows = byTransaction[charge.transaction] ?? []
      guard rows.count == 1, let row = rows.first else {
        findings.append("charge \(charge.transaction) is \(rows.count) payments")
        continue
      }
      if row[1] != "fulfilled" || row[2] != charge.order || row[3] != row[4] || row[5...] != ["100", "1", "100"] {
        findings.append("charge \(charge.transaction) of order \(charge.order ?? "none") became \(row)")
      }
    }
    let known = Set(charges.map(\.transaction))
    findings += byTransaction.keys.filter { !known.contains($0) }.map { "payment \($0) was never charged" }
    for fact in facts where fact.isFulfilled {
      guard let transaction = fact.transaction, byTransaction[transaction]?.first?[2] == fact.order else {
        findings.append("payment of order \(fact.order) was answered and is lost")
        continue
      }
    }
    return findings
  }

  /// Each grant has one message, which the receiver has, always with the same body.
  private func deliveries() throws -> [String] {
    let kept = try rows("SELECT delivery_id, payment, state FROM deliveries")
    let grants = try rows("SELECT count(*) FROM grants").first?[0] ?? ""
    var findings: [String] = []
    if "\(kept.count)" != grants || Set(kept.map { $0[1] }).count != kept.count {
      findings.append("\(grants) grants have \(kept.count) messages")
    }
    findings += kept.filter { $0[2] != "acknowledged" }.map { "message \($0[0]) is \($0[2])" }
    let bodies = Dictionary(grouping: received, by: \.id).mapValues { Set($0.map(\.body)) }
    findings += bodies.filter { $0.value.count > 1 }.keys.map { "message \($0) has several bodies" }
    findings += kept.filter { bodies[$0[0]] == nil }.map { "message \($0[0]) never came" }
    let known = Set(kept.map { $0[0] })
    findings += bodies.keys.filter { !known.contains($0) }.map { "message \($0) is unknown here" }
    return findings
  }

  /// Each answered debit is booked once, no other is, and no balance was ever below zero.
  private func debits() throws -> [String] {
    let booked = try rows("SELECT booking_key, count(*) FROM bookings GROUP BY booking_key")
    var findings = booked.filter { $0[1] != "1" }.map { "debit \($0[0]) is booked \($0[1]) times" }
    let keys = Set(booked.map { $0[0] })
    findings += spending.taken.subtracting(keys).sorted().map { "debit \($0) was answered and is lost" }
    // One that was never answered may be booked: the checker of the history knows which were.
    // In the order of their commits, as their number has it for one user: the balance is locked for each posting.
    let below = try rows(
      """
      SELECT user_id, min(balance) FROM (
        SELECT user_id, sum(change) OVER (PARTITION BY user_id ORDER BY id) AS balance FROM (
          SELECT id, coalesce(credit_user, debit_user) AS user_id,
            CASE WHEN credit_user IS NULL THEN -amount ELSE amount END AS change FROM postings) AS changes) AS sums
      GROUP BY user_id HAVING min(balance) < 0
      """)
    findings += below.map { "the balance of \($0[0]) was \($0[1])" }
    let wrong = try rows(
      """
      SELECT b.user_id, b.amount, s.amount FROM balances AS b FULL JOIN (
        SELECT coalesce(credit_user, debit_user) AS user_id,
          sum(CASE WHEN credit_user IS NULL THEN -amount ELSE amount END) AS amount
        FROM postings GROUP BY 1) AS s USING (user_id)
      WHERE b.amount IS DISTINCT FROM s.amount
      """)
    return findings + wrong.map { "the balance of \($0[0]) is \($0[1]), its postings are \($0[2])" }
  }
}
