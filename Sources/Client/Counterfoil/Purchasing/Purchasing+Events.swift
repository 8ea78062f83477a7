import CounterfoilAPI
import PaymentPrimitives

/// An open order as the last event showed it.
struct ShownOrder: Sendable {
  let order: OpenOrder
  let change: Int
}

extension Purchasing {
  /// Events that one listener may leave unread. Older ones are then dropped; `openOrders` stays correct.
  private static let unreadMax = 256
  /// Maximum listeners at a time: enough for screens, and a bound on a faulty loop.
  private static let listenersMax = 64

  /// The events, separately for each listener: first the open orders of the signed-in user, then everything new.
  public func events() -> AsyncStream<PurchaseEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: PurchaseEvent.self, bufferingPolicy: .bufferingNewest(Self.unreadMax))
    for order in openOrders() { continuation.yield(.orderOpen(order)) }
    for payment in promotions { continuation.yield(.promotedPayment(payment)) }
    guard listeners.count < Self.listenersMax else {
      log(.warning, "client.events.tooManyListeners")
      continuation.finish()
      return stream
    }
    listeners[nextNumber()] = continuation
    return stream
  }

  /// The orders of the signed-in user that this device has a record of, oldest first.
  public func openOrders() -> [OpenOrder] {
    shown.values.map(\.order).filter { $0.user == user && $0.phase != .owned }
      .sorted { ($0.order.createdAt, $0.order.id) < ($1.order.createdAt, $1.order.id) }
  }

  func emit(_ event: PurchaseEvent) {
    for number in listeners.keys.sorted() {
      // A listener that has ended is noticed only when an event is sent to it.
      if case .terminated = listeners[number]?.yield(event) { listeners[number] = nil }
    }
  }

  /// Applies an event to an order, makes it durable, and notifies listeners.
  ///
  /// - Throws: `VaultFailure` when it could not be made durable; nothing has changed then.
  @discardableResult
  func take(
    _ event: OrderRecord.Event, for id: RecordIdentifier
  ) async throws(VaultFailure) -> OrderRecord? {
    let change = try await book.take(event, for: id)
    show(change, of: id)
    return change.record
  }

  /// The same for callers that continue in either case, because the server or the next start will report it again.
  func takeIfPossible(_ event: OrderRecord.Event, for id: RecordIdentifier) async {
    do {
      try await take(event, for: id)
    } catch {
      log(.error, "client.vault.failed", [("what", error.explanation)])
    }
  }

  /// Shows the orders that the vault held when it was loaded.
  func showLoadedOrders() async {
    for record in await book.orders where shown[record.id] == nil {
      show(VaultRecords.Change(record: record, number: 0), of: record.id)
    }
  }

  /// Shows a change to the listeners.
  func show(_ change: VaultRecords.Change, of id: RecordIdentifier) {
    let before = shown[id]
    // Changes become durable in order, but two of them may arrive here in the opposite order.
    guard !removed.contains(id), (before?.change ?? 0) <= change.number else { return }
    guard let record = change.record else {
      shown[id] = nil
      removed.insert(id)
      if let before, before.order.user == user { emit(.orderClosed(before.order.order.id)) }
      return
    }
    guard let order = OpenOrder(record), before?.order != order else { return }
    if let storeProduct = order.order.storeProduct { storeProducts[order.product] = storeProduct }
    if order.store == .weChatPay, order.phase == .owned, before?.order.phase != .owned, order.user == user {
      emit(.orderGranted(order.order.id))
    }
    shown[id] = ShownOrder(order: order, change: change.number)
    if order.user == user, order.phase != .owned { emit(.orderOpen(order)) }
  }
}
