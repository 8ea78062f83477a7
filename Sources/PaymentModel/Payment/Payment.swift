public import PaymentVocabulary

/// A verified store transaction as we keep it: the newest signed facts, and what became of it.
public struct Payment: Hashable, Sendable {
  /// What the store signed, as of the newest signed date that we have seen.
  public var facts: VerifiedPayment
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
    self.state = .verified
    self.firstSeenAt = firstSeenAt
    self.lastSequence = 0
  }
}

/// How a payment found its user.
public struct MatchRecord: Hashable, Sendable {
  /// The rule of design §4 that decided.
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

/// A second transaction id for an event that is already a payment: kept, answered like the payment, never granted.
public struct PaymentEcho: Hashable, Sendable {
  /// The later id.
  public let key: PaymentKey
  /// The payment that it repeats.
  public let of: PaymentKey
  /// When it was first seen.
  public let firstSeenAt: Timestamp

  /// An echo of a payment.
  public init(key: PaymentKey, of original: PaymentKey, firstSeenAt: Timestamp) {
    self.key = key
    self.of = original
    self.firstSeenAt = firstSeenAt
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
