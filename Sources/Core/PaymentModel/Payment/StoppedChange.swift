package import PaymentPrimitives

/// A change of money that something stopped. It waits in the operator's queue until it has taken effect.
///
/// One statement of a store about one transaction id is one row, by whichever path it comes and however often.
package struct StoppedChange: Hashable, Sendable {
  package enum Kind: String, Hashable, CaseIterable, Sendable {
    /// The rows would have broken a rule of money.
    case brokenRule
    /// No plan could be made: the states of payment and order do not allow what was decided.
    case noPlan
    /// The database found a row missing, or other than it says.
    case rowsInconsistent
    /// A balance would leave the range of 64 bits.
    case balanceOutOfRange
    /// The order that it would pay is frozen by another stopped change.
    case orderFrozen
    /// An operator has set the payment aside: what comes since is kept.
    case setAside
    /// An earlier version stopped it and kept its evidence alone.
    case stoppedByEarlierVersion
  }

  /// The transaction id that the store speaks of.
  package let payment: PaymentKey
  /// Names the statement among those about this id: the SHA-256 of what it says, but for when it was signed.
  package let statement: String
  package var kind: Kind
  /// The rule that was broken last; nil where none was named.
  package var invariant: Invariant?
  /// What was found, in words for people.
  package var found: String
  /// The orders that it concerns; they are frozen until it has taken effect.
  package var orders: [OrderIdentifier]
  /// What the store said, as JSON text, as it was signed last; empty where only the evidence is kept.
  package var content: String
  /// How it was presented, the first ones first: each a JSON text with the claim.
  package var presentations: [String]
  /// The evidence with which it came first.
  package let evidence: String
  /// The path by which it came first.
  package let origin: Evidence.Origin
  /// How often it was tried since it was stopped.
  package var attempts: Int
  package var nextAttemptAt: Timestamp
  package let firstSeenAt: Timestamp
  package var lastSeenAt: Timestamp

  /// How many presentations of one statement are kept: the first ones say the most.
  package static let presentationsMax = 20

  /// A change that was stopped now.
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
