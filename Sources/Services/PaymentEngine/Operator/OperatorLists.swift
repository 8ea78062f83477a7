package import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives

/// Which orders or payments an operator lists. The time is that of an order's creation, or of a purchase.
package struct ListFilter: Hashable, Sendable {
  package var store: Store?
  /// The name of a state.
  package var state: String?
  /// Our product's id, for orders; the store's, for payments.
  package var product: String?
  package var user: UserIdentifier?
  package var from: Timestamp?
  /// Excluded.
  package var to: Timestamp?

  package init() {}

  func allows(_ order: Order) -> Bool {
    (store.map { order.store == $0 } ?? true) && (state.map { order.state.name == $0 } ?? true)
      && (product.map { $0 == order.product.id.text } ?? true) && (from.map { $0 <= order.createdAt } ?? true)
  }

  func allows(_ payment: Payment) -> Bool {
    (store.map { payment.key.store == $0 } ?? true) && (state.map { payment.state.name == $0 } ?? true)
      && (product.map { $0 == payment.facts.storeProduct.text } ?? true)
      && (user.map { payment.owner == $0 } ?? true) && (from.map { $0 <= payment.facts.purchaseDate } ?? true)
      && (to.map { payment.facts.purchaseDate < $0 } ?? true)
  }
}

extension OrderState {
  /// The name of the state, without its details.
  package var name: String {
    switch self {
    case .awaitingPayment: "awaitingPayment"
    case .paid: "paid"
    case .closed: "closed"
    }
  }

  /// The names of all states.
  package static let names = ["awaitingPayment", "paid", "closed"]
}

/// A page of a list. If it has a next position, there may be more, even if the page is short or empty.
package struct ListPage<Item: Sendable, Position: Sendable>: Sendable {
  package let items: [Item]
  package let next: Position?
}

extension PaymentEngine {
  /// The most rows of a page that an operator lists.
  package static let listedMax = 500
  /// The most rows that are read for a page: a filter that few rows pass ends here, and the next page goes on.
  package static let readForPageMax = 2_000

  /// Orders, the newest first.
  ///
  /// - Parameter last: the position of the last order that was read for the page before.
  package func listOrders(
    _ filter: ListFilter, in appEnvironment: AppEnvironment, after last: OrderPosition?, limit: Int
  ) async throws -> ListPage<OrderDetails, OrderPosition> {
    let first = filter.to.map { OrderPosition(createdAt: $0, id: OrderIdentifier(high: 0, low: 0)) }
    return try await read { reader in
      let page: ListPage<Order, OrderPosition> = try Self.page(
        after: [last, first].compactMap(\.self).min(), limit: limit
      ) { before, count in
        var query = OrderQuery(appEnvironment: appEnvironment, limit: count)
        query.user = filter.user
        query.before = before
        return try reader.orders(query).map { (item: $0, position: $0.position) }
      } isEnd: {
        $0.createdAt < filter.from ?? $0.createdAt
      } allows: {
        filter.allows($0)
      }
      return ListPage(items: try page.items.map { try OrderDetails($0, in: reader) }, next: page.next)
    }
  }

  /// Payments, the newest purchase first.
  package func listPayments(
    _ filter: ListFilter, in appEnvironment: AppEnvironment, after last: PaymentPosition?, limit: Int
  ) async throws -> ListPage<Payment, PaymentPosition> {
    let kinds = [false, true].filter { isCharge in filter.store.map { $0.opensOrders == isCharge } ?? true }
    return try await read { reader in
      try Self.page(after: last, limit: limit) { before, count in
        let found = try kinds.flatMap { isCharge in
          var query = PaymentQuery(appEnvironment: appEnvironment, charges: isCharge, limit: count)
          query.before = before
          if let to = filter.to { query.boughtUntil = to }
          return try reader.payments(query).map { (item: $0, position: PaymentPosition(of: $0)) }
        }
        return Array(found.sorted { $0.position > $1.position }.prefix(count))
      } isEnd: {
        $0.facts.purchaseDate < filter.from ?? $0.facts.purchaseDate
      } allows: {
        filter.allows($0)
      }
    }
  }

  /// Refunds at WeChat Pay, the oldest first.
  package func listRefunds(
    from: Timestamp, to: Timestamp, state: String?, in appEnvironment: AppEnvironment,
    after last: (date: Timestamp, number: String)?, limit: Int
  ) async throws -> ListPage<Refund, (date: Timestamp, number: String)> {
    try await read { reader in
      try Self.page(after: last, limit: limit) { after, count in
        try reader.refunds(madeIn: from..<max(from, to), after: after, in: appEnvironment, limit: count).map {
          (item: $0, position: (date: $0.createdAt, number: $0.number))
        }
      } isEnd: { _ in
        false
      } allows: {
        state == nil || $0.state.name == state
      }
    }
  }

  /// Notifications of the stores, the newest first.
  package func listNotifications(_ query: NotificationQuery) async throws -> NotificationPage {
    try await read { try $0.notifications(query) }
  }

  /// Subscriptions that the store is asked about again, the next one first. One that has ended for good is found by a
  /// search.
  package func listSubscriptions(
    in appEnvironment: AppEnvironment, after last: (askAt: Timestamp, key: PaymentKey)?, limit: Int
  ) async throws -> ListPage<Subscription, (askAt: Timestamp, key: PaymentKey)> {
    let found = try await read { try $0.subscriptions(after: last, in: appEnvironment, limit: limit) }
    let end = found.last.flatMap { found in found.askAt.map { (askAt: $0, key: found.key) } }
    return ListPage(items: found, next: found.count < limit ? nil : end)
  }

  /// Reads rows until a page is full, the list ends, or enough was read.
  private static func page<Item, Position>(
    after start: Position?, limit: Int, read: (Position?, Int) throws -> [(item: Item, position: Position)],
    isEnd: (Item) -> Bool, allows: (Item) -> Bool
  ) throws -> ListPage<Item, Position> {
    var (items, position, count) = ([Item](), start, 0)
    while count < readForPageMax {
      // Without a filter, the first rows are the page.
      let asked = count == 0 ? limit : min(listedMax, readForPageMax - count)
      let rows = try read(position, asked)
      for row in rows {
        guard !isEnd(row.item) else { return ListPage(items: items, next: nil) }
        position = row.position
        if allows(row.item) { items.append(row.item) }
        guard items.count < limit else { return ListPage(items: items, next: position) }
      }
      guard rows.count == asked else { return ListPage(items: items, next: nil) }
      count += rows.count
    }
    return ListPage(items: items, next: position)
  }
}

/// All that is known here of a subscription, as an operator sees it.
package struct SubscriptionStory: Hashable, Sendable {
  package let subscription: Subscription
  /// Its newest transactions, the newest first.
  package let payments: [Payment]
  /// Further ids of its payments.
  package let duplicates: [PaymentKey]
  package let hasMorePayments: Bool
}

extension PaymentEngine {
  /// - Throws: `paymentUnknown`.
  package func tellSubscription(
    _ original: TransactionIdentifier, in appEnvironments: [AppEnvironment]
  ) async throws -> SubscriptionStory {
    try await read { reader in
      for appEnvironment in appEnvironments {
        let key = PaymentKey(
          app: appEnvironment.app, store: .appStore, environment: appEnvironment.environment, transaction: original)
        guard let subscription = try reader.subscription(key) else { continue }
        let payments = try reader.payments(ofOriginal: key)
        return SubscriptionStory(
          subscription: subscription, payments: payments.suffix(Self.paymentsOfUserMax).reversed(),
          duplicates: try reader.duplicates(ofOriginal: key).prefix(Self.listedMax).map(\.key),
          hasMorePayments: payments.count > Self.paymentsOfUserMax)
      }
      throw CodedError<EngineErrorCode>(.paymentUnknown, "No subscription has that original transaction id.")
    }
  }

  /// The comparisons with a store's bills of some days, the newest day first.
  package func listReconciliations(
    from first: String, to last: String, at store: Store, in appEnvironment: AppEnvironment
  ) async throws -> [ReconciliationRecord] {
    try await read {
      try $0.reconciliations(from: first, to: last, at: store, in: appEnvironment, limit: Self.listedMax)
    }
  }

  /// - Throws: `dayNotCompared`.
  package func readReconciliation(
    of day: String, at store: Store, in appEnvironment: AppEnvironment
  ) async throws -> ReconciliationRecord {
    guard let found = try await read({ try $0.reconciliation(of: day, at: store, in: appEnvironment) }) else {
      throw CodedError<EngineErrorCode>(.dayNotCompared)
    }
    return found
  }

  /// The failed attempts of a delivery, the first one first.
  package func attempts(of delivery: Delivery) async throws -> [DeliveryAttempt] {
    try await read { try $0.attempts(of: delivery.id, about: delivery.payment) }
  }
}
