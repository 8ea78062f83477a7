import CounterfoilAPI
import PaymentPrimitives

// The server's answer about an order decides whether its record may leave the vault. Only the signed-in user's orders
// can be asked about; orders of other users stay until those users sign in again.

extension Purchasing {
  /// How long after its creation an order can be matched to a payment by more than its token
  /// (docs/specification/matching.md, “Words”).
  private static let orderLifetime = TimeSpan.days(30)

  /// Asks the server about each order of the signed-in user in the vault, and removes the decided ones.
  ///
  /// - Returns: whether the server answered for all of them.
  func askAboutOrders() async -> Bool {
    guard let user else { return true }
    var allAnswered = true
    for record in await book.orders where record.user == user {
      guard !Task.isCancelled, self.user == user else { return false }
      guard claimed.insert(record.id).inserted else { continue }
      // It may have changed or disappeared since the list was made.
      if let current = await book.order(record.id) {
        allAnswered = await askAbout(current, user) && allAnswered
      }
      claimed.remove(record.id)
    }
    return allAnswered
  }

  func askAbout(_ record: OrderRecord, _ user: UserIdentifier) async -> Bool {
    switch record.state {
    case .requested:
      return await closeLostRequest(record, user)
    case .placed(let order, .created):
      return await closeUnpaid(record, order, user)
    case .placed(_, .owned):
      await letGoIfQueueIsEmpty(record, .finishedAtStore)
      return true
    case .placed(let order, _):
      let server = self.server
      let reply = await asUser(user) { await server.order(order.id, as: $0) }
      return await takeIn(reply, about: record)
    }
  }

  /// The answer to an order request was lost, and the customer left. The same key finds the same order, which is then
  /// closed like any order that was never shown.
  private func closeLostRequest(_ record: OrderRecord, _ user: UserIdentifier) async -> Bool {
    let server = self.server
    let reply = await asUser(user) {
      await server.createOrder(record.request, key: record.id, as: $0)
    }
    switch reply {
    case .answered(let body):
      guard let order = PlacedOrder(body), body.user == user else { return false }
      guard let placed = try? await take(.ordered(order), for: record.id) else { return false }
      return await closeUnpaid(placed, order, user)
    case .refused(let problem) where problem.status != 401 && problem.status != 403:
      await takeIfPossible(.refusedByServer, for: record.id)
      return true
    case .refused, .unknown, .noCredential:
      return false
    }
  }

  /// Closes an unpaid order: its sheet was never opened, or the store has sold nothing in it.
  func closeUnpaid(
    _ record: OrderRecord, _ order: PlacedOrder, _ user: UserIdentifier
  ) async -> Bool {
    let server = self.server
    let reply = await asUser(user) { await server.close(order.id, as: $0) }
    return await takeIn(reply, about: record)
  }

  private func takeIn(_ reply: ServerReply<OrderBody>, about record: OrderRecord) async -> Bool {
    switch reply {
    case .answered(let body):
      await takeIn(body, about: record)
      return true
    case .refused(let problem):
      // "Unknown here" is no reason to remove it: a server may have been restored from a backup.
      log(.warning, "client.order.refused", [("order", record.order?.id.description ?? ""), ("code", problem.code)])
      return true
    case .unknown, .noCredential:
      return false
    }
  }

  /// Applies the order as the server knows it.
  func takeIn(_ body: OrderBody, about record: OrderRecord) async {
    switch body.state {
    case .awaitingPayment:
      return
    case .paid:
      await takeIfPossible(.paidAtServer, for: record.id)
      await letGoIfQueueIsEmpty(record, .finishedAtStore)
    case .closed:
      // An order closed only to make room for newer ones can still be paid: it is kept for its lifetime, unless room
      // is needed.
      let isReplaced = body.closeReason == "replaced" && record.phase != .created
      guard !isReplaced || dependencies.now() > body.expiresAt else { return }
      await letGoIfQueueIsEmpty(record, .closedAtServer(queueHoldsNothing: true))
    }
  }

  /// Removes a record if the store's queue, asked now, holds nothing that could concern it.
  func letGoIfQueueIsEmpty(_ record: OrderRecord, _ event: OrderRecord.Event) async {
    guard record.request.store == .appStore else {
      // A store's queue holds nothing for an order at WeChat Pay.
      await takeIfPossible(event, for: record.id)
      return
    }
    guard let entries = await queueEntries(), let current = await book.order(record.id) else { return }
    for entry in entries where current.isConcerned(by: entry) {
      // A transaction that the server has decided is leaving the queue and concerns no order any more.
      guard let key = TransactionKey(entry), await book.clearance(of: key) != nil else { return }
    }
    await takeIfPossible(event, for: record.id)
  }

  // MARK: room

  /// Evicts the least important record; never one that can still be paid here.
  ///
  /// - Returns: whether there is room.
  func makeRoom() async -> Bool {
    guard await book.isFull else { return true }
    // 1. Orders without an opened sheet.
    for record in await book.orders where record.phase == nil || record.phase == .created {
      guard claimed.insert(record.id).inserted else { continue }
      await evict(record)
      claimed.remove(record.id)
      if await !book.isFull { return true }
    }
    // 2. The user's own orders that the server has closed, for any reason.
    if let user {
      for record in await book.orders where record.user == user {
        guard let order = record.order, claimed.insert(record.id).inserted else { continue }
        let server = self.server
        let reply = await asUser(user) { await server.order(order.id, as: $0) }
        if case .answered(let body) = reply, body.state == .closed {
          await letGoIfQueueIsEmpty(record, .closedAtServer(queueHoldsNothing: true))
        } else {
          _ = await takeIn(reply, about: record)
        }
        claimed.remove(record.id)
        if await !book.isFull { return true }
      }
    }
    // 3. Other users' orders that only their token can still match, because of their age; the server finds those
    //    without help.
    guard let entries = await queueEntries() else { return false }
    for record in await book.orders where record.user != user {
      guard let order = record.order, dependencies.now() > order.createdAt + Self.orderLifetime,
        !entries.contains(where: { record.isConcerned(by: $0) }),
        claimed.insert(record.id).inserted
      else { continue }
      await evict(record)
      claimed.remove(record.id)
      if await !book.isFull { return true }
    }
    return false
  }

  private func evict(_ record: OrderRecord) async {
    log(.warning, "client.vault.evicted", [("order", record.order?.id.description ?? "none")])
    do throws(VaultFailure) {
      show(try await book.evict(record.id), of: record.id)
    } catch {
      log(.error, "client.vault.failed", [("what", error.explanation)])
    }
  }
}

extension PlacedOrder {
  /// The client's part of an order that the server answered; nil if it is not one that the App Store can sell.
  init?(_ body: OrderBody) {
    switch body.store {
    case .appStore:
      guard let parameters = body.appStore, OrderIdentifier(parameters.appAccountToken) == body.id else {
        return nil
      }
      self.init(
        id: body.id, storeProduct: parameters.product, createdAt: body.createdAt, expiresAt: body.expiresAt)
    case .weChatPay:
      self.init(id: body.id, storeProduct: nil, createdAt: body.createdAt, expiresAt: body.expiresAt)
    }
  }
}
