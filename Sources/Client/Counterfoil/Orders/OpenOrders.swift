import CounterfoilAPI
import PaymentPrimitives

/// The device's orders as the listeners know them. Every change of an order's record goes through here, so that the
/// listeners learn of it.
final class OpenOrders {
  /// An open order as the last event showed it.
  private struct Shown {
    let order: OpenOrder
    let change: Int
  }

  private let records: VaultRecords
  private let session: UserSession
  private let events: EventBroadcaster
  private let log: SupportLog
  private var shown: [RecordIdentifier: Shown] = [:]
  /// Records that left the vault in this run; ids are never reused.
  private var removed: Set<RecordIdentifier> = []
  /// The store's id for each product, as orders reported it.
  private var storeProducts: [ProductIdentifier: StoreProductIdentifier] = [:]

  init(_ records: VaultRecords, session: UserSession, events: EventBroadcaster, log: SupportLog) {
    self.records = records
    self.session = session
    self.events = events
    self.log = log
  }

  /// The orders of the signed-in user that this device has a record of, oldest first.
  var list: [OpenOrder] {
    shown.values.map(\.order).filter { $0.user == session.user && $0.phase != .owned }
      .sorted { ($0.order.createdAt, $0.order.id) < ($1.order.createdAt, $1.order.id) }
  }

  /// Whether the records are loaded. Reads them again: another process of the app may have changed them.
  nonisolated(nonsending) func areLoaded() async -> Bool {
    let wereLoaded = await records.isLoaded
    do throws(VaultFailure) {
      for (id, change) in try await records.load() { show(change, of: id) }
      return true
    } catch {
      log.vaultFailed(error)
      return wereLoaded
    }
  }

  /// Applies an event to an order, makes it durable, and notifies listeners.
  ///
  /// - Throws: `VaultFailure` when it could not be made durable; nothing has changed then.
  @discardableResult
  nonisolated(nonsending) func apply(
    _ event: OrderRecord.Event, to id: RecordIdentifier
  ) async throws(VaultFailure) -> OrderRecord? {
    let change = try await records.apply(event, to: id)
    show(change, of: id)
    return change.record
  }

  /// The same for callers that continue in either case, because the server or the next start will report it again.
  nonisolated(nonsending) func applyIfPossible(_ event: OrderRecord.Event, to id: RecordIdentifier) async {
    do {
      try await apply(event, to: id)
    } catch {
      log.vaultFailed(error)
    }
  }

  /// Removes the record of an order that can no longer be paid, to make room. Only `VaultRoom` may judge that.
  nonisolated(nonsending) func evict(_ record: OrderRecord) async {
    log.write(.warning, "client.vault.evicted", with: [("order", record.order?.id.description ?? "none")])
    do throws(VaultFailure) {
      show(try await records.evict(record.id), of: record.id)
    } catch {
      log.vaultFailed(error)
    }
  }

  // MARK: the store's products

  func remember(_ storeProduct: StoreProductIdentifier?, for product: ProductIdentifier) {
    if let storeProduct { storeProducts[product] = storeProduct }
  }

  /// The store's id for a product, if an order has reported it.
  nonisolated(nonsending) func storeProduct(of product: ProductIdentifier) async -> StoreProductIdentifier? {
    if let known = storeProducts[product] { return known }
    return await records.orders.filter { $0.request.product == product }.compactMap { $0.order?.storeProduct }.last
  }

  // MARK: showing changes

  private func show(_ change: VaultRecords.Change, of id: RecordIdentifier) {
    let before = shown[id]
    // Changes become durable in order, but two of them may arrive here in the opposite order.
    guard !removed.contains(id), (before?.change ?? 0) <= change.number else { return }
    guard let record = change.record else {
      shown[id] = nil
      removed.insert(id)
      if let before, before.order.user == session.user { events.emit(.orderClosed(before.order.order.id)) }
      return
    }
    guard let order = OpenOrder(record), before?.order != order else { return }
    remember(order.order.storeProduct, for: order.product)
    let isUsers = order.user == session.user
    if order.store == .weChatPay, order.phase == .owned, before?.order.phase != .owned, isUsers {
      events.emit(.orderGranted(order.order.id))
    }
    shown[id] = Shown(order: order, change: change.number)
    if isUsers, order.phase != .owned { events.emit(.orderOpen(order)) }
  }
}
