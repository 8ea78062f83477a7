import CounterfoilAPI
import PaymentPrimitives

/// Makes room for another order in the vault: it removes the least important record, never one that can still be paid
/// here.
struct VaultRoom {
  /// How long after its creation an order can be matched to a payment by more than its token
  /// (docs/specification/matching.md, “Words”).
  private static let orderLifetime = TimeSpan.days(30)

  let dependencies: Dependencies
  let server: ServerConnection
  let session: UserSession
  let store: StoreAccess
  let records: VaultRecords
  let orders: OpenOrders
  let claims: RecordClaims
  let closing: OrderClosing

  /// - Returns: whether there is room.
  nonisolated(nonsending) func make() async -> Bool {
    guard await records.isFull else { return true }
    if await removeUnopened() { return true }
    if await removeClosed() { return true }
    return await removeOld()
  }

  /// Removes orders without an opened sheet.
  nonisolated(nonsending) private func removeUnopened() async -> Bool {
    for record in await records.orders where record.phase == nil || record.phase == .created {
      guard claims.claim(record.id) else { continue }
      await orders.evict(record)
      claims.release(record.id)
      if await !records.isFull { return true }
    }
    return false
  }

  /// Removes the user's own orders that the server has closed, for any reason.
  nonisolated(nonsending) private func removeClosed() async -> Bool {
    guard let user = session.user else { return false }
    for record in await records.orders where record.user == user {
      guard let order = record.order, claims.claim(record.id) else { continue }
      let server = self.server
      let reply = await session.asUser(user) { await server.order(order.id, as: $0) }
      if case .answered(let body) = reply, body.state == .closed {
        await closing.removeIfQueueIsEmpty(record, .closedAtServer(queueHoldsNothing: true))
      } else {
        _ = await closing.apply(reply, to: record)
      }
      claims.release(record.id)
      if await !records.isFull { return true }
    }
    return false
  }

  /// Removes other users' orders that only their token can still match, because of their age; the server finds those
  /// without help.
  nonisolated(nonsending) private func removeOld() async -> Bool {
    guard let entries = await store.entries() else { return false }
    for record in await records.orders where record.user != session.user {
      guard let order = record.order, dependencies.now() > order.createdAt + Self.orderLifetime,
        !entries.contains(where: { record.isConcerned(by: $0) }), claims.claim(record.id)
      else { continue }
      await orders.evict(record)
      claims.release(record.id)
      if await !records.isFull { return true }
    }
    return false
  }
}
