package import PaymentModel
package import PaymentPrimitives

/// The writes about notifications, forwards, deliveries and the journal.
package enum MessageWrite: Hashable, Sendable {
  case insertNotification(ReceivedNotification)
  case noteEffect(notification: String, AppEnvironment)
  case insertDelivery(Delivery)
  case updateDelivery(Delivery)
  case insertForward(NotificationForward)
  case updateForward(NotificationForward)
  case insertJournalEntry(JournalEntry)

  func apply(to transaction: any DatabaseTransaction) throws {
    switch self {
    case .insertNotification(let notification): try transaction.insert(notification)
    case .noteEffect(let notification, let appEnvironment):
      try transaction.noteEffect(of: notification, in: appEnvironment)
    case .insertDelivery(let delivery): try transaction.insert(delivery)
    case .updateDelivery(let delivery): try transaction.update(delivery)
    case .insertForward(let forward): try transaction.insert(forward)
    case .updateForward(let forward): try transaction.update(forward)
    case .insertJournalEntry(let entry): try transaction.insert(entry)
    }
  }

  var keys: [LockKey] {
    switch self {
    case .insertNotification(let notification): [.notification(notification.id, notification.appEnvironment)]
    case .noteEffect(let notification, let appEnvironment): [.notification(notification, appEnvironment)]
    case .insertDelivery(let delivery), .updateDelivery(let delivery):
      [.delivery(delivery.id)] + Self.keys(delivery.payment, delivery.order, in: delivery.payment.appEnvironment)
    case .insertForward(let forward), .updateForward(let forward):
      [.notification(forward.notification, forward.appEnvironment)]
    case .insertJournalEntry(let entry): Self.keys(entry.payment, entry.order, in: entry.appEnvironment)
    }
  }

  private static func keys(
    _ payment: PaymentKey?, _ order: OrderIdentifier?, in appEnvironment: AppEnvironment
  ) -> [LockKey] {
    var keys: [LockKey] = []
    if let payment { keys.append(.payment(payment)) }
    if let order { keys.append(.order(OrderKey(appEnvironment: appEnvironment, id: order))) }
    return keys
  }
}
