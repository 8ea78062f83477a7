package import PaymentPrimitives

/// A store's notification that is passed on as it came, to the system that was here before: repeated until it is
/// acknowledged, like a delivery.
package struct NotificationForward: Hashable, Sendable {
  package let realm: AppEnvironment
  package let notification: String
  package let createdAt: Timestamp
  /// The body as received, to the byte; nil once it is acknowledged: what was signed is kept with the notification.
  package private(set) var body: String?
  package private(set) var state: Delivery.State
  package var attempts: Int
  /// When the next attempt is due.
  package var nextAttemptAt: Timestamp
  /// Who is trying it at present.
  package var lease: Lease?
  /// What the last attempt met, in one line without secrets.
  package var lastProblem: String?

  /// A notification to be passed on at once.
  package init(realm: AppEnvironment, notification: String, body: String, createdAt: Timestamp) {
    self.realm = realm
    self.notification = notification
    self.createdAt = createdAt
    self.body = body
    self.state = .pending
    self.attempts = 0
    self.nextAttemptAt = createdAt
  }

  /// A row as a database has it; nil where its body does not fit its state.
  package init?(
    realm: AppEnvironment, notification: String, body: String?, createdAt: Timestamp, state: Delivery.State,
    attempts: Int,
    nextAttemptAt: Timestamp
  ) {
    if case .acknowledged = state {
      guard body == nil else { return nil }
    } else {
      guard body != nil else { return nil }
    }
    self.realm = realm
    self.notification = notification
    self.createdAt = createdAt
    self.body = body
    self.state = state
    self.attempts = attempts
    self.nextAttemptAt = nextAttemptAt
  }

  /// From when on it may be tried: the later of its due time and the end of its lease.
  package var readyAt: Timestamp { max(nextAttemptAt, lease?.until ?? nextAttemptAt) }

  /// The other side has it; final.
  package mutating func acknowledge(at now: Timestamp) {
    guard state == .pending else { return }
    state = .acknowledged(at: now)
    body = nil
    attempts += 1
    lastProblem = nil
  }

  /// It is not tried any more until somebody sends it off again.
  package mutating func park(at now: Timestamp) {
    if state == .pending { state = .parked(at: now) }
  }

  /// It is tried again at once; an acknowledged one stays acknowledged.
  package mutating func redrive(at now: Timestamp) {
    if case .acknowledged = state { return }
    state = .pending
    nextAttemptAt = now
  }
}
