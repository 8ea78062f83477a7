package import PaymentPrimitives

/// A store's notification that is forwarded unchanged to the earlier system. It is repeated until it is acknowledged,
/// like a delivery.
package struct NotificationForward: Hashable, Sendable {
  package let appEnvironment: AppEnvironment
  package let notification: String
  package let createdAt: Timestamp
  /// The body as received, to the byte; nil once it is acknowledged. The signed payload stays with the notification.
  package private(set) var body: String?
  package private(set) var state: Delivery.State
  package var attempts: Int
  /// When the next attempt is due.
  package var nextAttemptAt: Timestamp
  /// The lease of the current attempt.
  package var lease: Lease?
  /// The problem of the last attempt, on one line without secrets.
  package var lastProblem: String?

  /// A notification to forward at once.
  package init(appEnvironment: AppEnvironment, notification: String, body: String, createdAt: Timestamp) {
    self.appEnvironment = appEnvironment
    self.notification = notification
    self.createdAt = createdAt
    self.body = body
    self.state = .pending
    self.attempts = 0
    self.nextAttemptAt = createdAt
  }

  /// A row from a database; nil if its body does not fit its state.
  package init?(
    appEnvironment: AppEnvironment, notification: String, body: String?, createdAt: Timestamp, state: Delivery.State,
    attempts: Int,
    nextAttemptAt: Timestamp
  ) {
    if case .acknowledged = state {
      guard body == nil else { return nil }
    } else {
      guard body != nil else { return nil }
    }
    self.appEnvironment = appEnvironment
    self.notification = notification
    self.createdAt = createdAt
    self.body = body
    self.state = state
    self.attempts = attempts
    self.nextAttemptAt = nextAttemptAt
  }

  /// The earliest time of the next attempt: the later of its due time and the end of its lease.
  package var readyAt: Timestamp { max(nextAttemptAt, lease?.until ?? nextAttemptAt) }

  /// Records that the other system has it; final.
  package mutating func acknowledge(at now: Timestamp) {
    guard state == .pending else { return }
    state = .acknowledged(at: now)
    body = nil
    attempts += 1
    lastProblem = nil
  }

  /// Stops the attempts until an operator restarts them.
  package mutating func park(at now: Timestamp) {
    if state == .pending { state = .parked(at: now) }
  }

  /// Makes the next attempt due at once; an acknowledged one stays acknowledged.
  package mutating func redrive(at now: Timestamp) {
    if case .acknowledged = state { return }
    state = .pending
    nextAttemptAt = now
  }
}
