import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Handles the tokens of a purchase's other ids (invariant 2): a token alone never makes a purchase.
extension FulfilmentTransaction {
  /// The payment as the match rules see it. While it has no owner, the token of the earliest id that names a user
  /// counts. Otherwise the claim counts with which an id is presented. The dates of that id apply.
  func matching(_ payment: Payment, _ ids: [PurchaseStatement]) throws -> Payment {
    guard ids.count > 1, payment.owner == nil || payment.awaitsOwner else { return payment }
    let naming = try naming(payment, ids)
    let presented = update.claim == nil ? nil : ids.first { $0.key == update.facts.key }
    guard let chosen = naming?.id ?? presented, chosen.key != payment.key else { return payment }
    var matching = payment
    matching.facts.token = chosen.facts.token ?? payment.facts.token
    matching.facts.purchaseDate = chosen.facts.purchaseDate
    matching.facts.appTransaction = payment.facts.appTransaction ?? chosen.facts.appTransaction
    return matching
  }

  /// The earliest id with a token that names one of our orders, or a user if tokens name users; and that user.
  private func naming(
    _ payment: Payment, _ ids: [PurchaseStatement]
  ) throws -> (id: PurchaseStatement, user: UserIdentifier)? {
    let facts = try MatchInputLoader(transaction, context, payment: payment, update: update)
    for id in ids.sorted(by: { ($0.facts.purchaseDate, $0.key) < ($1.facts.purchaseDate, $1.key) }) {
      guard let token = id.facts.token, id.facts.ownership == .purchased else { continue }
      if let order = try facts.order(token) { return (id, order.user) }
      if let user = try facts.tokenUser(of: id.facts, forProduct: nil)?.user { return (id, user) }
    }
    return nil
  }

  /// Closes the orders that duplicates of a granted or imported purchase name: its product is already owned, and they
  /// were not charged.
  func closeOrders(of payment: Payment, _ ids: [PurchaseStatement]) throws {
    guard let owner = payment.owner, payment.state.wasGranted || payment.state == .imported else { return }
    let facts = try MatchInputLoader(transaction, context, payment: payment, update: update)
    // If the token of another id was used for matching, its own token counts as that of a duplicate.
    let isMatchedByAnother = ids.contains {
      $0.key != payment.key && $0.facts.token != nil && $0.facts.token == payment.order
    }
    for id in ids.sorted(by: { $0.key < $1.key }) where id.key != payment.key || isMatchedByAnother {
      guard let token = id.facts.token, token != payment.order, id.facts.ownership == .purchased,
        var order = try facts.order(token), order.state == .awaitingPayment, order.frozenBecause == nil
      else { continue }
      let actions = try order.receive(.close(.alreadyOwned), at: transaction.now)
      order.lastVerdict = LastVerdict(
        alreadyOwnedBy: owner, orderedBy: order.user, in: payment.state, at: transaction.now)
      // The sandbox counterpart of an order is stored only from here on.
      if try transaction.order(order.key) == nil {
        try transaction.insert(order)
      } else {
        try transaction.update(order)
      }
      for case .journal(let event) in actions {
        try transaction.journal(
          event, order.key, payment: payment.key, details: ["duplicate": .string(id.key.transaction.text)],
          telling: EventMaking(context.app, at: transaction.now)?.closed(order, .alreadyOwned))
      }
    }
  }

  /// The same for a payment that an operator has given to a user.
  func closeOrders(of payment: Payment) throws {
    guard !payment.key.store.opensOrders else { return }
    let rows = try PurchaseRows(around: payment.facts, transaction)
    let purchases = Duplicates.purchases(Array(rows.statements.values))
    guard let ids = purchases.first(where: { $0.contains { $0.key == payment.key } }), ids.count > 1 else { return }
    try closeOrders(of: payment, ids)
  }

  /// Journals a token that is learned after the grant; it moves nothing (docs/specification/invariants.md, 2.5).
  func noteLateOwner(
    of payment: Payment, _ before: Payment?, _ statements: [PaymentKey: PurchaseStatement]
  ) throws {
    let purchases = Duplicates.purchases(Array(statements.values))
    let ids = purchases.first { $0.contains { $0.key == payment.key } } ?? []
    guard let before, let owner = payment.owner, before.owner == owner, update.facts.key != payment.key,
      update.facts.token != nil, let naming = try naming(payment, ids), naming.id.key == update.facts.key,
      naming.user != owner
    else { return }
    try transaction.journal(
      .ownerLearnedLate, payment,
      details: ["owner": .string(naming.user.text), "echo": .string(naming.id.key.transaction.text)])
  }
}
