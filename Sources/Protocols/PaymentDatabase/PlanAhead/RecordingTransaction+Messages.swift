package import PaymentModel
package import PaymentPrimitives

extension RecordingTransaction {
  // MARK: the App Store

  package func appStoreTask(_ purpose: AppStoreTask.Purpose, about payment: PaymentKey) throws -> AppStoreTask? {
    try read(.payment(payment)) { try $0.appStoreTask(purpose, about: payment) }
  }

  package func receipt(digest: String) throws -> String? {
    try read(.receipt(digest: digest)) { try $0.receipt(digest: digest) }
  }

  package func appStoreHistory(of customer: PaymentKey) throws -> AppStoreHistory? {
    try read(.customer(customer)) { try $0.appStoreHistory(of: customer) }
  }

  package func put(_ appStoreTask: AppStoreTask) throws { try write(.appStore(.putTask(appStoreTask))) }

  package func remove(_ purpose: AppStoreTask.Purpose, about payment: PaymentKey) throws {
    try write(.appStore(.removeTask(purpose, payment)))
  }

  package func keepReceipt(_ text: String, digest: String, at moment: Timestamp) throws {
    try write(.appStore(.keepReceipt(text, digest: digest, at: moment)))
  }

  package func put(_ history: AppStoreHistory) throws { try write(.appStore(.putHistory(history))) }

  // MARK: notifications, deliveries, the journal

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

  package func deliveries(of order: OrderKey) throws -> [Delivery] {
    try read(.order(order)) { try $0.deliveries(of: order) }
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

  // MARK: the installation

  package func apiKey(_ id: CredentialIdentifier) throws -> APIKey? { try read(.apiKey(id)) { try $0.apiKey(id) } }

  package func setting(_ name: String) throws -> String? { try read(.setting(name)) { try $0.setting(name) } }

  package func insert(_ key: APIKey) throws { try write(.installation(.insertKey(key))) }

  package func update(_ key: APIKey) throws { try write(.installation(.updateKey(key))) }

  package func set(_ name: String, to value: String) throws { try write(.installation(.set(name, to: value))) }

  package func bringForward(_ work: WaitingWork, limit: Int) throws -> Int {
    try writeEverything { try $0.bringForward(work, limit: limit) }
  }

  // MARK: lists without a key

  package func appStoreTasks(dueAt now: Timestamp, limit: Int) throws -> [AppStoreTask] {
    try readWithoutKey { try $0.appStoreTasks(dueAt: now, limit: limit) }
  }

  package func nextAppStoreTask() throws -> Timestamp? { try readWithoutKey { try $0.nextAppStoreTask() } }

  package func appStoreHistories(dueAt now: Timestamp, in appEnvironment: AppEnvironment, limit: Int) throws
    -> [AppStoreHistory]
  {
    try readWithoutKey { try $0.appStoreHistories(dueAt: now, in: appEnvironment, limit: limit) }
  }

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

  package func apiKeys(of app: AppIdentifier) throws -> [APIKey] { try readWithoutKey { try $0.apiKeys(of: app) } }
}
