package import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Stores stopped changes within a transaction, and freezes the orders that they concern.
package struct StoppedChanges {
  let transaction: any DatabaseTransaction

  package init(_ transaction: any DatabaseTransaction) { self.transaction = transaction }

  /// The row of a statement, if it was stopped before.
  func row(_ name: String, of payment: PaymentKey) throws -> StoppedChange? {
    try transaction.stoppedChanges(of: payment).first { $0.statement.utf8.elementsEqual(name.utf8) }
  }

  /// Stores a statement that could not take effect.
  ///
  /// - Returns: whether it was not stored before.
  @discardableResult
  package func keep(_ statement: StoppedStatement, because broken: InvariantBroken) throws -> Bool {
    let content = statement.content
    let name = StoppedStatement.name(of: content)
    let known = try row(name, of: statement.payment)
    var row =
      known
      ?? StoppedChange(
        payment: statement.payment, statement: name, kind: broken.kind, found: broken.found, content: content,
        evidence: statement.evidence, origin: statement.origin, at: transaction.now, nextAttemptAt: transaction.now)
    if let kept = StoppedStatement.all(of: row)?.first, kept.signedDate < statement.signedDate { row.content = content }
    if let presentation = statement.presentation, !row.presentations.contains(presentation),
      row.presentations.count < StoppedChange.presentationsMax
    {
      row.presentations.append(presentation)
    }
    try stop(&row, because: broken)
    return known == nil
  }

  /// Records that it was stopped now, and freezes its orders.
  func stop(_ row: inout StoppedChange, because broken: InvariantBroken) throws {
    row.kind = broken.kind
    row.invariant = broken.violations.first?.invariant
    row.found = String(broken.found.prefix(Self.foundMax))
    let orders = broken.violations.compactMap(\.order).filter { $0.appEnvironment == row.payment.appEnvironment }
    row.orders = Set(row.orders + orders.map(\.id)).sorted()
    try wait(&row)
    for id in row.orders {
      try freeze(OrderKey(appEnvironment: row.payment.appEnvironment, id: id), because: row.found)
    }
  }

  /// Stores it for its next attempt.
  func wait(_ row: inout StoppedChange) throws {
    row.lastSeenAt = transaction.now
    row.nextAttemptAt = transaction.now + EngineLimits.stoppedRetryInterval
    try transaction.put(row)
  }

  /// The most characters of a finding: it may name many rows, and needs enough to find them.
  private static let foundMax = 1000

  private func freeze(_ key: OrderKey, because found: String) throws {
    guard var order = try transaction.order(key), order.frozenBecause == nil else { return }
    order.frozenBecause = found
    try transaction.update(order)
  }

  // MARK: the freeze that a change caused

  /// Unfreezes the orders of a change for its own attempt.
  func thaw(_ stopped: StoppedChange) throws {
    var row = stopped
    row.orders = []
    try transaction.put(row)
    for id in stopped.orders {
      guard var order = try transaction.order(OrderKey(appEnvironment: row.payment.appEnvironment, id: id)),
        order.frozenBecause != nil
      else { continue }
      order.frozenBecause = nil
      try transaction.update(order)
    }
  }

  /// Freezes those of them again that another stopped change concerns.
  func freezeForOthers(_ row: StoppedChange) throws {
    for id in row.orders {
      let key = OrderKey(appEnvironment: row.payment.appEnvironment, id: id)
      let others = try transaction.stoppedChanges(naming: key)
        .filter { $0.payment != row.payment || !$0.statement.utf8.elementsEqual(row.statement.utf8) }
      if let other = others.first { try freeze(key, because: other.found) }
    }
  }
}

extension FulfilmentTransaction {
  /// Handles a change that cannot be made: its payment is stored, and the change is in the operator's queue.
  func keepStopped(because broken: InvariantBroken) throws -> FulfilmentResult {
    let original = try knownPurchase()
    let known = original ?? Payment(facts: update.facts, firstSeenAt: transaction.now)
    var payment = known
    if payment.key == key {
      if payment.presenter == nil { payment.presenter = update.claim?.user }
      switch payment.state {
      case .verified, .unclaimed: _ = try payment.receive(.held(.orderFrozen))
      case .held, .setAside, .imported, .revoked, .fulfilled, .reversed, .reinstated: break
      }
      if original == nil { try transaction.insert(payment) } else { try transaction.update(payment) }
    }
    if try StoppedChanges(transaction).keep(.payment(update), because: broken) {
      try keepEvidence(of: payment.key)
      try transaction.journal(.invariantBroken, payment, details: ["found": .string(broken.found)])
    }
    if original == nil { try tellCharge(of: payment) }
    return FulfilmentResult(
      payment: payment, firstSeen: original == nil, changed: original != payment,
      duplicate: payment.key == key ? nil : key)
  }

  /// Tells the charge of a payment that is stored before its change can be made: the retry finds it stored.
  private func tellCharge(of payment: Payment) throws {
    guard let making = EventMaking(context.app, at: transaction.now) else { return }
    let period = payment.facts.kind == .autoRenewable ? try making.period(payment, transaction) : nil
    for body in [period].compactMap(\.self) + making.bodies(from: nil, to: payment, order: nil, grant: nil) {
      try transaction.tell(body)
    }
  }

  /// Stores a grant that waits for its frozen order, or for an operator who has set the payment aside, as a stopped
  /// change. It is retried once nothing blocks it.
  func keepIfItWaits(_ result: FulfilmentResult) throws {
    guard update.origin != .operator else { return }
    let payment = result.payment
    let (kind, found): (StoppedChange.Kind, String)
    switch payment.state {
    case .held(.orderFrozen): (kind, found) = (.orderFrozen, "its order is frozen")
    case .setAside: (kind, found) = (.setAside, "an operator has set it aside")
    default: return
    }
    let violation = Violation(.onePaymentOneOrderOneGrant, payment: payment.key, found: found)
    if try StoppedChanges(transaction).keep(
      .payment(update), because: InvariantBroken(violations: [violation], kind: kind)), !result.changed
    {
      try keepEvidence(of: payment.key)
    }
  }
}
