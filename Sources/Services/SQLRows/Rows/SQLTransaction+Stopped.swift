import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Changes of money that were stopped.
extension SQLTransaction {
  // MARK: Queries

  func stoppedChanges(of payment: PaymentKey) throws -> [StoppedChange] {
    guard let identifier = try identifier(of: payment) else { return [] }
    return try all(StoppedSQL.ofPayment, { $0.add(identifier) }, StoppedSQL.read)
  }

  func stoppedChanges(dueAt now: Timestamp, limit: Int) throws -> [StoppedChange] {
    try all(
      StoppedSQL.due,
      {
        $0.add(now)
        $0.add(max(0, limit))
      }, StoppedSQL.read)
  }

  func stoppedChanges(in appEnvironment: AppEnvironment, limit: Int) throws -> [StoppedChange] {
    try all(
      StoppedSQL.inAppEnvironment,
      {
        $0.add(appEnvironment)
        $0.add(max(0, limit))
      }, StoppedSQL.read)
  }

  func stoppedChanges(naming order: OrderKey) throws -> [StoppedChange] {
    try all(
      StoppedSQL.namingOrder,
      {
        $0.add(order.appEnvironment)
        $0.add(order.id.outTradeNo)
      }, StoppedSQL.read)
  }

  func countOfStoppedChanges(in appEnvironment: AppEnvironment) throws -> [(kind: StoppedChange.Kind, count: Int)] {
    try all(StoppedSQL.counts, { $0.add(appEnvironment) }) { (try $0.rawValue(), $0.int()) }
  }

  func nextStoppedChange() throws -> Timestamp? {
    try first(StoppedSQL.next, { _ in }, { $0.optionalTimestamp() }) ?? nil
  }

  // MARK: Writes

  func put(_ stopped: StoppedChange) throws {
    let identifier = try identifierForWriting(of: stopped.payment)
    try write(StoppedSQL.put) {
      $0.add(identifier)
      $0.add(stopped.statement)
      $0.add(stopped.payment.appEnvironment)
      $0.add(stopped.kind.rawValue)
      $0.add(stopped.invariant.map { Int64($0.rawValue) })
      $0.add(stopped.found)
      $0.add(TextList.encode(stopped.orders.map(\.outTradeNo)))
      $0.add(stopped.content)
      $0.add(TextList.encode(stopped.presentations))
      $0.add(stopped.evidence)
      $0.add(stopped.origin.rawValue)
      $0.add(stopped.attempts)
      $0.add(stopped.nextAttemptAt)
      $0.add(stopped.firstSeenAt)
      $0.add(stopped.lastSeenAt)
    }
  }

  func remove(_ stopped: StoppedChange) throws {
    guard let identifier = try identifier(of: stopped.payment) else { return }
    try write(StoppedSQL.remove) {
      $0.add(identifier)
      $0.add(stopped.statement)
    }
  }
}

enum StoppedSQL {
  private static func changes(_ index: String?, _ rest: SQLText) -> SQL {
    SQL(
      """
      SELECT \(PaymentRow.keyColumns), s.statement, s.kind, s.invariant, s.found, s.orders, s.content,
        s.presentations, s.evidence, s.origin, s.attempts, s.next_attempt_at, s.first_seen_at, s.last_seen_at
      FROM stopped_changes AS s \(hint: index) JOIN payment_keys AS k ON k.id = s.payment \(rest)
      """)
  }

  private static let byKey = "k.app, k.store, k.environment, k.transaction_id, s.statement"

  static let ofPayment = changes(nil, "WHERE s.payment = ? ORDER BY s.first_seen_at, s.statement")
  static let due = changes(
    "stopped_changes_due", "WHERE s.next_attempt_at <= ? ORDER BY s.next_attempt_at, \(byKey) LIMIT ?")
  static let inAppEnvironment = changes(
    "stopped_changes_in",
    "WHERE s.app = ? AND s.environment = ? ORDER BY s.first_seen_at, \(byKey) LIMIT ?")
  static let namingOrder = changes(
    "stopped_changes_in",
    "WHERE s.app = ? AND s.environment = ? AND \(.position)(s.orders, ?) > 0 ORDER BY s.first_seen_at, \(byKey)")
  static let counts = SQL(
    """
    SELECT kind, count(*) FROM stopped_changes \(hint: "stopped_changes_in")
    WHERE app = ? AND environment = ? GROUP BY kind ORDER BY kind
    """)
  static let next = SQL("SELECT min(next_attempt_at) FROM stopped_changes \(hint: "stopped_changes_due")")
  static let put = SQL(
    """
    INSERT INTO stopped_changes (
      payment, statement, app, environment, kind, invariant, found, orders, content, presentations, evidence, origin,
      attempts, next_attempt_at, first_seen_at, last_seen_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (payment, statement) DO UPDATE SET
      kind = excluded.kind, invariant = excluded.invariant, found = excluded.found, orders = excluded.orders,
      content = excluded.content,
      presentations = excluded.presentations, attempts = excluded.attempts,
      next_attempt_at = excluded.next_attempt_at, last_seen_at = excluded.last_seen_at
    """)
  static let remove = SQL("DELETE FROM stopped_changes WHERE payment = ? AND statement = ?")

  static let all = [ofPayment, due, inAppEnvironment, namingOrder, counts, next, put, remove]

  static func read(_ row: inout Columns) throws -> StoppedChange {
    let payment = try row.paymentKey()
    let statement = row.text()
    let kind: StoppedChange.Kind = try row.rawValue()
    let number = row.optionalInteger()
    let invariant = number.flatMap { Int(exactly: $0) }.flatMap { Invariant(rawValue: $0) }
    guard invariant != nil || number == nil else { throw row.damage("the number of a rule") }
    let found = row.text()
    let names = TextList.decode(row.optionalText())
    let orders = names.compactMap { OrderIdentifier($0) }
    guard orders.count == names.count else { throw row.damage("order ids") }
    let content = row.text()
    let presentations = TextList.decode(row.optionalText())
    let evidence = row.text()
    let origin: Evidence.Origin = try row.rawValue()
    let attempts = row.int()
    let (nextAttemptAt, firstSeenAt) = (row.timestamp(), row.timestamp())
    var stopped = StoppedChange(
      payment: payment, statement: statement, kind: kind, found: found, content: content, evidence: evidence,
      origin: origin, at: firstSeenAt, nextAttemptAt: nextAttemptAt)
    stopped.invariant = invariant
    stopped.orders = orders
    stopped.presentations = presentations
    stopped.attempts = attempts
    stopped.lastSeenAt = row.timestamp()
    return stopped
  }
}
