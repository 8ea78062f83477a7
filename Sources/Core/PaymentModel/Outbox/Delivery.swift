package import PaymentPrimitives

/// The message to the app's backend about a grant or a reversal, repeated until it is acknowledged.
package struct Delivery: Hashable, Sendable {
  package enum Kind: String, Hashable, CaseIterable, Sendable {
    /// `grant.created`
    case created
    /// `grant.reversed`
    case reversed
    /// `grant.reinstated`
    case reinstated

    package var type: String { "grant.\(rawValue)" }
  }

  package enum State: Hashable, Sendable {
    /// Not acknowledged; the next attempt is at `nextAttemptAt`.
    case pending
    case acknowledged(at: Timestamp)
    /// 30 days of attempts failed; kept until an operator restarts it.
    case parked(at: Timestamp)
  }

  /// Computed from the content, so that a restore or a second node creates the same id.
  package let id: DeliveryIdentifier
  /// The payment of the event.
  package let payment: PaymentKey
  /// The order of that payment, for look-ups.
  package let order: OrderIdentifier?
  package let kind: Kind
  /// Its number among the payment's deliveries, from 1; they are sent in this order.
  package let sequence: Int
  /// The JSON text to send, the same at every attempt.
  package let body: String
  package let createdAt: Timestamp
  package var state: State
  package var attempts: Int
  /// When the next attempt is due.
  package var nextAttemptAt: Timestamp
  /// The lease of the current attempt.
  package var lease: Lease?
  /// The problem of the last attempt, on one line without secrets.
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

/// Permission to work on a row until a moment of the database's clock. Late work is harmless: every result is checked
/// against the fencing number.
package struct Lease: Hashable, Sendable {
  package var until: Timestamp
  /// Counts the leases on this row.
  package var fence: Int64

  package init(until: Timestamp, fence: Int64) {
    self.until = until
    self.fence = fence
  }
}
