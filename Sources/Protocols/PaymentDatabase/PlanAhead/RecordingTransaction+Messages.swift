package import PaymentModel
package import PaymentPrimitives

extension RecordingTransaction {
  package func notification(_ id: String, in appEnvironment: AppEnvironment) throws -> ReceivedNotification? {
    try read(.notification(id, appEnvironment)) { try $0.notification(id, in: appEnvironment) }
  }

  package func forward(of notification: String, in appEnvironment: AppEnvironment) throws -> NotificationForward? {
    try read(.notification(notification, appEnvironment)) { try $0.forward(of: notification, in: appEnvironment) }
  }

  package func delivery(_ id: DeliveryIdentifier) throws -> Delivery? {
    try read(.delivery(id)) { try $0.delivery(id) }
  }

  package func deliveries(of payment: PaymentKey) throws -> [Delivery] {
    try read(.payment(payment)) { try $0.deliveries(of: payment) }
  }

  package func journal(of order: OrderKey) throws -> [JournalEntry] {
    try read(.order(order)) { try $0.journal(of: order) }
  }

  package func journal(of payment: PaymentKey) throws -> [JournalEntry] {
    try read(.payment(payment)) { try $0.journal(of: payment) }
  }

  package func insert(_ notification: ReceivedNotification) throws {
    try write(.message(.insertNotification(notification)))
  }

  package func noteEffect(of notification: String, in appEnvironment: AppEnvironment) throws {
    try write(.message(.noteEffect(notification: notification, appEnvironment)))
  }

  package func insert(_ delivery: Delivery) throws { try write(.message(.insertDelivery(delivery))) }

  package func update(_ delivery: Delivery) throws { try write(.message(.updateDelivery(delivery))) }

  package func insert(_ forward: NotificationForward) throws { try write(.message(.insertForward(forward))) }

  package func update(_ forward: NotificationForward) throws { try write(.message(.updateForward(forward))) }

  package func insert(_ entry: JournalEntry) throws { try write(.message(.insertJournalEntry(entry))) }

  // MARK: lists without a key

  package func keptNotifications(
    of type: String, after id: String?, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [ReceivedNotification] {
    try readWithoutKey { try $0.keptNotifications(of: type, after: id, in: appEnvironment, limit: limit) }
  }

  package func countOfKeptNotifications(in appEnvironment: AppEnvironment) throws -> [(type: String, count: Int)] {
    try readWithoutKey { try $0.countOfKeptNotifications(in: appEnvironment) }
  }

  package func deliveries(_ query: DeliveryQuery) throws -> [Delivery] {
    try readWithoutKey { try $0.deliveries(query) }
  }

  package func dueDeliveries(at now: Timestamp, in appEnvironment: AppEnvironment, limit: Int) throws -> [Delivery] {
    try readWithoutKey { try $0.dueDeliveries(at: now, in: appEnvironment, limit: limit) }
  }

  package func nextDeliveryTime(in appEnvironment: AppEnvironment) throws -> Timestamp? {
    try readWithoutKey { try $0.nextDeliveryTime(in: appEnvironment) }
  }

  package func deliveryBacklog(in appEnvironment: AppEnvironment) throws -> DeliveryBacklog {
    try readWithoutKey { try $0.deliveryBacklog(in: appEnvironment) }
  }

  package func dueForwards(at now: Timestamp, of app: AppIdentifier, limit: Int) throws -> [NotificationForward] {
    try readWithoutKey { try $0.dueForwards(at: now, of: app, limit: limit) }
  }

  package func nextForwardTime(of app: AppIdentifier) throws -> Timestamp? {
    try readWithoutKey { try $0.nextForwardTime(of: app) }
  }

  package func openForwards(of app: AppIdentifier, limit: Int) throws -> [NotificationForward] {
    try readWithoutKey { try $0.openForwards(of: app, limit: limit) }
  }

  package func forwardBacklog(of app: AppIdentifier) throws -> DeliveryBacklog {
    try readWithoutKey { try $0.forwardBacklog(of: app) }
  }
}
