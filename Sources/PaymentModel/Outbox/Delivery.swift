public import PaymentVocabulary

/// The message that tells the app's backend of a grant or a reversal, repeated until it is acknowledged.
public struct Delivery: Hashable, Sendable {
  /// What it tells of.
  public enum Kind: String, Hashable, CaseIterable, Sendable {
    /// `grant.created`
    case created
    /// `grant.reversed`
    case reversed
    /// `grant.reinstated`
    case reinstated

    /// The `type` in the delivery's body.
    public var type: String { "grant.\(rawValue)" }
  }

  /// Where it stands.
  public enum State: Hashable, Sendable {
    /// Not acknowledged; tried again at `nextAttemptAt`.
    case pending
    /// The backend has it; final.
    case acknowledged(at: Timestamp)
    /// Tried for 30 days; kept until somebody sends it off again.
    case parked(at: Timestamp)
  }

  /// Made of what it tells, so that a restore or a second node makes the same.
  public let id: DeliveryIdentifier
  /// The payment that it tells of.
  public let payment: PaymentKey
  /// The order of that payment, for looking deliveries up.
  public let order: OrderIdentifier?
  /// What it tells.
  public let kind: Kind
  /// Its number among the payment's deliveries, from 1; they leave in this order.
  public let sequence: Int
  /// The JSON text that is sent, the same at every attempt.
  public let body: String
  /// When it was made.
  public let createdAt: Timestamp
  /// Where it stands.
  public var state: State
  /// Attempts made.
  public var attempts: Int
  /// When the next attempt is due.
  public var nextAttemptAt: Timestamp
  /// Who is trying it at present.
  public var lease: Lease?
  /// What the last attempt met, in one line without secrets.
  public var lastProblem: String?

  /// A delivery that is due at once.
  public init(
    id: DeliveryIdentifier, payment: PaymentKey, order: OrderIdentifier?, kind: Kind,
    sequence: Int, body: String, createdAt: Timestamp
  ) {
    self.id = id
    self.payment = payment
    self.order = order
    self.kind = kind
    self.sequence = sequence
    self.body = body
    self.createdAt = createdAt
    self.state = .pending
    self.attempts = 0
    self.nextAttemptAt = createdAt
  }
}

/// A right to work on something until a moment of the database's clock. Work past it is harmless: every result is
/// checked against the fencing number.
public struct Lease: Hashable, Sendable {
  /// When it ends.
  public var until: Timestamp
  /// Counts the leases given on this thing.
  public var fence: Int64

  /// A lease.
  public init(until: Timestamp, fence: Int64) {
    self.until = until
    self.fence = fence
  }
}

/// A line of the append-only story of orders and payments: what, when, why, by which evidence.
public struct JournalEntry: Hashable, Sendable {
  /// The app and environment.
  public let realm: Realm
  /// When.
  public let at: Timestamp
  /// What happened, as a stable dotted name: `payment.fulfilled`.
  public let what: String
  /// The order that it concerns.
  public let order: OrderIdentifier?
  /// The payment that it concerns.
  public let payment: PaymentKey?
  /// The particulars as JSON text of an object; never a secret.
  public let details: String

  /// A line of the story.
  public init(
    realm: Realm, at: Timestamp, what: String, order: OrderIdentifier?, payment: PaymentKey?,
    details: String
  ) {
    self.realm = realm
    self.at = at
    self.what = what
    self.order = order
    self.payment = payment
    self.details = details
  }
}
