import PaymentPrimitives

/// Converts a match decision into the writes that carry it out. Pure: the engine reads before and writes after.
package enum Fulfilment {
  /// Why no plan is possible: an error in our code or a manual change in the database, never an error of the customer.
  package enum Problem: Error, Hashable, Sendable {
    /// The payment's state does not allow the decision.
    case payment(PaymentTransitionError)
    /// The order's state does not allow it.
    case order(OrderError)
    /// The decision names an order or product that the input does not contain.
    case incomplete
    /// The number of units does not fit 64 bits.
    case tooMuch
  }

  /// Plans the writes for a payment with its newest facts.
  package static func plan(_ input: FulfilmentInput) throws(Problem) -> FulfilmentPlan {
    var plan = FulfilmentPlan(payment: input.payment)
    plan.grant = input.grant
    if isRevokedBeforeGrant(input.payment) || isWhollyRefundedBeforeGrant(input) {
      try keepRevoked(input, in: &plan)
    } else if let decision = input.decision {
      try apply(decision, input, to: &plan)
    }
    try takeBack(input, in: &plan)
    try giveBack(input, in: &plan)
    try takeBackRefunds(input, in: &plan)
    extendPeriod(input, in: &plan)
    return plan
  }

  /// Whether the store took back the whole payment before anything was granted. Then nothing is granted to any
  /// owner.
  private static func isRevokedBeforeGrant(_ payment: Payment) -> Bool {
    payment.facts.isWhollyRevoked && !payment.state.wasGranted && payment.state != .imported
  }

  /// Records the owner anyway: if the store later undoes the refund, this user receives the grant.
  private static func keepRevoked(
    _ input: FulfilmentInput, in plan: inout FulfilmentPlan
  ) throws(Problem) {
    if case .grant(let user, _, let rule, let flags) = input.decision {
      plan.payment.owner = user
      plan.payment.match = MatchRecord(rule: rule, flags: flags, at: input.now)
    }
    try receive(.revoked, in: &plan)
  }

  private static func apply(
    _ decision: MatchDecision, _ input: FulfilmentInput, to plan: inout FulfilmentPlan
  ) throws(Problem) {
    switch decision {
    case .unclaimed:
      try receive(.unclaimed, in: &plan)
    case .held(let reason):
      try receive(.held(reason), in: &plan)
    case .imported(let user, let pairing, let rule, let flags):
      plan.payment.owner = user
      plan.payment.match = rule.map { MatchRecord(rule: $0, flags: flags, at: input.now) }
      if let user, case .order = pairing { try pair(pairing, user, flags: flags, input: input, in: &plan) }
      try receive(.imported, in: &plan)
      if let user { try grantImportedEntitlement(for: user, input, in: &plan) }
    case .grant(let user, let pairing, let rule, let flags):
      plan.payment.owner = user
      plan.payment.match = MatchRecord(rule: rule, flags: flags, at: input.now)
      // If the store itself names the user, this is no claim.
      plan.countsAsClaim = (rule == .inferred || rule == .derived) && !flags.contains(.tokenNamesUser)
      try pair(pairing, user, flags: flags, input: input, in: &plan)
      try receive(.fulfilled, in: &plan)
      try grant(to: user, input, in: &plan)
    }
  }

  static func receive(
    _ event: PaymentEvent, in plan: inout FulfilmentPlan
  ) throws(Problem) {
    do throws(PaymentTransitionError) {
      if try plan.payment.receive(event) { plan.events.append(.payment(plan.payment.state)) }
    } catch { throw .payment(error) }
  }

  // MARK: the order

  private static func pair(
    _ pairing: MatchDecision.Pairing, _ user: UserIdentifier, flags: Set<MatchFlag>,
    input: FulfilmentInput, in plan: inout FulfilmentPlan
  ) throws(Problem) {
    switch pairing {
    case .none:
      return
    case .order(let id):
      guard var order = input.order, order.key.id == id else { throw .incomplete }
      try receive(.paid(plan.payment.key), by: &order, input.now, plan: &plan)
      plan.order = order
    case .orderTakenFrom(let former, let id):
      guard var order = input.order, order.key.id == id else { throw .incomplete }
      try receive(.pairingMoved(from: former, to: plan.payment.key), by: &order, input.now, plan: &plan)
      plan.order = order
      plan.formerPayment = former
    case .derivedOrder(let from):
      guard let product = input.soldProduct else { throw .incomplete }
      plan.order = derivedOrder(user, product, from: from, flags: flags, input: input)
      plan.orderIsNew = true
      plan.events.append(.orderDerived)
    }
    plan.payment.order = plan.order?.key.id
  }

  private static func receive(
    _ event: OrderEvent, by order: inout Order, _ now: Timestamp, plan: inout FulfilmentPlan
  ) throws(Problem) {
    do throws(OrderError) {
      for case .journal(let what) in try order.receive(event, at: now) { plan.events.append(what) }
    } catch { throw .order(error) }
  }

  private static func derivedOrder(
    _ user: UserIdentifier, _ product: Product, from: OrderIdentifier?, flags: Set<MatchFlag>,
    input: FulfilmentInput
  ) -> Order {
    let facts = input.payment.facts
    var order = Order(
      key: OrderKey(appEnvironment: facts.key.appEnvironment, id: input.derivedOrder()), user: user, product: product,
      quantity: facts.quantity, store: facts.key.store, createdAt: input.now, expiresAt: input.now)
    let first = input.order?.key.id == from ? input.order : nil
    order.derivation = Derivation(
      payment: facts.key, from: from, reference: first?.reference, flags: flags)
    order.metadata = first?.metadata
    order.state = .paid(by: facts.key, at: input.now)
    return order
  }

  // MARK: the grant

  private static func grant(
    to user: UserIdentifier, _ input: FulfilmentInput, in plan: inout FulfilmentPlan
  ) throws(Problem) {
    let grant = try newGrant(to: user, input, in: &plan)
    plan.grant = grant
    plan.grantIsNew = true
    plan.announcements.append(.init(kind: .created, cause: "grant", amount: grant.parts))
    if case .units(let unit, let amount) = grant.content {
      plan.postings.append(
        Posting(
          appEnvironment: grant.payment.appEnvironment, unit: unit, debit: .issued(grant.payment.store),
          credit: .user(user), amount: amount, payment: grant.payment, cause: "grant",
          at: input.now))
    }
  }

  /// An imported payment grants no units and causes no delivery; only an entitlement is read from it.
  private static func grantImportedEntitlement(
    for user: UserIdentifier, _ input: FulfilmentInput, in plan: inout FulfilmentPlan
  ) throws(Problem) {
    guard case .entitlement = promise(input, plan)?.0.rule else { return }
    plan.grant = try newGrant(to: user, input, in: &plan)
    plan.grantIsNew = true
  }

  /// The grant for the payment, by its promise.
  private static func newGrant(
    to user: UserIdentifier, _ input: FulfilmentInput, in plan: inout FulfilmentPlan
  ) throws(Problem) -> Grant {
    let facts = plan.payment.facts
    guard let (promise, origin) = promise(input, plan) else { throw .incomplete }
    guard let content = promise.content(of: facts) else { throw .tooMuch }
    plan.promiseOrigin = origin
    return Grant(payment: facts.key, user: user, content: content, promise: promise, grantedAt: input.now)
  }

  /// The promise and its origin. The order that it pays comes first, if its snapshot is for the signed product; then
  /// the catalog; then the newest grant of its subscription. Unsigned statements never count.
  private static func promise(_ input: FulfilmentInput, _ plan: FulfilmentPlan) -> (GrantPromise, PromiseOrigin)? {
    if let snapshot = plan.order?.product, snapshot.isMeant(by: plan.payment.facts) {
      return (GrantPromise(of: snapshot), .order)
    }
    if let product = input.product { return (GrantPromise(of: product), .catalog) }
    return input.earlier.map { ($0.promise, .earlier($0.payment)) }
  }

  // MARK: refunds

  /// Takes back the part of the grant that a revocation in the newest facts names: once, and never more than was
  /// granted.
  ///
  /// The store states the total that is refunded, under one date or several. This takes the part of that total that is
  /// still missing.
  private static func takeBack(
    _ input: FulfilmentInput, in plan: inout FulfilmentPlan
  ) throws(Problem) {
    guard let revocation = plan.payment.facts.revocation, var grant = plan.grant else { return }
    let amount = revocation.amount(of: grant) - grant.takenBack
    guard amount > 0 else { return }
    grant.takenBack += amount
    let cause = RefundNames.ofTaking(revocation, from: grant, after: input.changes + plan.changes)
    plan.grant = grant
    plan.changes.append(
      GrantChange(payment: grant.payment, kind: .reversal, cause: cause, amount: amount, at: input.now))
    // An entitlement from an imported payment ends without a delivery: the backend never received its grant from us.
    guard plan.payment.state != .imported else { return }
    try receive(.reversed(amount: grant.takenBack), in: &plan)
    plan.announcements.append(.init(kind: .reversed, cause: cause, amount: amount, takenBack: grant.takenBack))
    if case .units(let unit, _) = grant.content {
      plan.postings.append(
        Posting(
          appEnvironment: grant.payment.appEnvironment, unit: unit, debit: .user(grant.user),
          credit: .issued(grant.payment.store), amount: amount, payment: grant.payment,
          cause: "reversal:" + cause, at: input.now))
    }
  }
}
