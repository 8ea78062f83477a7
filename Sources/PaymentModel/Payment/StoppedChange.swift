public import PaymentVocabulary

/// A change of money that something stopped. It waits in the operator's queue until it has taken effect.
///
/// One statement of a store about one transaction id is one row, by whichever path it comes and however often.
public struct StoppedChange: Hashable, Sendable {
  /// What stopped it.
  public enum Kind: String, Hashable, CaseIterable, Sendable {
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
  public let payment: PaymentKey
  /// Names the statement among those about this id: the SHA-256 of what it says, but for when it was signed.
  public let statement: String
  /// What stopped it last.
  public var kind: Kind
  /// The rule that was broken last; nil where none was named.
  public var invariant: Invariant?
  /// What was found, in words for people.
  public var found: String
  /// The orders that it concerns; they are frozen until it has taken effect.
  public var orders: [OrderIdentifier]
  /// What the store said, as JSON text, as it was signed last; empty where only the evidence is kept.
  public var content: String
  /// How it was presented, the first ones first: each a JSON text with the claim.
  public var presentations: [String]
  /// The evidence with which it came first.
  public let evidence: String
  /// The path by which it came first.
  public let origin: Evidence.Origin
  /// How often it was tried since it was stopped.
  public var attempts: Int
  /// When it is tried again.
  public var nextAttemptAt: Timestamp
  /// When it was stopped first.
  public let firstSeenAt: Timestamp
  /// When it was stopped last.
  public var lastSeenAt: Timestamp

  /// How many presentations of one statement are kept: the first ones say the most.
  public static let presentationsMax = 20

  /// A change that was stopped now.
  public init(
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
