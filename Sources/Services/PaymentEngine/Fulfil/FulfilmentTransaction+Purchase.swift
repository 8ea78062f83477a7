import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import StrictJSON

extension FulfilmentTransaction {
  /// Applies an update of a transaction: of a known payment, of another id of it, or of a new one.
  func fulfil() throws -> FulfilmentResult {
    if key.store.opensOrders { return try fulfilCharge() }
    if let known = try inKnownEnvironment() { return try known.fulfil() }
    var rows = try PurchaseRows(around: update.facts, transaction)
    try update.checkClaimant(transaction)
    var statements = rows.statements
    var own = statements[key] ?? PurchaseStatement(update.facts)
    let token = statements[key]?.facts.token
    own.take(update)
    statements[key] = own
    let before = rows.payments
    let result = try takeIn(statements, &rows)
    if own.facts.token != token { try noteLateOwner(of: result.payment, before[result.payment.key], statements) }
    return result
  }

  /// Applies what is known of all ids of an event. It affects the updated purchase, and others that become a
  /// purchase, or part of one, by it.
  ///
  /// - Parameter decided: the payment as an operator has changed it.
  private func takeIn(
    _ statements: [PaymentKey: PurchaseStatement], _ rows: inout PurchaseRows, decided: Payment? = nil
  ) throws -> FulfilmentResult {
    var answer: FulfilmentResult?
    var others: [(Payment, Payment?, PurchaseIds)] = []
    for (index, ids) in Duplicates.purchases(Array(statements.values)).enumerated() {
      let (known, before) = try payment(for: ids, &rows)
      let payment = known.key == decided?.key ? decided ?? known : known
      let purchase = PurchaseIds(
        statements: ids, isBoughtAgain: index > 0 && !ids.contains(where: \.isOwnPurchase) && !payment.state.wasGranted)
      if ids.contains(where: { $0.key == key }) {
        answer = try take(purchase, payment, before: before)
      } else {
        others.append((payment, before, purchase))
      }
    }
    for (payment, before, purchase) in others {
      let update = PaymentUpdate(facts: payment.facts, evidence: update.evidence, origin: update.origin)
      _ = try FulfilmentTransaction(transaction, context, update: update).take(purchase, payment, before: before)
    }
    if let answer { return answer }
    throw InvariantBroken(violations: [
      Violation(.onePaymentOneOrderOneGrant, payment: key, found: "a transaction that belongs to no purchase")
    ])
  }

  /// The payment that stands for the updated transaction, or for a purchase that it duplicates.
  func knownPurchase() throws -> Payment? {
    if key.store.opensOrders { return try transaction.payment(key) }
    let rows = try PurchaseRows(around: update.facts, transaction)
    return try rows.payments[key] ?? rows.duplicates[key].flatMap { rows.payments[$0.of] } ?? rows.payments.values.min {
      ($0.facts.purchaseDate, $0.key) < ($1.facts.purchaseDate, $1.key)
    } ?? transaction.payment(key)
  }

  /// The same update under the environment that Apple has named since, if the signed text names none.
  private func inKnownEnvironment() throws -> FulfilmentTransaction? {
    guard key.environment == .undetermined, let duplicate = try transaction.duplicate(key) else { return nil }
    var update = update
    update.facts.key = PaymentKey(
      app: key.app, store: key.store, environment: duplicate.of.environment, transaction: key.transaction)
    return FulfilmentTransaction(transaction, context, update: update)
  }

  /// The payment that stands for a purchase, and its earlier state: the granted one, else the first. The others
  /// become duplicates of it. If none stands, the earliest id does from now on.
  private func payment(for ids: [PurchaseStatement], _ rows: inout PurchaseRows) throws -> (Payment, Payment?) {
    let standing = ids.compactMap { rows.payments[$0.key] }
    guard
      let payment = standing.first(where: { $0.state.wasGranted }) ?? standing.first(where: { $0.owner != nil })
        ?? standing.first
    else {
      let (payment, before) = try newPayment(for: ids[0], &rows)
      for id in ids.dropFirst() { try markDuplicate(id, payment, rows: &rows) }
      return (payment, before)
    }
    for id in ids where id.key != payment.key {
      if let other = rows.payments[id.key], other.state.wasGranted || other.state == .imported { continue }
      try markDuplicate(id, payment, rows: &rows)
    }
    return (payment, payment)
  }

  /// The payment of an id that is a separate purchase, and its earlier state.
  private func newPayment(for id: PurchaseStatement, _ rows: inout PurchaseRows) throws -> (Payment, Payment?) {
    if rows.duplicates.removeValue(forKey: id.key) != nil { try transaction.removeDuplicate(id.key) }
    let before = rows.repeated.removeValue(forKey: id.key)
    return (before ?? Payment(facts: id.facts, firstSeenAt: transaction.now), before)
  }

  private func markDuplicate(_ id: PurchaseStatement, _ payment: Payment, rows: inout PurchaseRows) throws {
    if var duplicate = rows.duplicates[id.key] {
      let before = duplicate
      (duplicate.of, duplicate.facts) = (payment.key, id.facts)
      (duplicate.refundReversedAt, duplicate.refundHistory) = (id.refundReversedAt, id.refundHistory)
      guard duplicate != before else { return }
      try transaction.update(duplicate)
      if id.key == key { try keepEvidence(of: payment.key) }
      return
    }
    if let other = rows.payments.removeValue(forKey: id.key) { rows.repeated[id.key] = other }
    let duplicate = DuplicateTransaction(id, of: payment, firstSeenAt: transaction.now)
    try transaction.insert(duplicate)
    rows.duplicates[id.key] = duplicate
    if id.key == key { try keepEvidence(of: payment.key) }
    try transaction.journal(.duplicateFound, payment, details: ["echo": .string(id.key.transaction.text)])
  }

  /// Applies the statements of all ids of a purchase.
  private func take(_ purchase: PurchaseIds, _ known: Payment, before: Payment?) throws -> FulfilmentResult {
    guard let own = purchase.statements.first(where: { $0.key == known.key }) else {
      throw InvariantBroken(violations: [
        Violation(.onePaymentOneOrderOneGrant, payment: known.key, found: "a purchase without its own statement")
      ])
    }
    var payment = known
    let standing = payment.take(own, of: purchase.statements, at: transaction.now)
    if payment.presenter == nil { payment.presenter = update.claim?.user }
    let duplicate = key == known.key ? nil : key
    var result = try decideAndWrite(payment, before: before, duplicate: duplicate, purchase)
    try ask(about: standing.doubted, of: result.payment, before)
    guard purchase.statements.count > 1 else { return result }
    try closeOrders(of: result.payment, purchase.statements)
    if duplicate != nil, let token = update.facts.token,
      case .closed(.alreadyOwned, _)? = try transaction.order(
        OrderKey(appEnvironment: known.key.appEnvironment, id: token))?.state
    {
      result.repeatsForAnotherOrder = true
    }
    return result
  }

  /// Applies an operator's decision about a refund on which the ids of a purchase disagree.
  ///
  /// - Parameter revocation: the one that stands; nil if it is undone.
  func decide(_ known: Payment, _ revocation: Revocation?) throws -> FulfilmentResult {
    var rows = try PurchaseRows(around: known.facts, transaction)
    var payment = known
    var statements = rows.statements
    if let revocation {
      payment.confirmedRevocation = revocation.date
    } else {
      // Like REFUND_REVERSED: it undoes what was signed before.
      let newest = statements.values.map(\.facts.signedDate).max() ?? transaction.now
      payment.refundReversedAt = max(transaction.now, newest + .milliseconds(1))
      payment.refundHistory.take(payment.statedRevocation, reversedAt: payment.refundReversedAt)
    }
    statements[payment.key] = payment.statement
    try transaction.journal(
      revocation == nil ? .refundUndoneByOperator : .refundConfirmedByOperator, payment,
      details: (try? JSONReader.read(update.evidence.utf8)) ?? .object([]))
    return try takeIn(statements, &rows, decided: payment)
  }

  /// Asks Apple about each id with a revocation that a newer statement under another id does not contain. Without a
  /// key for Apple's servers an operator decides.
  private func ask(about doubted: [PaymentKey], of payment: Payment, _ before: Payment?) throws {
    if (payment.idsDisagreeSince != nil) != (before?.idsDisagreeSince != nil) {
      try transaction.journal(
        payment.idsDisagreeSince == nil ? .idsAgree : .idsDisagree, payment,
        details: ["about": .array(doubted.map { .string($0.transaction.text) })])
    }
    guard context.app.appStoreTasks != nil else { return }
    for id in doubted where try transaction.appStoreTask(.ask, about: id) == nil {
      try transaction.put(
        AppStoreTask(payment: id, purpose: .ask, createdAt: transaction.now, dueAt: transaction.now))
    }
  }
}
