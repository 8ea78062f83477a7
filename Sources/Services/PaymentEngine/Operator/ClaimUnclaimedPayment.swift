import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives
import StrictJSON

/// What a WeChat Pay charge is claimed for: WeChat Pay knows no products.
package enum ClaimedPurchase: Hashable, Sendable {
  /// An unpaid WeChat Pay order of the user.
  case order(OrderName)
  /// A number of pieces of a product, at its present price.
  case product(ProductIdentifier, quantity: Int)
}

extension PaymentEngine {
  /// Gives a payment without an owner to a user; the operator's reason stays in the journal.
  ///
  /// Only waiting payments (`unclaimed`, `held`), and imported ones without an owner, can be given. `OperatorQueue`
  /// must also list a claim as a way out.
  /// - Parameter purchase: what a WeChat Pay charge is claimed for; ignored for a purchase at the App Store.
  package func claimUnclaimedPayment(
    _ key: PaymentKey, for user: UserIdentifier, as purchase: ClaimedPurchase? = nil, by operatorName: String,
    reason: String
  ) async throws -> FulfilmentResult {
    guard let app = apps[key.app] else { throw CodedError<EngineErrorCode>(.paymentUnknown) }
    guard !app.isObserving else {
      throw CodedError<EngineErrorCode>(.paymentNotClaimable, "The app only observes: nothing is granted yet.")
    }
    let context = FulfilmentContext(
      app: app, derivedOrder: derivedOrder(for: key))
    let details = Self.byOperator(operatorName, reason: reason)
    let result = try await transact { transaction in
      guard let payment = try transaction.payment(key) else {
        throw CodedError<EngineErrorCode>(.paymentUnknown)
      }
      let present = try transaction.present(user, in: key.appEnvironment)
      let claim = OperatorClaim(transaction, context, payment: payment, user: present, details: details)
      guard key.store.opensOrders else { return try claim.run() }
      return try ChargeClaim(claim, purchase).run()
    }
    await announce(result, app)
    return result
  }

  static func byOperator(_ name: String, reason: String?) -> String {
    JSONValue.members([("operator", .string(name)), ("reason", reason.map(JSONValue.string))]).text
  }
}

/// A claim by an operator: it replaces the match rule; everything after it is the same.
struct OperatorClaim {
  let transaction: any DatabaseTransaction
  let context: FulfilmentContext
  let payment: Payment
  let user: UserIdentifier
  let details: String

  init(
    _ transaction: any DatabaseTransaction, _ context: FulfilmentContext, payment: Payment,
    user: UserIdentifier, details: String
  ) {
    self.transaction = transaction
    self.context = context
    self.payment = payment
    self.user = user
    self.details = details
  }

  func run() throws -> FulfilmentResult {
    let update = PaymentUpdate(facts: payment.facts, evidence: details, origin: .operator)
    let facts = try MatchInputLoader(transaction, context, payment: payment, update: update)
    let withoutOrder = payment.facts.ownership != .purchased
    guard try transaction.duplicate(payment.key) == nil else {
      throw CodedError<EngineErrorCode>(.paymentNotClaimable, "It is another id of a payment that is here already.")
    }
    guard isOpen, let product = facts.product, product.kind == payment.facts.kind,
      facts.sold.promisesWithoutOrder || !withoutOrder
    else { return try answerRepeat() }
    if withoutOrder, case .units = product.grant {
      throw CodedError<EngineErrorCode>(.paymentNotClaimable, "Family sharing gives no units.")
    }
    let context = context
    var input = FulfilmentInput(payment: payment, derivedOrder: context.derivedOrder, now: transaction.now)
    let isBoughtAgain = payment.state == .held(.boughtAgainAfterRefund)
    if isBoughtAgain { input.order = try namedOrder(facts) }
    let pairing: MatchDecision.Pairing =
      if let order = input.order { .order(order.key.id) } else { withoutOrder ? .none : .derivedOrder(from: nil) }
    input.decision = .grant(to: user, pairing, rule: .operator, flags: isBoughtAgain ? [.boughtAgain] : [])
    return try write(input)
  }

  /// Whether a claim is a way out for the payment.
  var isOpen: Bool {
    switch payment.state {
    case .held(let reason): reason.resolution.acts.contains(.claim)
    default: payment.awaitsOwner
    }
  }

  /// A repetition of the same claim is answered, not rejected.
  func answerRepeat() throws -> FulfilmentResult {
    guard payment.owner == user else {
      throw CodedError<EngineErrorCode>(.paymentNotClaimable, "It is \(payment.state.phrase).")
    }
    return FulfilmentResult(payment: payment, firstSeen: false, changed: false, duplicate: nil)
  }

  /// - Parameter promised: what the order expects of the charge that pays it, for WeChat Pay.
  func write(_ input: FulfilmentInput, promised: WeChatPayOrder? = nil) throws -> FulfilmentResult {
    let update = PaymentUpdate(facts: input.payment.facts, evidence: details, origin: .operator)
    let facts = try MatchInputLoader(transaction, context, payment: input.payment, update: update)
    var input = input
    facts.sold.addProducts(to: &input)
    input.refunds = try transaction.refundsDone(of: payment)
    let plan = try FulfilmentTransaction.plan(input)
    try FulfilmentTransaction(transaction, context, update: update)
      .check(plan, input, postings: [], before: payment, promised: promised)
    let written = try FulfilmentWriter(transaction, update, plan: plan, facts: facts, before: payment).write()
    let fulfilment = FulfilmentTransaction(transaction, context, update: update)
    if written.facts.kind == .autoRenewable { try fulfilment.grantWaitingRenewals(of: written) }
    try fulfilment.closeOrders(of: written)
    // Presentations of other users while the payment waited are now decided.
    for stopped in try transaction.stoppedChanges(of: written.key) where stopped.kind == .orderFrozen {
      try transaction.remove(stopped)
    }
    return FulfilmentResult(payment: written, firstSeen: false, changed: true, duplicate: nil)
  }

  /// The order that the token of a repeated purchase names, if the user created it and it fits; it was paid before.
  private func namedOrder(_ facts: MatchInputLoader) throws -> Order? {
    guard let token = payment.facts.token, payment.facts.ownership == .purchased, let order = try facts.order(token),
      order.user == user, order.frozenBecause == nil
    else { return nil }
    let question = MatchQuestion(payment: payment.facts, product: facts.product)
    return Match.isCandidate(order, for: question) ? order : nil
  }
}
