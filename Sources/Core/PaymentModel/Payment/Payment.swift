package import PaymentPrimitives

/// A verified store transaction as we keep it: the newest signed facts, and what became of it.
package struct Payment: Hashable, Sendable {
  /// What the store signed, as of the newest signed date that we have seen. The revocation is the one that is in
  /// effect: all ids of the purchase say together what was taken back (`PurchaseStanding`).
  package var facts: VerifiedPayment
  /// What the newest statement under this payment's own id says of a revocation.
  package var statedRevocation: Revocation?
  /// When the store signed the newest REFUND_REVERSED under this payment's own id.
  package var refundReversedAt: Timestamp?
  /// What the store told of refunds under this payment's own id.
  package var refundHistory = RefundHistory()
  /// Since when the purchase's ids disagree on a revocation: nothing is given back until Apple, or an operator, has
  /// decided. Nil where they agree.
  package var idsDisagreeSince: Timestamp?
  /// The date of a revocation that an operator has decided to stand, although another id does not tell it.
  package var confirmedRevocation: Timestamp?
  package var state: PaymentState
  /// Whom it was granted to, once somebody was.
  package var owner: UserIdentifier?
  /// The order that it pays, if it has one.
  package var order: OrderIdentifier?
  /// Which rule paired it, and what was unusual.
  package var match: MatchRecord?
  /// The first signed-in user who presented it; noted for the operator, never granted for it.
  package var presenter: UserIdentifier?
  /// When the first piece of evidence was kept.
  package var firstSeenAt: Timestamp
  /// When a client said that it had finished the transaction at the store.
  package var finishedAt: Timestamp?
  /// The number of the last delivery made for it.
  package var lastSequence: Int

  package var key: PaymentKey { facts.key }

  /// A payment as it is first kept.
  package init(facts: VerifiedPayment, firstSeenAt: Timestamp) {
    self.facts = facts
    self.statedRevocation = facts.revocation
    self.state = .verified
    self.firstSeenAt = firstSeenAt
    self.lastSequence = 0
  }
}

extension Payment {
  /// What the store says under this payment's own id.
  package var statement: PurchaseStatement {
    var facts = facts
    facts.revocation = statedRevocation
    return PurchaseStatement(
      facts, refundReversedAt: refundReversedAt, refundHistory: refundHistory,
      isOwnPurchase: state.wasGranted && match?.flags.contains(.boughtAgain) == true)
  }

  /// Takes in what the store says now, under its own id and under all ids of the purchase.
  ///
  /// - Parameter ids: the statements under all ids, its own among them.
  /// - Returns: what they come to.
  package mutating func take(_ own: PurchaseStatement, of ids: [PurchaseStatement], at now: Timestamp)
    -> PurchaseStanding
  {
    let standing = PurchaseStanding(of: ids, confirmed: confirmedRevocation)
    facts = own.facts
    statedRevocation = own.facts.revocation
    refundReversedAt = own.refundReversedAt
    refundHistory = own.refundHistory
    facts.revocation = standing.revocation
    idsDisagreeSince = standing.doubted.isEmpty ? nil : idsDisagreeSince ?? now
    return standing
  }

  /// Whether the store says of it what it said of another state of it.
  package func hasSameStatements(as other: Payment) -> Bool {
    facts == other.facts && statedRevocation == other.statedRevocation && refundReversedAt == other.refundReversedAt
      && refundHistory == other.refundHistory && idsDisagreeSince == other.idsDisagreeSince
      && confirmedRevocation == other.confirmedRevocation
  }
}

/// How a payment found its user.
package struct MatchRecord: Hashable, Sendable {
  /// The rule of docs/specification/matching.md that decided.
  package var rule: MatchRule
  package var flags: Set<MatchFlag>
  package var at: Timestamp

  package init(rule: MatchRule, flags: Set<MatchFlag>, at: Timestamp) {
    self.rule = rule
    self.flags = flags
    self.at = at
  }
}

/// What a store said, as received: never changed, never deleted.
package struct Evidence: Hashable, Sendable {
  package enum Origin: String, Hashable, Sendable {
    case client
    case notification
    /// The store's signed answer to our question.
    case storeAnswer
    case backend
    /// An operator's word, with his reason.
    case `operator`
  }

  /// The payment that it is about.
  package let payment: PaymentKey
  /// The bytes as text: a JWS; of an operator, the JSON text of his word.
  package let text: String
  package let origin: Origin
  package let receivedAt: Timestamp

  package init(payment: PaymentKey, text: String, origin: Origin, receivedAt: Timestamp) {
    self.payment = payment
    self.text = text
    self.origin = origin
    self.receivedAt = receivedAt
  }
}
