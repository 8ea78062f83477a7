import PaymentModel
import PaymentPrimitives

/// Stopped changes of money. They are few: each query reads all of them.
extension InMemoryTransaction {
  // MARK: questions

  func stoppedChanges(of payment: PaymentKey) throws -> [StoppedChange] {
    try proceed()
    return rows.stopped.values.filter { $0.payment == payment }.sorted(by: isEarlier)
  }

  func stoppedChanges(dueAt now: Timestamp, limit: Int) throws -> [StoppedChange] {
    try proceed()
    return rows.stopped.values.filter { $0.nextAttemptAt <= now }
      .sorted { place($0.nextAttemptAt, $0) < place($1.nextAttemptAt, $1) }
      .limited(to: limit)
  }

  func stoppedChanges(in appEnvironment: AppEnvironment, limit: Int) throws -> [StoppedChange] {
    try proceed()
    return rows.stopped.values.filter { $0.payment.appEnvironment == appEnvironment }.sorted(by: isEarlier).limited(
      to: limit)
  }

  func stoppedChanges(naming order: OrderKey) throws -> [StoppedChange] {
    try proceed()
    return rows.stopped.values.filter {
      $0.payment.appEnvironment == order.appEnvironment && $0.orders.contains(order.id)
    }
    .sorted(by: isEarlier)
  }

  func countOfStoppedChanges(in appEnvironment: AppEnvironment) throws -> [(kind: StoppedChange.Kind, count: Int)] {
    try proceed()
    let kinds = rows.stopped.values.filter { $0.payment.appEnvironment == appEnvironment }.map(\.kind)
    return Dictionary(grouping: kinds) { $0 }.map { ($0.key, $0.value.count) }
      .sorted { precedes($0.kind.rawValue, $1.kind.rawValue) }
  }

  func nextStoppedChange() throws -> Timestamp? {
    try proceed()
    return rows.stopped.values.map(\.nextAttemptAt).min()
  }

  // MARK: writes

  func put(_ stopped: StoppedChange) throws {
    try proceed()
    let key = self.key(of: stopped)
    var row = stopped
    if let before = rows.stopped[key] {
      // The fields of the first arrival stay.
      row = StoppedChange(
        payment: before.payment, statement: before.statement, kind: stopped.kind, found: stopped.found,
        content: stopped.content, evidence: before.evidence, origin: before.origin, at: before.firstSeenAt,
        nextAttemptAt: stopped.nextAttemptAt)
      row.invariant = stopped.invariant
      row.orders = stopped.orders
      row.presentations = stopped.presentations
      row.attempts = stopped.attempts
      row.lastSeenAt = stopped.lastSeenAt
    }
    set(\.stopped, key, value: row)
  }

  func remove(_ stopped: StoppedChange) throws {
    try proceed()
    remove(\.stopped, key(of: stopped))
  }

  private func key(of stopped: StoppedChange) -> InMemoryRows.StoppedKey {
    .init(payment: stopped.payment, statement: ExactText(stopped.statement))
  }

  private func isEarlier(_ a: StoppedChange, _ b: StoppedChange) -> Bool {
    place(a.firstSeenAt, a) < place(b.firstSeenAt, b)
  }

  private func place(_ moment: Timestamp, _ stopped: StoppedChange) -> (Timestamp, PaymentKey, ExactText) {
    (moment, stopped.payment, ExactText(stopped.statement))
  }
}
