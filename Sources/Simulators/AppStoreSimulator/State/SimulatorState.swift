import AppStoreProtocol
import PaymentPrimitives
package import SimulatorCore

/// The whole state that the log records. Live operation and replay use the same `apply`.
package struct SimulatorState: RecordedState, Equatable {
  typealias Inconsistency = StateInconsistency

  package private(set) var recordCount = 0
  package private(set) var origin: SimulatorOrigin?
  package private(set) var clock = SimulatorClock.real
  package private(set) var behaviours = BehaviourValues<SimulatorBehaviour>()
  private(set) var apps: [String: SimulatedApp] = [:]
  private(set) var products: [String: [StoreProductIdentifier: SimulatedProduct]] = [:]
  private(set) var accounts: [AppleAccountIdentifier: SimulatedAppleAccount] = [:]
  private(set) var downloads: [AppOwner: AppDownload] = [:]
  /// The owners by `appTransactionId`.
  private(set) var downloadOwners: [String: AppOwner] = [:]
  private(set) var transactions: [TransactionIdentifier: SimulatedTransaction] = [:]
  var subscriptions: [TransactionIdentifier: SimulatedSubscription] = [:]
  private(set) var notifications: [AppStoreUUID: SimulatedNotification] = [:]
  private(set) var apiKeys: [String: SimulatedAPIKey] = [:]
  private(set) var apiFaults: [PlannedAPIFault] = []
  private(set) var revocations: [SimulatedCertificateRevocation] = []
  private(set) var consumption: [TransactionIdentifier: String] = [:]
  var refundRequests: [TransactionIdentifier: SimulatedRefundRequest] = [:]
  /// The requests to extend all subscriptions to a product, in order.
  var massExtensions: [SimulatedMassExtension] = []
  /// The family members' original transactions by the buyer's original transaction.
  private(set) var shares: [TransactionIdentifier: [TransactionIdentifier]] = [:]
  /// When the payload of each transaction last changed, as a number that grows.
  private(set) var changes: [TransactionIdentifier: Int] = [:]
  private var lastChange = 0

  private(set) var transactionOrder: [TransactionIdentifier] = []
  /// The transactions of each account's app, in order.
  private(set) var transactionsByOwner: [AppOwner: [TransactionIdentifier]] = [:]
  /// Transactions that the device has not finished, in order.
  private(set) var unfinished: [AppOwner: [TransactionIdentifier]] = [:]
  private(set) var notificationOrder = NotificationOrder()
  /// The notifications that wait for their next attempt.
  private(set) var due = DueList<AppStoreUUID>()
  /// The calendar's tasks for subscriptions and for refund requests.
  var dueSubscriptions = DueList<TransactionIdentifier>()
  var dueRefunds = DueList<TransactionIdentifier>()
  /// The time of each subscription's entry in `dueSubscriptions`.
  var subscriptionMoments: [TransactionIdentifier: Timestamp] = [:]
  /// The last assigned numbers.
  private(set) var lastNumbers = LastNumbers()

  /// The state before the first record.
  package init() {}

  /// The same state without the record count: a simulator that was killed during a write has one record more.
  package var content: SimulatorState {
    var content = self
    content.recordCount = 0
    return content
  }

  package mutating func apply(_ record: SimulatorRecord) throws(StateInconsistency) {
    if recordCount == 0 {
      // If a kill tore the first line, the record about it comes before all others.
      switch record.event {
      case .created, .tornLinesDropped: break
      default: throw Inconsistency("The log does not begin with how the simulator was created.")
      }
    }
    try apply(record.event)
    for behaviour in record.spent { behaviours[behaviour] = max(0, behaviours[behaviour] - 1) }
    recordCount = record.number
  }

  private mutating func apply(_ event: SimulatorEvent) throws(Inconsistency) {
    switch event {
    case .created(let origin):
      guard self.origin == nil else { throw Inconsistency("The simulator is created a second time.") }
      self.origin = origin
      lastNumbers = LastNumbers(createdAt: origin.createdAt)
    case .tornLinesDropped, .faultStruck: break
    case .appSet(let app): apps[app.bundleId] = app
    case .productSet(let product, let bundleId):
      let earlier = products[bundleId, default: [:]].updateValue(product, forKey: product.id)
      if let earlier, earlier.isForSale != product.isForSale { noteDueSubscriptions(of: product.id, bundleId) }
    case .accountSet(let account):
      let earlier = accounts.updateValue(account, forKey: account.id)
      if let earlier, earlier.canPay != account.canPay { noteDueSubscriptions(of: account.id) }
    case .downloaded(let download): add(download)
    case .transacted(let transaction, let download, let notification):
      if let download { add(download) }
      try add(transaction)
      if let notification { try add(notification) }
    case .upgraded(let transaction, let earlier, let upgrade, let notification):
      try replace(earlier, by: transaction, upgrade)
      try add(notification)
    case .renewalPreferenceSet(let id, let product, let offer, let notification):
      guard subscriptions[id] != nil else { throw Inconsistency("There is no subscription \(id).") }
      subscriptions[id]?.next = product
      subscriptions[id]?.autoRenews = true
      subscriptions[id]?.standing.offer = offer
      noteDue(id)
      try add(notification)
    case .redelivered(let id):
      let transaction = try changed(id) { $0.isFinished = false }
      unfinished[transaction.owner, default: []].append(id)
    case .finished(let id):
      let transaction = try changed(id) { $0.isFinished = true }
      unfinished[transaction.owner, default: []].removeAll { $0 == id }
    case .refunded, .shareEnded, .refundRequested, .refundDeclined, .refundReversed, .standingSet:
      try applyAftermath(event)
    case .renewalExtended(let extended): try ExtensionRecords.apply(extended, to: &self)
    case .massExtension(let change): try ExtensionRecords.apply(change, to: &self)
    case .autoRenewSet(let id, let isOn, let notification):
      guard subscriptions[id] != nil else { throw Inconsistency("There is no subscription \(id).") }
      subscriptions[id]?.autoRenews = isOn
      noteDue(id)
      try add(notification)
    case .told(let notification), .testRequested(let notification): try add(notification)
    case .apiKeySet(let key): apiKeys[key.keyId] = key
    case .apiFaultsSet(let faults): apiFaults = faults
    case .appAccountTokenSet(let id, let token): try set(token, of: id)
    case .consumptionTold(let id, let words): consumption[id] = words
    case .attempted(let uuid, let attempt): try add(attempt, to: uuid)
    case .certificateRevoked(let revocation): revocations.append(revocation)
    case .clockSet(let clock): self.clock = clock
    case .behaviourSet(let behaviour, let value):
      behaviours[behaviour] = value
      // These settings change the length of a day of billing retry.
      guard [.calendarPeriodsInSandbox, .minutePeriodsInProduction].contains(behaviour) else { return }
      for id in subscriptions.keys { noteDue(id) }
    }
  }

  private mutating func set(_ token: AppStoreUUID, of id: TransactionIdentifier) throws(Inconsistency) {
    _ = try changed(id) { $0.appAccountToken = token }
    note(changeOf: id)
  }

  /// Applies an event after a purchase.
  private mutating func applyAftermath(_ event: SimulatorEvent) throws(Inconsistency) {
    switch event {
    case .refunded(let id, let revocation, let notification, let members):
      try revoke(id, revocation)
      forgetRefundRequest(id)
      try add(notification)
      for member in members {
        try revoke(member.transaction, member.revocation)
        try add(member.notification)
      }
    case .shareEnded(let end):
      try revoke(end.transaction, end.revocation)
      try add(end.notification)
    case .refundRequested(let request, let notification):
      refundRequests[request.transaction] = request
      dueRefunds.insert(.init(moment: request.decidedAt, item: request.transaction))
      try add(notification)
    case .refundDeclined(let id, let notification):
      forgetRefundRequest(id)
      try add(notification)
    case .refundReversed(let id, let notification):
      let before = try changed(id) { transaction in
        transaction.reversedRevocation = transaction.revocation?.date
        transaction.revocation = nil
      }
      note(changeOf: id)
      noteDue(before.originalId)
      try add(notification)
    case .standingSet(let id, let standing, let notification):
      guard subscriptions[id] != nil else { throw Inconsistency("There is no subscription \(id).") }
      subscriptions[id]?.standing = standing
      noteDue(id)
      if let notification { try add(notification) }
    default: throw Inconsistency("This is no event after a purchase.")
    }
  }

  private mutating func revoke(
    _ id: TransactionIdentifier, _ revocation: SimulatedRevocation
  ) throws(Inconsistency) {
    let transaction = try changed(id) { $0.revocation = revocation }
    note(changeOf: id)
    noteDue(transaction.originalId)
  }

  /// Notes that the payload of a transaction changed.
  mutating func note(changeOf id: TransactionIdentifier) {
    lastChange += 1
    changes[id] = lastChange
  }

  private mutating func add(_ download: AppDownload) {
    downloads[download.owner] = download
    downloadOwners[download.appTransactionId] = download.owner
    lastNumbers.note(appTransactionId: download.appTransactionId)
  }

  private mutating func add(_ transaction: SimulatedTransaction) throws(Inconsistency) {
    guard transactions[transaction.id] == nil else {
      throw Inconsistency("The transaction \(transaction.id) comes a second time.")
    }
    guard downloads[transaction.owner] != nil, apps[transaction.owner.bundleId] != nil else {
      throw Inconsistency("The transaction \(transaction.id) belongs to no app.")
    }
    transactions[transaction.id] = transaction
    note(changeOf: transaction.id)
    transactionOrder.append(transaction.id)
    transactionsByOwner[transaction.owner, default: []].append(transaction.id)
    if !transaction.isFinished { unfinished[transaction.owner, default: []].append(transaction.id) }
    lastNumbers.note(transaction)
    if let source = transaction.sharedFrom, transaction.id == transaction.originalId {
      shares[source, default: []].append(transaction.id)
    }
    // A duplicate of a period is not a separate period.
    if let period = transaction.period, transaction.repeats == nil { extend(transaction, period) }
  }

  /// Makes the transaction the latest of its subscription, or begins a subscription with it.
  private mutating func extend(_ transaction: SimulatedTransaction, _ period: SimulatedTransaction.Period) {
    var subscription =
      subscriptions[transaction.originalId]
      ?? SimulatedSubscription(
        id: transaction.originalId, owner: transaction.owner, group: period.group, latest: transaction.id,
        recentStart: transaction.purchaseDate, sharedFrom: transaction.sharedFrom)
    let isRenewal = transaction.reason == .renewal
    let isSame = isRenewal && transactions[subscription.latest]?.product == transaction.product
    subscription.standing = subscription.standing.renewed(isSame: isSame)
    subscription.latest = transaction.id
    subscription.next = nil
    subscription.renewals = isRenewal ? subscription.renewals + 1 : 0
    if !isRenewal {
      subscription.recentStart = transaction.purchaseDate
      subscription.autoRenews = true
    }
    subscriptions[subscription.id] = subscription
    noteDue(subscription.id)
  }

  /// The better subscription belongs to the same sequence of periods as the earlier one.
  private mutating func replace(
    _ earlier: TransactionIdentifier, by transaction: SimulatedTransaction, _ upgrade: SimulatedUpgrade
  ) throws(Inconsistency) {
    guard let start = subscriptions[transaction.originalId]?.recentStart else {
      throw Inconsistency("There is no subscription \(transaction.originalId).")
    }
    _ = try changed(earlier) { $0.upgrade = upgrade }
    note(changeOf: earlier)
    try add(transaction)
    subscriptions[transaction.originalId]?.recentStart = start
  }

  mutating func changed(
    _ id: TransactionIdentifier, _ change: (inout SimulatedTransaction) -> Void
  ) throws(Inconsistency) -> SimulatedTransaction {
    guard var transaction = transactions[id] else { throw Inconsistency("There is no transaction \(id).") }
    change(&transaction)
    transactions[id] = transaction
    return transaction
  }

  /// The notification's contents come from the state at this moment: after its event, before any other.
  mutating func add(_ facts: SimulatedNotification.Facts) throws(Inconsistency) {
    guard notifications[facts.uuid] == nil else {
      throw Inconsistency("The notification \(facts.uuid) comes a second time.")
    }
    let isLost = behaviours.isOn(.loseNotifications)
    let notification = try notification(facts, isLost: isLost)
    notifications[facts.uuid] = notification
    notificationOrder.append(facts.uuid, signedDate: facts.signedDate)
    if case .waiting(let moment) = notification.state {
      due.insert(.init(moment: moment, item: facts.uuid))
      if isLost { behaviours[.loseNotifications] -= 1 }
    }
  }

  private mutating func add(
    _ attempt: SimulatedNotification.Attempt, to uuid: AppStoreUUID
  ) throws(Inconsistency) {
    guard var notification = notifications[uuid] else { throw Inconsistency("There is no notification \(uuid).") }
    if case .waiting(let moment) = notification.state { due.remove(.init(moment: moment, item: uuid)) }
    notification.attempts.append(attempt)
    notification.state = NotificationSchedule.state(
      after: notification.attempts, in: notification.facts.environment, behaviours)
    notifications[uuid] = notification
    if case .waiting(let moment) = notification.state { due.insert(.init(moment: moment, item: uuid)) }
  }
}
