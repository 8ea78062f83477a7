import PaymentModel
import PaymentDatabase
import PaymentPrimitives
import StrictJSON

/// What the tokens of a purchase's other ids mean (invariant 2): a token alone never makes a purchase.
extension FulfilmentTransaction {
  /// The payment as the rules of matching see it: while nobody owns it, the token of the earliest id that names
  /// somebody counts, else the claim with which an id is presented; with that id's own dates.
  func matching(_ payment: Payment, _ ids: [PurchaseStatement]) throws -> Payment {
    guard ids.count > 1, payment.owner == nil || payment.awaitsOwner else { return payment }
    let naming = try naming(payment, ids)
    let presented = news.claim == nil ? nil : ids.first { $0.key == news.facts.key }
    guard let chosen = naming?.id ?? presented, chosen.key != payment.key else { return payment }
    var matching = payment
    matching.facts.token = chosen.facts.token ?? payment.facts.token
    matching.facts.purchaseDate = chosen.facts.purchaseDate
    matching.facts.appTransaction = payment.facts.appTransaction ?? chosen.facts.appTransaction
    return matching
  }

  /// The earliest id whose token names an order of ours, or a user where tokens do; and whom.
  private func naming(
    _ payment: Payment, _ ids: [PurchaseStatement]
  ) throws -> (id: PurchaseStatement, user: UserIdentifier)? {
    let facts = try MatchInputLoader(transaction, context, payment, news)
    for id in ids.sorted(by: { ($0.facts.purchaseDate, $0.key) < ($1.facts.purchaseDate, $1.key) }) {
      guard let token = id.facts.token, id.facts.ownership == .purchased else { continue }
      if let order = try facts.order(token) { return (id, order.user) }
      if let user = try facts.tokenUser(of: id.facts, forProduct: nil)?.user { return (id, user) }
    }
    return nil
  }

  /// The orders that duplicates of a granted or imported purchase name are closed: its product is owned already, and
  /// nothing was charged for them.
  func closeOrders(of payment: Payment, _ ids: [PurchaseStatement]) throws -> [OrderIdentifier] {
    guard let owner = payment.owner, payment.state.wasGranted || payment.state == .imported else { return [] }
    let facts = try MatchInputLoader(transaction, context, payment, news)
    // Its own token is a duplicate's too, where another id's has counted.
    let isMatchedByAnother = ids.contains {
      $0.key != payment.key && $0.facts.token != nil && $0.facts.token == payment.order
    }
    var closed: [OrderIdentifier] = []
    for id in ids.sorted(by: { $0.key < $1.key }) where id.key != payment.key || isMatchedByAnother {
      guard let token = id.facts.token, token != payment.order, id.facts.ownership == .purchased,
        var order = try facts.order(token), order.state == .awaitingPayment, order.frozenBecause == nil
      else { continue }
      let story = try order.receive(.close(.alreadyOwned), at: transaction.now)
      let verdict = payment.state == .imported ? "imported" : order.user == owner ? "fulfilled" : "fulfilledForAnother"
      order.lastVerdict = LastVerdict(verdict: verdict, reason: CloseReason.alreadyOwned.rawValue, at: transaction.now)
      // The counterpart of a sandbox payment's order exists only from here on.
      if try transaction.order(order.key) == nil {
        try transaction.insert(order)
      } else {
        try transaction.update(order)
      }
      for case .record(let what) in story {
        try transaction.insert(
          JournalEntry(
            realm: order.key.realm, at: transaction.now, what: what, order: order.key.id, payment: payment.key,
            details: JSONValue.members([("duplicate", .string(id.key.transaction.text))]).text))
      }
      closed.append(order.key.id)
    }
    return closed
  }

  /// The same for a payment that an operator has given to somebody.
  func closeOrders(of payment: Payment) throws {
    guard payment.key.store == .appStore else { return }
    let rows = try PurchaseRows(around: payment.facts, transaction)
    let purchases = Duplicates.purchases(Array(rows.statements.values))
    guard let ids = purchases.first(where: { $0.contains { $0.key == payment.key } }), ids.count > 1 else { return }
    _ = try closeOrders(of: payment, ids)
  }

  /// A token that is learned after the grant moves nothing (docs/specification/invariants.md, 2.5): it is told.
  func noteLateOwner(
    of payment: Payment, _ before: Payment?, _ statements: [PaymentKey: PurchaseStatement]
  ) throws {
    let purchases = Duplicates.purchases(Array(statements.values))
    let ids = purchases.first { $0.contains { $0.key == payment.key } } ?? []
    guard let before, let owner = payment.owner, before.owner == owner, news.facts.key != payment.key,
      news.facts.token != nil, let naming = try naming(payment, ids), naming.id.key == news.facts.key,
      naming.user != owner
    else { return }
    try journal(
      "payment.ownerLearnedLate", payment,
      details: ["owner": .string(naming.user.text), "echo": .string(naming.id.key.transaction.text)])
  }
}
