import PaymentModel
import PaymentPrimitives

// What an operator lists. Such reads are rare, so these walk all rows instead of keeping an index.
extension InMemoryTransaction {
  func payments(_ query: PaymentQuery) throws -> [Payment] {
    try proceed()
    return rows.payments.values
      .filter { payment in
        payment.key.appEnvironment == query.appEnvironment && (payment.facts.merchant != nil) == query.charges
          && payment.facts.purchaseDate <= query.boughtUntil
          && query.before.map { PaymentPosition(of: payment) < $0 } ?? true
      }
      .sorted { PaymentPosition(of: $0) > PaymentPosition(of: $1) }
      .limited(to: query.limit)
  }

  func payments(_ query: StatedTimeQuery) throws -> [Payment] {
    try proceed()
    func position(_ payment: Payment) -> (Timestamp, TransactionIdentifier, Store)? {
      query.time.time(of: payment).map { ($0, payment.key.transaction, payment.key.store) }
    }
    let last = query.last.flatMap(position)
    return rows.payments.values
      .compactMap { payment in position(payment).map { (position: $0, payment: payment) } }
      .filter { row in
        row.payment.key.appEnvironment == query.appEnvironment && query.range.contains(row.position.0)
          && last.map { $0 < row.position } ?? true
      }
      .sorted { $0.position < $1.position }
      .limited(to: query.limit)
      .map(\.payment)
  }

  func notifications(_ query: NotificationQuery) throws -> NotificationPage {
    try proceed()
    let top = min(query.before.map { $0 - 1 } ?? .max, Int64(rows.notificationPlaces.count))
    let low = max(1, top - NotificationQuery.scanMax + 1)
    var found: [ReceivedNotification] = []
    var number = top
    while number >= low, found.count < max(0, query.limit) {
      if let place = rows.notificationPlaces[number], let notification = rows.notifications[place],
        query.includes(notification)
      {
        found.append(notification)
      }
      number -= 1
    }
    return NotificationPage(notifications: found, next: number >= 1 ? number + 1 : nil)
  }

  func subscriptions(
    after last: (askAt: Timestamp, key: PaymentKey)?, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [Subscription] {
    try proceed()
    let places = rows.subscriptions.values.compactMap { subscription in
      subscription.askAt.map { (askAt: $0, subscription: subscription) }
    }
    let after = last.map { ($0.askAt, $0.key.store, $0.key.transaction) }
    return
      places
      .filter { place in
        let position = (place.askAt, place.subscription.key.store, place.subscription.key.transaction)
        return place.subscription.key.appEnvironment == appEnvironment && after.map { $0 < position } ?? true
      }
      .sorted {
        ($0.askAt, $0.subscription.key.store, $0.subscription.key.transaction)
          < ($1.askAt, $1.subscription.key.store, $1.subscription.key.transaction)
      }
      .limited(to: limit)
      .map(\.subscription)
  }

  func reconciliations(
    from first: String, to last: String, at store: Store, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [ReconciliationRecord] {
    try proceed()
    let (first, last) = (ExactText(first), ExactText(last))
    return rows.reconciliations.values
      .filter {
        $0.appEnvironment == appEnvironment && $0.store == store && first <= ExactText($0.day)
          && ExactText($0.day) <= last
      }
      .sorted { ExactText($0.day) > ExactText($1.day) }
      .limited(to: limit)
  }

  func consumptionRequests(in appEnvironment: AppEnvironment, limit: Int) throws -> [AppStoreTask] {
    try proceed()
    return rows.appStoreTasks.values
      .filter { $0.purpose == .consumption && $0.payment.appEnvironment == appEnvironment }
      .sorted {
        ($0.createdAt, $0.payment.transaction, $0.payment.store)
          < ($1.createdAt, $1.payment.transaction, $1.payment.store)
      }
      .limited(to: limit)
  }

  func journal(
    telling event: JournalEvent, since moment: Timestamp, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [JournalEntry] {
    try proceed()
    let place = InMemoryRows.EventPlace(appEnvironment: appEnvironment, name: event.name)
    return (rows.journalByEvent[place] ?? []).reversed().filter { $0.at >= moment }.limited(to: limit)
  }

  func refundsStuck(in appEnvironment: AppEnvironment, limit: Int) throws -> [Refund] {
    try proceed()
    return rows.refunds.values
      .filter { $0.appEnvironment == appEnvironment && $0.state == .stuck }
      .sorted { ($0.createdAt, ExactText($0.number)) < ($1.createdAt, ExactText($1.number)) }
      .limited(to: limit)
  }

  func frozenOrders(in appEnvironment: AppEnvironment, limit: Int) throws -> [Order] {
    try proceed()
    return rows.orders.values
      .filter { $0.key.appEnvironment == appEnvironment && $0.frozenBecause != nil }
      .sorted { $0.position < $1.position }
      .limited(to: limit)
  }

  func frozenBalances(in appEnvironment: AppEnvironment, limit: Int) throws -> [Balance] {
    try proceed()
    let frozen = rows.balances.values.compactMap { balance in
      balance.frozenSince.map { (since: $0, balance: balance) }
    }
    return
      frozen
      .filter { $0.balance.appEnvironment == appEnvironment }
      .sorted { ($0.since, $0.balance.user, $0.balance.unit) < ($1.since, $1.balance.user, $1.balance.unit) }
      .limited(to: limit)
      .map(\.balance)
  }

  func attempts(of delivery: DeliveryIdentifier, about payment: PaymentKey) throws -> [DeliveryAttempt] {
    try proceed()
    guard rows.deliveries[delivery]?.payment == payment else { return [] }
    return rows.attempts[delivery] ?? []
  }

  func payments(
    ofOrderNumber number: String, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [Payment] {
    try proceed()
    return rows.orderNumbers.keys
      .filter { $0.payment.appEnvironment == appEnvironment && $0.number == ExactText(number) }
      .compactMap { rows.payments[$0.payment] }
      .sorted { PaymentPosition(of: $0) < PaymentPosition(of: $1) }
      .limited(to: limit)
  }

  // MARK: writes

  func insert(_ attempt: DeliveryAttempt) throws {
    try proceed()
    try require(attempt.number >= 1, "An attempt has no number.")
    guard rows.deliveries[attempt.delivery]?.payment == attempt.payment else {
      throw fail(.inconsistent, "An attempt names a delivery that is not there.")
    }
    let known = rows.attempts[attempt.delivery] ?? []
    guard !known.contains(where: { $0.number == attempt.number }) else { throw conflict(on: "attempt") }
    let kept = (known + [attempt]).filter { $0.number > attempt.number - DeliveryAttempt.keptMax }
    set(\.attempts, attempt.delivery, value: kept.sorted { $0.number < $1.number })
  }

  func noteOrderNumber(_ number: String, of payment: PaymentKey, at moment: Timestamp) throws {
    try proceed()
    let place = InMemoryRows.OrderNumberPlace(number: ExactText(number), payment: payment)
    guard rows.orderNumbers[place] == nil else { return }
    set(\.orderNumbers, place, value: moment)
  }
}

extension NotificationQuery {
  fileprivate func includes(_ notification: ReceivedNotification) -> Bool {
    notification.appEnvironment == appEnvironment && (effect.map { $0 == notification.effect } ?? true)
      && (store.map { $0 == notification.store } ?? true)
      && (type.map { $0.utf8.elementsEqual(notification.type.utf8) } ?? true)
  }
}
