package import PaymentPrimitives

/// A verified store transaction as we keep it: the newest signed facts, and its state here.
package struct Payment: Hashable, Sendable {
  /// The store's signed facts, as of the newest signed date that we have seen. The revocation is the one in effect:
  /// all ids of the purchase together decide what was taken back (`PurchaseStanding`).
  package var facts: VerifiedPayment
  /// The revocation in the newest statement under this payment's own id.
  package var statedRevocation: Revocation?
  /// When the store signed the newest REFUND_REVERSED under this payment's own id.
  package var refundReversedAt: Timestamp?
  /// The refunds that the store reported under this payment's own id.
  package var refundHistory = RefundHistory()
  /// Since when the purchase's ids disagree on a revocation; nil if they agree. Nothing is given back until Apple or
  /// an operator decides.
  package var idsDisagreeSince: Timestamp?
  /// The date of a revocation that an operator confirmed, although another id does not report it.
  package var confirmedRevocation: Timestamp?
  package var state: PaymentState
  /// The user who received the grant; nil before that.
  package var owner: UserIdentifier?
  /// The order that it pays, if any.
  package var order: OrderIdentifier?
  /// The rule that paired it, and what was unusual.
  package var match: MatchRecord?
  /// The first signed-in user who presented it. Recorded for the operator; it never justifies a grant.
  package var presenter: UserIdentifier?
  /// When the first piece of evidence was kept.
  package var firstSeenAt: Timestamp
  /// When a client reported that it finished the transaction at the store.
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
  /// The store's statement under this payment's own id.
  package var statement: PurchaseStatement {
    var facts = facts
    facts.revocation = statedRevocation
    return PurchaseStatement(
      facts, refundReversedAt: refundReversedAt, refundHistory: refundHistory,
      isOwnPurchase: state.wasGranted && match?.flags.contains(.boughtAgain) == true)
  }

  /// Applies a new statement of the store, under its own id and under all ids of the purchase.
  ///
  /// - Parameter ids: the statements under all ids, including its own.
  /// - Returns: the combined result.
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

  /// Whether the store's statements are the same as in another version of this payment.
  package func hasSameStatements(as other: Payment) -> Bool {
    facts == other.facts && statedRevocation == other.statedRevocation && refundReversedAt == other.refundReversedAt
      && refundHistory == other.refundHistory && idsDisagreeSince == other.idsDisagreeSince
      && confirmedRevocation == other.confirmedRevocation
  }
}

/// How the user of a payment was found.
package struct MatchRecord: Hashable, Sendable {
  /// The deciding rule of docs/specification/matching.md.
  package var rule: MatchRule
  package var flags: Set<MatchFlag>
  package var at: Timestamp

  package init(rule: MatchRule, flags: Set<MatchFlag>, at: Timestamp) {
    self.rule = rule
    self.flags = flags
    self.at = at
  }
}

/// A store's statement as received: never changed, never deleted.
package struct Evidence: Hashable, Sendable {
  package enum Origin: String, Hashable, Sendable {
    case client
    case notification
    /// The store's signed answer to our request.
    case storeAnswer
    case backend
    /// An operator's statement, with a reason.
    case `operator`
  }

  package let payment: PaymentKey
  /// The bytes as text: a JWS; for an operator, the JSON text of their statement.
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
