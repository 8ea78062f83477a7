import CounterfoilAPI
import PaymentPrimitives

/// The orders that the server has closed to make room for newer ones. Their records are kept for a while, because they
/// can still be paid; asking about them again in this run would show nothing new.
final class ReplacedOrders {
  private var keptUntil: [RecordIdentifier: Timestamp] = [:]

  func note(_ record: OrderRecord, until moment: Timestamp) { keptUntil[record.id] = moment }

  func isToBeAsked(_ record: OrderRecord, at now: Timestamp) -> Bool {
    guard let moment = keptUntil[record.id] else { return true }
    return now > moment || now < record.writtenAt
  }
}

extension OrderClosing {
  /// Asks about each order of the signed-in user: about all that wait for a payment with one request
  /// (docs/decisions/0207-one-request-for-all-open-orders.md).
  ///
  /// - Returns: whether the server answered for all of them.
  nonisolated(nonsending) func askAboutAll() async -> Bool {
    guard let user = session.user else { return true }
    var allAnswered = true
    var waiting: [OrderRecord] = []
    for record in await records.orders where record.user == user {
      guard !Task.isCancelled, session.user == user else { return false }
      guard !record.waitsForPayment else {
        if replaced.isToBeAsked(record, at: dependencies.now()) { waiting.append(record) }
        continue
      }
      allAnswered = await askAlone(record, user) && allAnswered
    }
    return await askTogether(waiting, user) && allAnswered
  }

  /// Asks about one order, unless another task works on it.
  nonisolated(nonsending) private func askAlone(_ record: OrderRecord, _ user: UserIdentifier) async -> Bool {
    guard !Task.isCancelled, session.user == user else { return false }
    guard claims.claim(record.id) else { return true }
    defer { claims.release(record.id) }
    // It may have changed or disappeared since the list was made.
    guard let current = await records.order(record.id) else { return true }
    return await ask(about: current, user)
  }

  /// Asks about several orders: for the newest orders of the user, then for all open ones. Only orders that neither
  /// page names are asked about one by one.
  nonisolated(nonsending) private func askTogether(_ waiting: [OrderRecord], _ user: UserIdentifier) async -> Bool {
    var missing = waiting
    let server = self.server
    for openOnly in [false, true] where missing.count > 1 {
      guard !Task.isCancelled, session.user == user else { return false }
      // Orders that are decided meanwhile stand between the open ones.
      let limit = openOnly ? ContractLimits.pageMax : min(2 * missing.count + 10, ContractLimits.pageMax)
      let reply = await session.asUser(user) { await server.orders(openOnly: openOnly, limit: limit, as: $0) }
      switch reply {
      case .answered(let page):
        missing = await apply(page, to: missing)
        if page.next == nil, !openOnly {
          // These are all orders of the user: the server does not know the others.
          for record in missing { log.write(.warning, "client.order.unlisted", with: record.logFields) }
          return true
        }
      case .unknown, .noCredential: return false
      // A gateway of the team's own may not pass this call on.
      case .refused: break
      }
    }
    var allAnswered = true
    for record in missing { allAnswered = await askAlone(record, user) && allAnswered }
    return allAnswered
  }

  /// - Returns: the records about which the page says nothing.
  nonisolated(nonsending) private func apply(_ page: OrderPage, to waiting: [OrderRecord]) async -> [OrderRecord] {
    var missing: [OrderRecord] = []
    for record in waiting {
      guard let body = page.orders.first(where: { $0.id == record.order?.id }) else {
        missing.append(record)
        continue
      }
      // A flow that works on the record has newer answers of its own.
      guard body.state != .awaitingPayment, claims.claim(record.id) else { continue }
      if let current = await records.order(record.id), current.waitsForPayment { await apply(body, to: current) }
      claims.release(record.id)
    }
    return missing
  }
}

extension OrderRecord {
  /// Whether its sheet was opened and no payment of it is decided: a list of the server shows more. About an order that
  /// is being paid in WeChat, the server asks WeChat Pay only when it is asked about that order.
  fileprivate var waitsForPayment: Bool {
    switch phase {
    case nil, .created, .owned: false
    case .paying where request.store == .weChatPay: false
    case .paying, .failedOnce, .deferred, .paid, .setAside: true
    }
  }
}
