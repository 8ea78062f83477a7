import PaymentModel
import PaymentPrimitives

extension InMemoryTransaction {
  // MARK: questions

  func notification(_ id: String, in appEnvironment: AppEnvironment) throws -> ReceivedNotification? {
    try proceed()
    return rows.notifications[ScopedText(appEnvironment: appEnvironment, scope: "", text: ExactText(id))]
  }

  func keptNotifications(
    of type: String, after id: String?, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [ReceivedNotification] {
    try proceed()
    let last = id.map { ExactText($0) }
    return rows.notifications.values
      .filter { kept in
        kept.effect == .kept && kept.appEnvironment == appEnvironment && kept.type.utf8.elementsEqual(type.utf8)
          && last.map { $0 < ExactText(kept.id) } ?? true
      }
      .sorted { ExactText($0.id) < ExactText($1.id) }
      .limited(to: limit)
  }

  func noteEffect(of notification: String, in appEnvironment: AppEnvironment) throws {
    try proceed()
    let key = ScopedText(appEnvironment: appEnvironment, scope: "", text: ExactText(notification))
    guard var known = rows.notifications[key] else {
      throw fail(.inconsistent, "A notification that took effect is missing.")
    }
    known.effect = .applied
    set(\.notifications, key, value: known)
  }

  func countOfKeptNotifications(in appEnvironment: AppEnvironment) throws -> [(type: String, count: Int)] {
    try proceed()
    var counts: [ExactText: Int] = [:]
    for notification in rows.notifications.values
    where notification.appEnvironment == appEnvironment && notification.effect == .kept {
      counts[ExactText(notification.type), default: 0] += 1
    }
    return counts.sorted { $0.key < $1.key }.map { ($0.key.text, $0.value) }
  }

  func delivery(_ id: DeliveryIdentifier) throws -> Delivery? {
    try proceed()
    return rows.deliveries[id]
  }

  func deliveries(of payment: PaymentKey) throws -> [Delivery] {
    try proceed()
    return (rows.deliveriesByPayment[payment] ?? []).compactMap { rows.deliveries[$0] }
      .sorted { $0.sequence < $1.sequence }
  }

  func deliveries(_ query: DeliveryQuery) throws -> [Delivery] {
    try proceed()
    var first: Int64 = 0
    if let after = query.after {
      guard let delivery = rows.deliveries[after], delivery.payment.appEnvironment == query.appEnvironment else {
        return []
      }
      first = rows.deliveryNumbers[after] ?? 0
    }
    let numbers = rows.deliveryNumbers
    return rows.deliveries.values
      .filter { delivery in
        delivery.payment.appEnvironment == query.appEnvironment && query.selection.includes(delivery.state)
      }
      .compactMap { delivery in numbers[delivery.id].map { (number: $0, delivery: delivery) } }
      .filter { $0.number > first && $0.number <= query.upTo }
      .sorted { $0.number < $1.number }
      .map(\.delivery)
      .limited(to: query.limit)
  }

  func dueDeliveries(at now: Timestamp, in appEnvironment: AppEnvironment, limit: Int) throws -> [Delivery] {
    try proceed()
    return pending(in: appEnvironment)
      .filter { $0.readyAt <= now && isNext($0) }
      .sorted { ($0.readyAt, $0.id) < ($1.readyAt, $1.id) }
      .limited(to: limit)
  }

  func nextDeliveryTime(in appEnvironment: AppEnvironment) throws -> Timestamp? {
    try proceed()
    return pending(in: appEnvironment).filter(isNext).map(\.readyAt).min()
  }

  private func pending(in appEnvironment: AppEnvironment) -> [Delivery] {
    (rows.pendingDeliveries[appEnvironment] ?? []).compactMap { rows.deliveries[$0] }
  }

  /// Whether the backend has acknowledged all earlier deliveries of the payment.
  private func isNext(_ delivery: Delivery) -> Bool {
    (rows.deliveriesByPayment[delivery.payment] ?? []).allSatisfy { id in
      guard let other = rows.deliveries[id], other.sequence < delivery.sequence else { return true }
      if case .acknowledged = other.state { return true }
      return false
    }
  }

  func deliveryBacklog(in appEnvironment: AppEnvironment) throws -> DeliveryBacklog {
    try proceed()
    let ours = rows.deliveries.values.filter { $0.payment.appEnvironment == appEnvironment }
    let pending = ours.filter { $0.state == .pending }
    return DeliveryBacklog(
      pending: pending.count, parked: ours.count { DeliveryQuery.Selection.parked.includes($0.state) },
      oldestPending: pending.map(\.createdAt).min())
  }

  func journal(of order: OrderKey) throws -> [JournalEntry] {
    try proceed()
    return rows.journalByOrder[order] ?? []
  }

  func journal(of payment: PaymentKey) throws -> [JournalEntry] {
    try proceed()
    return rows.journalByPayment[payment] ?? []
  }

  // MARK: writes

  func insert(_ notification: ReceivedNotification) throws {
    try proceed()
    let key = ScopedText(appEnvironment: notification.appEnvironment, scope: "", text: ExactText(notification.id))
    guard rows.notifications[key] == nil else { throw conflict(on: "notification") }
    set(\.notifications, key, value: notification)
    set(\.notificationPlaces, Int64(rows.notificationPlaces.count) + 1, value: key)
  }

  func insert(_ delivery: Delivery) throws {
    try proceed()
    try require(delivery.sequence >= 1, "A delivery has no number.")
    let place = InMemoryRows.DeliveryPlace(payment: delivery.payment, sequence: delivery.sequence)
    guard rows.deliveries[delivery.id] == nil else { throw conflict(on: "delivery") }
    guard rows.deliveriesByPlace[place] == nil else { throw conflict(on: "delivery's sequence") }
    try requirePayment(delivery.payment, for: "delivery")
    set(\.deliveriesByPlace, place, value: delivery.id)
    append(\.deliveriesByPayment, delivery.payment, element: delivery.id)
    notePending(delivery)
    set(\.deliveryNumbers, delivery.id, value: Int64(rows.deliveryNumbers.count) + 1)
    set(\.deliveries, delivery.id, value: delivery)
  }

  func update(_ delivery: Delivery) throws {
    try proceed()
    guard let before = rows.deliveries[delivery.id], before.tellsTheSame(as: delivery) else {
      throw fail(.inconsistent, "A delivery to be updated is missing or tells something else.")
    }
    notePending(delivery)
    set(\.deliveries, delivery.id, value: delivery)
  }

  private func notePending(_ delivery: Delivery) {
    let (appEnvironment, id) = (delivery.payment.appEnvironment, delivery.id)
    let isPending = delivery.state == .pending
    guard isPending != rows.pendingDeliveries[appEnvironment, default: []].contains(id) else { return }
    func note(_ isPending: Bool, _ rows: inout InMemoryRows) {
      if isPending {
        rows.pendingDeliveries[appEnvironment, default: []].insert(id)
      } else {
        rows.pendingDeliveries[appEnvironment, default: []].remove(id)
      }
    }
    note(isPending, &rows)
    undo { note(!isPending, &$0) }
  }

  func journal(_ query: JournalQuery) throws -> JournalPage {
    try proceed()
    let first = max(0, query.after) + 1
    let end = min(Int64(rows.journal.count), query.upTo, max(0, query.after) + Int64(JournalQuery.scanMax))
    guard first <= end else { return JournalPage(entries: [], last: nil) }
    let ours = (first...end).lazy.compactMap { self.numbered($0) }
      .filter { $0.entry.appEnvironment == query.appEnvironment }
    let entries = Array(ours.prefix(max(0, query.limit)))
    return JournalPage(entries: entries, last: entries.count < query.limit ? numbered(end) : entries.last)
  }

  func firstJournalEntry(from number: Int64) throws -> NumberedJournalEntry? {
    try proceed()
    return numbered(max(1, number))
  }

  private func numbered(_ number: Int64) -> NumberedJournalEntry? {
    guard let entry = rows.journal[number] else { return nil }
    let order = entry.order.flatMap { rows.orders[OrderKey(appEnvironment: entry.appEnvironment, id: $0)] }
    return NumberedJournalEntry(number: number, entry: entry, user: order?.user, reference: order?.reference)
  }

  func insert(_ entry: JournalEntry) throws {
    try proceed()
    set(\.journal, Int64(rows.journal.count) + 1, value: entry)
    if let order = entry.order {
      append(\.journalByOrder, OrderKey(appEnvironment: entry.appEnvironment, id: order), element: entry)
    }
    if let payment = entry.payment { append(\.journalByPayment, payment, element: entry) }
    guard JournalEvent.listed.contains(where: { $0.name == entry.what }) else { return }
    append(
      \.journalByEvent, InMemoryRows.EventPlace(appEnvironment: entry.appEnvironment, name: entry.what), element: entry)
  }
}

extension DeliveryQuery.Selection {
  fileprivate func includes(_ state: Delivery.State) -> Bool {
    switch (self, state) {
    case (.all, _), (.pending, .pending), (.parked, .parked), (.acknowledged, .acknowledged): true
    default: false
    }
  }
}
