package import PaymentPrimitives

/// A change of money that could not be applied. It stays in the operator's queue until it has taken effect.
///
/// One statement of a store about one transaction id is one row, by any path and in any number of repeats.
package struct StoppedChange: Hashable, Sendable {
  package enum Kind: String, Hashable, CaseIterable, Sendable {
    /// The rows would have broken a rule of money.
    case brokenRule
    /// No plan is possible: the states of payment and order do not allow the decision.
    case noPlan
    /// The database found a row missing or different.
    case rowsInconsistent
    /// The change would move a balance out of the range of 64 bits.
    case balanceOutOfRange
    /// Another stopped change froze the order that it would pay.
    case orderFrozen
    /// An operator set the payment aside: later changes are kept.
    case setAside
    /// An earlier version stopped it and kept only its evidence.
    case stoppedByEarlierVersion
  }

  /// The transaction id of the store's statement.
  package let payment: PaymentKey
  /// Identifies the statement among those about this id: the SHA-256 of its content without the signing time.
  package let statement: String
  package var kind: Kind
  /// The rule that was broken last; nil if there was none.
  package var invariant: Invariant?
  /// What was found, as text for people.
  package var found: String
  /// The orders that it concerns; they stay frozen until it has taken effect.
  package var orders: [OrderIdentifier]
  /// The store's statement as JSON text, in its newest signed form; empty if only the evidence is kept.
  package var content: String
  /// Its presentations, the first ones first: each a JSON text with the claim.
  package var presentations: [String]
  /// The evidence at its first arrival.
  package let evidence: String
  /// The path of its first arrival.
  package let origin: Evidence.Origin
  /// The number of attempts since it was stopped.
  package var attempts: Int
  package var nextAttemptAt: Timestamp
  package let firstSeenAt: Timestamp
  package var lastSeenAt: Timestamp

  /// Bound on the kept presentations of one statement: the first ones contain the most information.
  package static let presentationsMax = 20

  package init(
    payment: PaymentKey, statement: String, kind: Kind, found: String, content: String, evidence: String,
    origin: Evidence.Origin, at moment: Timestamp, nextAttemptAt: Timestamp
  ) {
    self.payment = payment
    self.statement = statement
    self.kind = kind
    self.found = found
    self.orders = []
    self.content = content
    self.presentations = []
    self.evidence = evidence
    self.origin = origin
    self.attempts = 0
    self.nextAttemptAt = nextAttemptAt
    self.firstSeenAt = moment
    self.lastSeenAt = moment
  }
}
