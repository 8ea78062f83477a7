package import PaymentPrimitives

/// The message that tells the app's backend of a grant or a reversal, repeated until it is acknowledged.
package struct Delivery: Hashable, Sendable {
  package enum Kind: String, Hashable, CaseIterable, Sendable {
    /// `grant.created`
    case created
    /// `grant.reversed`
    case reversed
    /// `grant.reinstated`
    case reinstated

    /// The `type` in the delivery's body.
    package var type: String { "grant.\(rawValue)" }
  }

  package enum State: Hashable, Sendable {
    /// Not acknowledged; tried again at `nextAttemptAt`.
    case pending
    case acknowledged(at: Timestamp)
    /// Tried for 30 days; kept until somebody sends it off again.
    case parked(at: Timestamp)
  }

  /// Made of what it tells, so that a restore or a second node makes the same.
  package let id: DeliveryIdentifier
  /// The payment that it tells of.
  package let payment: PaymentKey
  /// The order of that payment, for looking deliveries up.
  package let order: OrderIdentifier?
  package let kind: Kind
  /// Its number among the payment's deliveries, from 1; they leave in this order.
  package let sequence: Int
  /// The JSON text that is sent, the same at every attempt.
  package let body: String
  package let createdAt: Timestamp
  package var state: State
  package var attempts: Int
  /// When the next attempt is due.
  package var nextAttemptAt: Timestamp
  /// Who is trying it at present.
  package var lease: Lease?
  /// What the last attempt met, in one line without secrets.
  package var lastProblem: String?

  /// A delivery that is due at once.
  package init(
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
package struct Lease: Hashable, Sendable {
  package var until: Timestamp
  /// Counts the leases given on this thing.
  package var fence: Int64

  package init(until: Timestamp, fence: Int64) {
    self.until = until
    self.fence = fence
  }
}

/// A line of the append-only story of orders and payments: what, when, why, by which evidence.
package struct JournalEntry: Hashable, Sendable {
  package let realm: AppEnvironment
  package let at: Timestamp
  /// What happened, as a stable dotted name: `payment.fulfilled`.
  package let what: String
  /// The order that it concerns.
  package let order: OrderIdentifier?
  package let payment: PaymentKey?
  /// The particulars as JSON text of an object; never a secret.
  package let details: String

  package init(
    realm: AppEnvironment, at: Timestamp, what: String, order: OrderIdentifier?, payment: PaymentKey?,
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
