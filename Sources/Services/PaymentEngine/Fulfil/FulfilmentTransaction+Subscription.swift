import CounterfoilAPI
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import StrictJSON

extension FulfilmentTransaction {
  /// Applies an update to its subscription: the end of the period, the renewal, and the owner of renewals that had
  /// none.
  func updateSubscription(_ result: FulfilmentResult) throws {
    let facts = result.payment.facts
    var subscription =
      try transaction.subscription(facts.originalKey) ?? Subscription(key: facts.originalKey, claimant: nil)
    let before = subscription
    let making = EventMaking(context.app, at: transaction.now)
    if result.firstSeen {
      try transaction.journal(
        Self.event(for: facts), result.payment, details: Self.period(of: facts),
        telling: making?.period(result.payment, transaction))
      if let offer = try making?.redeemedOffer(result.payment, transaction) {
        try transaction.journal(.eventTold, result.payment, detailsText: "{}", telling: offer)
      }
    }
    if let end = facts.expiresDate { _ = subscription.receive(.period(until: end), at: transaction.now) }
    if let renewal = update.renewal {
      for event in subscription.receive(.renewal(renewal), at: transaction.now) {
        try transaction.journal(
          event, result.payment, details: renewal.details,
          telling: making?.renewal(renewal, as: event, of: result.payment, reading: transaction))
      }
    }
    if subscription != before { try transaction.put(subscription) }
    if result.changed, result.payment.owner != nil { try grantWaitingRenewals(of: result.payment) }
    if result.firstSeen { try noteLateOwner(result.payment) }
  }

  /// Tells that the store declines a refund, if the update says so.
  func tellDeclinedRefund(_ payment: Payment) throws {
    guard let moment = update.refundDeclinedAt, let making = EventMaking(context.app, at: transaction.now) else {
      return
    }
    var body = try making.body(
      .refundDeclined, of: payment, cause: ["\(moment.milliseconds)"], reading: transaction)
    body.refund = EventBody.Refund(at: moment)
    try transaction.tell(body)
  }

  /// The journal event for a new transaction of a subscription. A receipt does not show which one was renewed.
  private static func event(for facts: VerifiedPayment) -> JournalEvent {
    if facts.key.transaction == facts.originalTransaction { return .subscriptionBegan }
    return facts.isRenewal ? .subscriptionRenewed : .subscriptionPeriodAdded
  }

  private static func period(of facts: VerifiedPayment) -> JSONValue {
    .members([
      ("transactionId", .string(facts.key.transaction.text)), ("productId", .string(facts.storeProduct.text)),
      ("purchaseDate", .string(facts.purchaseDate.iso8601)),
      ("expiresDate", facts.expiresDate.map { .string($0.iso8601) }),
    ])
  }

  /// Journals an earlier change of owner that becomes known only now; it changes no existing grant
  /// (docs/specification/matching.md, rule 0).
  private func noteLateOwner(_ payment: Payment) throws {
    guard payment.facts.token != nil, let owner = payment.owner else { return }
    for sibling in try transaction.payments(ofOriginal: payment.facts.originalKey)
    where sibling.state.wasGranted && sibling.owner != owner
      && sibling.facts.purchaseDate > payment.facts.purchaseDate
    {
      let update = PaymentUpdate(facts: sibling.facts, evidence: "", origin: self.update.origin)
      let question = try MatchInputLoader(transaction, context, payment: sibling, update: update).question()
      guard case .grant(let named, _, _, _) = Match.decide(question), named != sibling.owner else { continue }
      try transaction.journal(.ownerLearnedLate, sibling, details: ["owner": .string(named.text)])
    }
  }

  /// Grants renewals that came before the owner of their subscription was known.
  func grantWaitingRenewals(of payment: Payment) throws {
    for sibling in try transaction.payments(ofOriginal: payment.facts.originalKey)
    where sibling.key != payment.key && sibling.awaitsOwner {
      let update = PaymentUpdate(facts: sibling.facts, evidence: update.evidence, origin: update.origin)
      let facts = try MatchInputLoader(transaction, context, payment: sibling, update: update)
      guard case .grant(_, .none, .subscription, _)? = try facts.decide() else { continue }
      _ = try FulfilmentTransaction(transaction, context, update: update).decideAndWrite(
        sibling, before: sibling, duplicate: nil)
    }
  }
}

extension VerifiedRenewal {
  var details: JSONValue {
    .members([
      ("signedDate", .string(signedDate.iso8601)), ("renews", .bool(willRenew)),
      ("renewsTo", renewsTo.map { .string($0.text) }), ("expiration", expiration.map { .string($0.rawValue) }),
      ("gracePeriodExpiresDate", gracePeriodExpiresDate.map { .string($0.iso8601) }),
    ])
  }
}
