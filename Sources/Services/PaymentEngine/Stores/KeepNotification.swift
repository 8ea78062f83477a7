import CounterfoilAPI
package import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives
import StrictJSON

/// What a store's notification did, for the answer and the log.
package struct NotificationReceipt: Hashable, Sendable {
  /// The store's id of the notification.
  package var id: String
  /// `applied`, or `kept` if it has no effect in this version.
  package var effect: String
  package var transaction: TransactionIdentifier?
  /// Whether this notification stored the payment first.
  package var firstSeen: Bool
  /// Whether this notification was not stored before.
  package var isNew = true

  package init(
    id: String, effect: ReceivedNotification.Effect, transaction: TransactionIdentifier?, firstSeen: Bool = false
  ) {
    self.id = id
    self.effect = effect.rawValue
    self.transaction = transaction
    self.firstSeen = firstSeen
  }
}

extension PaymentEngine {
  /// Stores a notification together with its forward; true if it was not known.
  package func keep(_ received: ReceivedNotification, passingOn forward: NotificationForward? = nil) async throws
    -> Bool
  {
    try await transact { transaction in try Self.keep(received, passingOn: forward, in: transaction) }
  }

  package static func keep(
    _ received: ReceivedNotification, passingOn forward: NotificationForward?, in transaction: any DatabaseTransaction
  ) throws -> Bool {
    guard try transaction.notification(received.id, in: received.appEnvironment) == nil else { return false }
    try transaction.insert(received)
    if let forward { try transaction.insert(forward) }
    return true
  }

  package func count(_ received: ReceivedNotification, isNew: Bool) {
    metrics.count(
      .notificationsTotal,
      [
        ("app", received.appEnvironment.app.text), ("type", received.type),
        ("effect", isNew ? received.effect.rawValue : "repeated"),
        ("environment", received.appEnvironment.environment.rawValue),
      ])
    log(
      LogEvent(
        .info, "notification.received",
        [
          ("app", received.appEnvironment.app.text), ("id", received.id), ("type", received.type),
          ("effect", isNew ? received.effect.rawValue : "repeated"),
        ]))
  }

  /// Applies the renewal info of a subscription that came without its transaction.
  package static func receive(_ renewal: VerifiedRenewal, for app: AppPolicy, in transaction: any DatabaseTransaction)
    throws
  {
    var subscription =
      try transaction.subscription(renewal.subscription) ?? Subscription(key: renewal.subscription, claimant: nil)
    let before = subscription
    let events = subscription.receive(.renewal(renewal), at: transaction.now)
    guard subscription != before else { return }
    try transaction.put(subscription)
    let making = EventMaking(app, at: transaction.now)
    let latest = try making.flatMap { _ in try transaction.payments(ofOriginal: renewal.subscription).last }
    for event in events {
      var entry = JournalEntry(
        event, in: renewal.subscription.appEnvironment, at: transaction.now, order: nil,
        payment: renewal.subscription, details: renewal.details.text)
      entry.event = try making?.renewal(renewal, as: event, of: latest, reading: transaction)?.json.text
      try transaction.insert(entry)
    }
  }
}
