public import PaymentVocabulary

/// A verified store transaction as we keep it: the newest signed facts, and what became of it.
public struct Payment: Hashable, Sendable {
  /// What the store signed, as of the newest signed date that we have seen. The revocation is the one that is in
  /// effect: all ids of the purchase say together what was taken back (`PurchaseStanding`).
  public var facts: VerifiedPayment
  /// What the newest statement under this payment's own id says of a revocation.
  public var statedRevocation: Revocation?
  /// When the store signed the newest REFUND_REVERSED under this payment's own id.
  public var refundReversedAt: Timestamp?
  /// Since when the purchase's ids disagree on a revocation: nothing is given back until Apple, or an operator, has
  /// decided. Nil where they agree.
  public var idsDisagreeSince: Timestamp?
  /// The date of a revocation that an operator has decided to stand, although another id does not tell it.
  public var confirmedRevocation: Timestamp?
  /// Where it stands.
  public var state: PaymentState
  /// Whom it was granted to, once somebody was.
  public var owner: UserIdentifier?
  /// The order that it pays, if it has one.
  public var order: OrderIdentifier?
  /// Which rule paired it, and what was unusual.
  public var match: MatchRecord?
  /// The first signed-in user who presented it; noted for the operator, never granted for it.
  public var presenter: UserIdentifier?
  /// When the first piece of evidence was kept.
  public var firstSeenAt: Timestamp
  /// When a client said that it had finished the transaction at the store.
  public var finishedAt: Timestamp?
  /// The number of the last delivery made for it.
  public var lastSequence: Int

  /// The payment's identity.
  public var key: PaymentKey { facts.key }

  /// A payment as it is first kept.
  public init(facts: VerifiedPayment, firstSeenAt: Timestamp) {
    self.facts = facts
    self.statedRevocation = facts.revocation
    self.state = .verified
    self.firstSeenAt = firstSeenAt
    self.lastSequence = 0
  }
}

extension Payment {
  /// What the store says under this payment's own id.
  public var statement: PurchaseStatement {
    var facts = facts
    facts.revocation = statedRevocation
    return PurchaseStatement(
      facts, refundReversedAt: refundReversedAt,
      isOwnPurchase: state.wasGranted && match?.flags.contains(.boughtAgain) == true)
  }

  /// Takes in what the store says now, under its own id and under all ids of the purchase.
  ///
  /// - Parameter ids: the statements under all ids, its own among them.
  /// - Returns: what they come to.
  public mutating func take(_ own: PurchaseStatement, of ids: [PurchaseStatement], at now: Timestamp)
    -> PurchaseStanding
  {
    let standing = PurchaseStanding(of: ids, confirmed: confirmedRevocation)
    facts = own.facts
    statedRevocation = own.facts.revocation
    refundReversedAt = own.refundReversedAt
    facts.revocation = standing.revocation
    idsDisagreeSince = standing.doubted.isEmpty ? nil : idsDisagreeSince ?? now
    return standing
  }

  /// Whether the store says of it what it said of another state of it.
  public func hasSameStatements(as other: Payment) -> Bool {
    facts == other.facts && statedRevocation == other.statedRevocation && refundReversedAt == other.refundReversedAt
      && idsDisagreeSince == other.idsDisagreeSince && confirmedRevocation == other.confirmedRevocation
  }
}

/// How a payment found its user.
public struct MatchRecord: Hashable, Sendable {
  /// The rule of docs/specification/matching.md that decided.
  public var rule: MatchRule
  /// What was unusual.
  public var flags: Set<MatchFlag>
  /// When.
  public var at: Timestamp

  /// A rule with its flags.
  public init(rule: MatchRule, flags: Set<MatchFlag>, at: Timestamp) {
    self.rule = rule
    self.flags = flags
    self.at = at
  }
}

/// What a store said, as received: never changed, never deleted.
public struct Evidence: Hashable, Sendable {
  /// How it reached us.
  public enum Origin: String, Hashable, Sendable {
    /// A client submitted it.
    case client
    /// The store's notification carried it.
    case notification
    /// The store's signed answer to our question.
    case storeAnswer
    /// The app's backend forwarded it.
    case backend
    /// An operator's word, with his reason.
    case `operator`
  }

  /// The payment that it is about.
  public let payment: PaymentKey
  /// The bytes as text: a JWS; of an operator, the JSON text of his word.
  public let text: String
  /// How it reached us.
  public let origin: Origin
  /// When.
  public let receivedAt: Timestamp

  /// A piece of evidence.
  public init(payment: PaymentKey, text: String, origin: Origin, receivedAt: Timestamp) {
    self.payment = payment
    self.text = text
    self.origin = origin
    self.receivedAt = receivedAt
  }
}
