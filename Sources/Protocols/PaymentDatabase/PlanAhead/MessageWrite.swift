package import PaymentModel
package import PaymentPrimitives

/// The writes about notifications, forwards, deliveries and the journal.
package enum MessageWrite: Hashable, Sendable {
  case insertNotification(ReceivedNotification)
  case noteEffect(notification: String, AppEnvironment)
  case insertDelivery(Delivery)
  case updateDelivery(Delivery)
  case insertAttempt(DeliveryAttempt)
  case insertForward(NotificationForward)
  case updateForward(NotificationForward)
  case insertJournalEntry(JournalEntry)
  case insertPhoneReport(PhoneReport)

  func apply(to transaction: any DatabaseTransaction) throws {
    switch self {
    case .insertNotification(let notification): try transaction.insert(notification)
    case .noteEffect(let notification, let appEnvironment):
      try transaction.noteEffect(of: notification, in: appEnvironment)
    case .insertDelivery(let delivery): try transaction.insert(delivery)
    case .updateDelivery(let delivery): try transaction.update(delivery)
    case .insertAttempt(let attempt): try transaction.insert(attempt)
    case .insertForward(let forward): try transaction.insert(forward)
    case .updateForward(let forward): try transaction.update(forward)
    case .insertJournalEntry(let entry): try transaction.insert(entry)
    case .insertPhoneReport(let report): try transaction.insert(report)
    }
  }

  func addKeys(to keys: inout LockKeys) {
    switch self {
    case .insertNotification(let notification):
      keys.insert(.notification(notification.id, notification.appEnvironment))
    case .noteEffect(let notification, let appEnvironment): keys.insert(.notification(notification, appEnvironment))
    case .insertDelivery(let delivery), .updateDelivery(let delivery):
      keys.insert(.delivery(delivery.id))
      keys.insert(.payment(delivery.payment))
      Self.addKey(of: delivery.order, in: delivery.payment.appEnvironment, to: &keys)
    case .insertAttempt(let attempt): keys.insert(.delivery(attempt.delivery))
    case .insertForward(let forward), .updateForward(let forward):
      keys.insert(.notification(forward.notification, forward.appEnvironment))
    case .insertJournalEntry(let entry):
      if let payment = entry.payment { keys.insert(.payment(payment)) }
      Self.addKey(of: entry.order, in: entry.appEnvironment, to: &keys)
    case .insertPhoneReport(let report): keys.insert(.phoneReport(report.id, report.appEnvironment))
    }
  }

  private static func addKey(
    of order: OrderIdentifier?, in appEnvironment: AppEnvironment, to keys: inout LockKeys
  ) {
    if let order { keys.insert(.order(OrderKey(appEnvironment: appEnvironment, id: order))) }
  }
}
