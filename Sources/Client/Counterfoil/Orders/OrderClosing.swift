import CounterfoilAPI
import PaymentPrimitives

/// Asks the server about the orders of the vault, and removes the records of the decided ones.
///
/// The server's answer about an order decides whether its record may leave the vault. Only the signed-in user's orders
/// can be asked about; orders of other users stay until those users sign in again.
struct OrderClosing {
  let dependencies: Dependencies
  let server: ServerConnection
  let log: SupportLog
  let session: UserSession
  let store: StoreAccess
  let records: VaultRecords
  let orders: OpenOrders
  let claims: RecordClaims
  let replaced = ReplacedOrders()

  /// Asks about one order, which the caller has claimed.
  nonisolated(nonsending) func ask(about record: OrderRecord, _ user: UserIdentifier) async -> Bool {
    switch record.state {
    case .requested:
      return await closeLostRequest(record, user)
    case .placed(let order, .created):
      return await closeUnpaid(record, order, for: user)
    case .placed(_, .owned):
      await removeIfQueueIsEmpty(record, .finishedAtStore)
      return true
    case .placed(let order, _):
      let server = self.server
      let reply = await session.asUser(user) { await server.order(order.id, as: $0) }
      return await apply(reply, to: record)
    }
  }

  /// The answer to an order request was lost, and the customer left. The same key finds the same order, which is then
  /// closed like any order that was never shown.
  nonisolated(nonsending) private func closeLostRequest(_ record: OrderRecord, _ user: UserIdentifier) async -> Bool {
    let server = self.server
    let reply = await session.asUser(user) {
      await server.createOrder(record.request, key: record.id, as: $0)
    }
    switch reply {
    case .answered(let body):
      guard let order = PlacedOrder(body), body.user == user else { return false }
      guard let placed = try? await orders.apply(.ordered(order), to: record.id) else { return false }
      return await closeUnpaid(placed, order, for: user)
    case .refused(let problem) where problem.status != 401 && problem.status != 403:
      await orders.applyIfPossible(.refusedByServer, to: record.id)
      return true
    case .refused, .unknown, .noCredential:
      return false
    }
  }

  /// Closes an unpaid order: its sheet was never opened, or the store has sold nothing in it.
  nonisolated(nonsending) private func closeUnpaid(
    _ record: OrderRecord, _ order: PlacedOrder, for user: UserIdentifier
  ) async -> Bool {
    let server = self.server
    let reply = await session.asUser(user) { await server.close(order.id, as: $0) }
    return await apply(reply, to: record)
  }

  /// Closes an order for which the store has sold nothing. If the store sells it later, the order is paid late.
  nonisolated(nonsending) func closeUncharged(_ id: RecordIdentifier) async {
    guard let record = await records.order(id), let order = record.order, claims.claim(id) else { return }
    _ = await closeUnpaid(record, order, for: record.user)
    claims.release(id)
  }

  // MARK: the server's answers

  /// - Returns: whether it is an answer about the order.
  nonisolated(nonsending) func apply(_ reply: ServerReply<OrderBody>, to record: OrderRecord) async -> Bool {
    switch reply {
    case .answered(let body):
      await apply(body, to: record)
      return true
    case .refused(let problem):
      // "Unknown here" is no reason to remove it: a server may have been restored from a backup.
      log.write(
        .warning, "client.order.refused",
        with: [("order", record.order?.id.description ?? ""), ("code", problem.code)])
      return true
    case .unknown, .noCredential:
      return false
    }
  }

  /// Applies the order as the server knows it.
  nonisolated(nonsending) func apply(_ body: OrderBody, to record: OrderRecord) async {
    switch body.state {
    case .awaitingPayment:
      return
    case .paid:
      await orders.applyIfPossible(.paidAtServer, to: record.id)
      await removeIfQueueIsEmpty(record, .finishedAtStore)
    case .closed:
      // An order closed only to make room for newer ones can still be paid: it is kept for its lifetime, unless room
      // is needed.
      let isReplaced = body.closeReason == "replaced" && record.phase != .created
      // The device's clock may be wrong by years: it only counts the time since the record was made.
      let age = dependencies.now() - record.writtenAt
      let lifetime = body.expiresAt - body.createdAt
      guard !isReplaced || age > lifetime else {
        if record.request.store == .appStore { replaced.note(record, until: record.writtenAt + lifetime) }
        return
      }
      await removeIfQueueIsEmpty(record, .closedAtServer(queueHoldsNothing: true))
    }
  }

  /// Removes a record if the store's queue, asked now, holds nothing that could concern it.
  nonisolated(nonsending) func removeIfQueueIsEmpty(_ record: OrderRecord, _ event: OrderRecord.Event) async {
    guard record.request.store == .appStore else {
      // A store's queue holds nothing for an order at WeChat Pay.
      await orders.applyIfPossible(event, to: record.id)
      return
    }
    guard let entries = await store.entries(), let current = await records.order(record.id) else { return }
    for entry in entries where current.isConcerned(by: entry) {
      // A transaction that the server has decided is leaving the queue and concerns no order any more.
      guard let key = TransactionKey(entry), await records.clearance(of: key) != nil else { return }
    }
    await orders.applyIfPossible(event, to: record.id)
  }
}
