import PaymentDatabase
import PaymentModel
package import PaymentPrimitives
import StrictJSON

/// One run of the fulfilment transaction: it reads, applies the pure rules, and writes. It may be run again from the
/// start at any time.
struct FulfilmentTransaction {
  let transaction: any DatabaseTransaction
  let context: FulfilmentContext
  let update: PaymentUpdate

  init(
    _ transaction: any DatabaseTransaction, _ context: FulfilmentContext, update: PaymentUpdate
  ) {
    self.transaction = transaction
    self.context = context
    self.update = update
  }

  var key: PaymentKey { update.facts.key }

  func run() throws -> FulfilmentResult {
    if let token = update.facts.token {
      _ = transaction.foresee(OrderKey(appEnvironment: key.appEnvironment, id: token))
    }
    if let user = update.claim?.user { transaction.foresee(mergeOf: user, in: key.appEnvironment) }
    return try update.followingMerge { try Self(transaction, context, update: $0).runForClaimant() }
  }

  private func runForClaimant() throws -> FulfilmentResult {
    var result = try fulfil()
    result.claimant = update.claim?.user
    if result.payment.facts.kind == .autoRenewable { try updateSubscription(result) }
    try EntitlementRestore(transaction: transaction, app: context.app, claim: update.claim).run(&result)
    result.nothingIsLeft = try transaction.nothingIsLeft(of: result.payment)
    result.order = try transaction.order(paidBy: result.payment, of: update.claim?.user)
    try keepIfItWaits(result)
    return result
  }

  // MARK: charges

  /// Applies an update of a charge: a newer one replaces what is known.
  func fulfilCharge() throws -> FulfilmentResult {
    let known = try transaction.payment(key)
    try update.checkClaimant(transaction)
    guard let known else {
      var payment = Payment(facts: update.facts, firstSeenAt: transaction.now)
      payment.presenter = update.claim?.user
      return try decideAndWrite(payment, before: nil, duplicate: nil)
    }
    if update.contradicts(known) { return try keepContradiction(of: known) }
    var payment = known
    payment.take(update)
    return try decideAndWrite(payment, before: known, duplicate: nil)
  }

  // MARK: deciding and writing

  /// Loads what is known, decides, plans, checks and writes; the caller's steps follow.
  func decideAndWrite(
    _ payment: Payment, before: Payment?, duplicate: PaymentKey?, _ purchase: PurchaseIds = PurchaseIds()
  ) throws -> FulfilmentResult {
    if let before, let earlier = try withKeptClaim(for: payment, purchase) {
      return try earlier.decideAndWrite(payment, before: before, duplicate: duplicate, purchase)
    }
    var facts = try MatchInputLoader(
      transaction, context, payment: matching(payment, purchase.statements), update: update)
    facts.boughtAt = payment.facts.purchaseDate
    let isToDecide = update.decides(
      payment, known: before, isRefundUnderWay: try payment.awaitsOwner && transaction.isRefundUnderWay(payment))
    let decision = isToDecide ? try purchase.isBoughtAgain ? boughtAgain(payment) : facts.decide() : nil
    if let decision, let before, decision.changesNothing(in: before.state), payment.hasSameStatements(as: before) {
      try keepClaim(with: before)
      return FulfilmentResult(payment: before, firstSeen: false, changed: false, duplicate: duplicate)
    }
    let context = context
    var input = FulfilmentInput(payment: payment, derivedOrder: context.derivedOrder, now: transaction.now)
    input.decision = decision.flatMap { $0.isStepBack(from: payment.state) ? nil : $0 }
    input.order = try facts.order(for: decision)
    facts.sold.addProducts(to: &input)
    let postings = before == nil ? [] : try transaction.postings(of: payment.key)
    if before != nil {
      input.grant = try transaction.grant(payment.key)
      input.changes = try transaction.changes(of: payment.key)
      input.refunds = try transaction.refundsDone(of: payment)
    }
    var plan = try Self.plan(input)
    guard plan.payment != before else {
      return FulfilmentResult(payment: plan.payment, firstSeen: false, changed: false, duplicate: duplicate)
    }
    try keepDebt(in: &plan, after: postings)
    try check(plan, input, postings: postings, before: before)
    let written = try FulfilmentWriter(transaction, update, plan: plan, facts: facts, before: before).write()
    try notePaid(written)
    var result = FulfilmentResult(
      payment: written, firstSeen: before == nil,
      changed: before?.state != written.state || before?.order != written.order || before?.owner != written.owner,
      duplicate: duplicate)
    result.isNewlyGranted = written.state.wasGranted && before?.state.wasGranted != true
    return result
  }

  /// Holds a purchase that was bought again after a refund: only an operator's claim grants it (invariant 2).
  private func boughtAgain(_ payment: Payment) -> MatchDecision? {
    payment.awaitsOwner || payment.state == .revoked ? .held(.boughtAgainAfterRefund) : nil
  }

  /// Plans the fulfilment. A plan that cannot be made is a violated invariant: a bug, manual changes in the database,
  /// or absurd numbers in the catalog.
  static func plan(_ input: FulfilmentInput) throws -> FulfilmentPlan {
    do { return try Fulfilment.plan(input) } catch {
      throw InvariantBroken(
        violations: [
          Violation(
            .onePaymentOneOrderOneGrant, payment: input.payment.key, order: input.order?.key,
            found: "no plan: \(error)")
        ], kind: .noPlan)
    }
  }

  /// Compares what is taken back, and given back, with the balance of its owner.
  private func keepDebt(in plan: inout FulfilmentPlan, after postings: [Posting]) throws {
    guard !plan.changes.isEmpty, let grant = plan.grant, grant.debt != .negative,
      case .units(let unit, _) = grant.content
    else { return }
    let balance = try transaction.balance(of: grant.user, unit: unit, in: grant.payment.appEnvironment)
    plan.keepDebt(balance: balance?.amount ?? 0, after: postings)
  }

  /// Checks the invariants of money on the rows as they will be; a violation rolls everything back.
  func check(
    _ plan: FulfilmentPlan, _ input: FulfilmentInput, postings: [Posting], before: Payment?,
    promised: WeChatPayOrder? = nil
  ) throws {
    var rows = plan.rows(after: input.changes, postings)
    if rows.order == nil, let order = plan.payment.order {
      rows.order = try transaction.order(OrderKey(appEnvironment: plan.payment.key.appEnvironment, id: order))
    }
    rows.formerUsers = try transaction.formerUsers(of: rows.grant, in: rows.postings)
    rows.weChatPayOrder = try promised ?? transaction.promise(behind: plan.payment, rows.order)
    if plan.grantIsNew { rows.promiseSource = try SoldProduct.source(of: plan, transaction, context) }
    var violations = rows.violations
    if let before { violations += Invariant.violations(from: before, to: plan.payment) }
    if let grant = input.grant { violations += Invariant.violations(from: grant, to: plan.grant) }
    guard violations.isEmpty else { throw InvariantBroken(violations: violations) }
  }

  /// Stores the evidence of the update with a payment.
  func keepEvidence(of payment: PaymentKey) throws {
    try transaction.insert(
      Evidence(payment: payment, text: update.evidence, origin: update.origin, receivedAt: transaction.now))
  }

  // MARK: refunds and orders of charges

  /// Takes back the refunded part of a grant.
  func takeBackRefunds(of payment: Payment) throws -> FulfilmentResult {
    try decideAndWrite(payment, before: payment, duplicate: nil)
  }

  /// Stores and journals the contradiction; it changes nothing.
  private func keepContradiction(of known: Payment) throws -> FulfilmentResult {
    try keepEvidence(of: known.key)
    try transaction.journal(.chargeContradicted, known, details: ["by": .string(update.origin.rawValue)])
    var result = FulfilmentResult(payment: known, firstSeen: false, changed: false, duplicate: nil)
    result.isContradicted = true
    return result
  }

  /// Records that money has moved for the order: nothing more is to be asked or closed. If the charge is held,
  /// scheduled questions continue until the order expires, because the statement may not have been true.
  private func notePaid(_ payment: Payment) throws {
    guard payment.key.store.opensOrders, let token = payment.facts.token else { return }
    let event: WeChatPayOrderEvent =
      switch payment.state {
      case .revoked: .givenBack(payment.key.transaction)
      default:
        payment.awaitsOwner || payment.isSetAside
          ? .seen(payment.key.transaction) : .paid(payment.key.transaction)
      }
    try PaymentEngine.receive(
      event, for: OrderKey(appEnvironment: payment.key.appEnvironment, id: token), of: context.app, in: transaction)
  }
}

/// What fulfilment needs beside the update. It is passed by reference: settings are large, and a copy costs more than
/// many database rows.
package final class FulfilmentContext: Sendable {
  let app: AppPolicy
  /// The id of an order that is derived from the payment: it costs an HMAC, and most payments need none.
  var derivedOrder: OrderIdentifier { deriveOrder() }
  private let deriveOrder: @Sendable () -> OrderIdentifier

  package init(app: AppPolicy, derivedOrder: @autoclosure @escaping @Sendable () -> OrderIdentifier) {
    self.app = app
    deriveOrder = derivedOrder
  }
}
