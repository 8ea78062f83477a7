import PaymentModel
import PaymentDatabase
import PaymentPrimitives
import StrictJSON

extension FulfilmentTransaction {
  /// Applies an update to its subscription: the end of the period, the renewal, and the owner of renewals that had
  /// none.
  func noteLine(_ result: FulfilmentResult) throws {
    let facts = result.payment.facts
    var line = try transaction.line(facts.line) ?? Subscription(key: facts.line, claimant: nil)
    let before = line
    if result.firstSeen { try journal(Self.word(for: facts), result.payment, Self.period(of: facts)) }
    if let end = facts.expiresDate { _ = line.receive(.period(until: end), at: transaction.now) }
    if let renewal = news.renewal {
      for what in line.receive(.renewal(renewal), at: transaction.now) {
        try journal(what, result.payment, renewal.details)
      }
    }
    if line != before { try transaction.put(line) }
    if result.changed, result.payment.owner != nil { try settleSiblings(of: result.payment) }
    if result.firstSeen { try noteLateOwner(result.payment) }
  }

  /// The journal word for a new transaction of a subscription. A receipt does not show which one was renewed.
  private static func word(for facts: VerifiedPayment) -> String {
    if facts.key.transaction == facts.originalTransaction { return "line.began" }
    return facts.isRenewal ? "line.renewed" : "line.periodAdded"
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
    for sibling in try transaction.payments(ofOriginal: payment.facts.line)
    where sibling.state.wasGranted && sibling.owner != owner
      && sibling.facts.purchaseDate > payment.facts.purchaseDate
    {
      let news = PaymentUpdate(facts: sibling.facts, evidence: "", origin: self.news.origin)
      let question = try MatchInputLoader(transaction, context, sibling, news).question()
      guard case .grant(let named, _, _, _) = Match.decide(question), named != sibling.owner else { continue }
      try journal("payment.ownerLearnedLate", sibling, details: ["owner": .string(named.text)])
    }
  }

  /// Settles renewals that came before the owner of their subscription was known.
  func settleSiblings(of payment: Payment) throws {
    for sibling in try transaction.payments(ofOriginal: payment.facts.line)
    where sibling.key != payment.key && sibling.awaitsOwner {
      let news = PaymentUpdate(facts: sibling.facts, evidence: news.evidence, origin: news.origin)
      let facts = try MatchInputLoader(transaction, context, sibling, news)
      guard case .grant(_, .none, .line, _)? = try facts.decide() else { continue }
      _ = try FulfilmentTransaction(transaction, context, news).settle(sibling, before: sibling, duplicate: nil)
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
