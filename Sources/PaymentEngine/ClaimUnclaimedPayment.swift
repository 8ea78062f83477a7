public import PaymentModel
import PaymentStore
public import PaymentVocabulary
import StrictJSON

extension PaymentEngine {
  /// An operator gives a payment that nobody owns to a user, with a reason that stays in the journal.
  ///
  /// Only payments in the operator's queue (`unclaimed`, `held`), and imported ones without an owner, can be given.
  public func claimUnclaimedPayment(
    _ key: PaymentKey, for user: UserIdentifier, by operatorName: String, reason: String
  ) async throws -> FulfilmentResult {
    guard let app = apps[key.app] else { throw Refusal<EngineErrorCode>(.paymentUnknown) }
    guard !app.isObserving else {
      throw Refusal<EngineErrorCode>(.paymentNotClaimable, "The app only observes: nothing is granted yet.")
    }
    let context = FulfilmentContext(
      app: app, derivedOrder: derivedOrder(for: key))
    let details = Self.byOperator(operatorName, reason: reason)
    let result = try await transact { transaction in
      guard let payment = try transaction.payment(key) else {
        throw Refusal<EngineErrorCode>(.paymentUnknown)
      }
      return try OperatorClaim(transaction, context, payment, user, details).run()
    }
    await announce(result, app)
    return result
  }

  static func byOperator(_ name: String, reason: String?) -> String {
    JSONValue.members([("operator", .string(name)), ("reason", reason.map(JSONValue.string))]).text
  }

  /// The operator's queue of a realm: held payments, and unclaimed ones older than a day, oldest first.
  public func operatorQueue(in realm: Realm, limit: Int) async throws -> [Payment] {
    try await operatorQueue(in: [realm], limit: limit)
  }

  /// The operator's queue of several realms as one: none of them hides what waits longer in another.
  public func operatorQueue(in realms: [Realm], limit: Int) async throws -> [Payment] {
    let now = surroundings.now()
    let waiting = try await read { store in
      try realms.flatMap { realm in
        // What was held for want of its environment, and is kept under it since, waits no more.
        try store.payments(inState: "held", firstSeenBefore: now, in: realm, limit: limit)
          .filter { try $0.state != .held(.environmentUnknown) || store.echo($0.key) == nil }
          + store.payments(
            inState: "unclaimed", firstSeenBefore: now - .days(1), in: realm, limit: limit)
      }
    }
    return Array(
      waiting.sorted { ($0.firstSeenAt, $0.key) < ($1.firstSeenAt, $1.key) }.prefix(max(0, limit)))
  }
}

/// The operator's word takes the place of the match rule; everything after it is the same.
private struct OperatorClaim {
  let transaction: any StoreTransaction
  let context: FulfilmentContext
  let payment: Payment
  let user: UserIdentifier
  let details: String

  init(
    _ transaction: any StoreTransaction, _ context: FulfilmentContext, _ payment: Payment,
    _ user: UserIdentifier, _ details: String
  ) {
    self.transaction = transaction
    self.context = context
    self.payment = payment
    self.user = user
    self.details = details
  }

  func run() throws -> FulfilmentResult {
    let news = PaymentNews(facts: payment.facts, evidence: details, origin: .operator)
    let facts = try FulfilmentFacts(transaction, context, payment, news)
    let withoutOrder = payment.facts.ownership != .purchased
    // What WeChat Pay took is decided by what it says of the charge, never by a person.
    guard payment.awaitsOwner, payment.key.store == .appStore, facts.product?.kind == payment.facts.kind,
      facts.sold.promisesWithoutOrder || !withoutOrder
    else {
      // A repeat of the same word is answered, not refused.
      guard payment.owner == user else {
        throw Refusal<EngineErrorCode>(
          .paymentNotClaimable, "It is \(payment.state.word).")
      }
      return FulfilmentResult(payment: payment, firstSeen: false, changed: false, echo: nil)
    }
    var input = FulfilmentInput(
      payment: payment, derivedOrder: context.derivedOrder, now: transaction.now)
    input.decision = .grant(
      to: user, withoutOrder ? .none : .derivedOrder(from: nil), rule: .operator, flags: [])
    facts.sold.tell(&input)
    let plan = try FulfilmentTransaction.plan(input)
    try FulfilmentTransaction(transaction, context, news).check(plan, input, [], before: payment)
    let written = try FulfilmentWriter(transaction, news, plan, facts, payment).write()
    if written.facts.kind == .autoRenewable {
      try FulfilmentTransaction(transaction, context, news).settleSiblings(of: written)
    }
    return FulfilmentResult(payment: written, firstSeen: false, changed: true, echo: nil)
  }
}
