package import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives
package import StrictJSON

/// An order with its payment, refunds and deliveries, as an answer shows it.
package struct OrderDetails: Hashable, Sendable {
  package let order: Order
  /// The deliveries of its payment, in order.
  package let deliveries: [Delivery]
  /// The payment that paid it; nil while unpaid.
  package let payment: Payment?
  /// Its refunds, done or in progress, oldest first.
  package let refunds: [OrderRefund]

  /// What the client needs to let the payer pay at the store, as the answer shows it; nil if that is not possible now.
  package var handOff: JSONValue?

  /// A new order without payment and deliveries.
  init(new order: Order) {
    self.order = order
    self.deliveries = []
    self.payment = nil
    self.refunds = []
  }

  /// An order with what belongs to it, from one read; its refunds are read besides.
  init(_ found: OrderWithPayment, in reader: any DatabaseReader) throws {
    order = found.order
    payment = found.payment
    deliveries = found.deliveries
    refunds = try found.payment.map { try OrderRefund.all(of: $0, in: reader) } ?? []
  }

  /// An order that was found otherwise, with the same as `DatabaseReader.orderWithPayment` gives.
  init(_ order: Order, in reader: any DatabaseReader) throws {
    let key = order.state.payment
    try self.init(
      OrderWithPayment(
        order, payment: try key.flatMap { try reader.payment($0) },
        deliveries: try key.map { try reader.deliveries(of: $0).filter { $0.order == order.key.id } } ?? []),
      in: reader)
  }

  /// When the backend acknowledged the grant; later deliveries of refunds do not change it.
  package var deliveredAt: Timestamp? {
    for delivery in deliveries where delivery.kind == .created {
      if case .acknowledged(let moment) = delivery.state { return moment }
    }
    return nil
  }

  /// Whether every delivery of it has been acknowledged, and there is one.
  package var isDelivered: Bool {
    !deliveries.isEmpty
      && deliveries.allSatisfy {
        if case .acknowledged = $0.state { true } else { false }
      }
  }
}

/// The goal of a waiting read.
package enum WaitGoal: String, CaseIterable, Sendable {
  case paid
  /// Until the backend has acknowledged its deliveries.
  case delivered
}

/// A wait for an order.
private struct OrderWait: Sendable {
  let name: OrderName
  let appEnvironments: [AppEnvironment]
  let user: UserIdentifier?
  let goal: WaitGoal
  let deadline: Timestamp

  enum End: Sendable {
    case ended(OrderDetails)
    /// The order is unpaid, and its store must be asked.
    case asksStore(about: Order, any StoreIntegration)
  }

  /// What an answer depends on, as far as the name tells; a first read tells the rest.
  var keys: Set<LockKey> {
    guard let id = name.identifier else { return [] }
    return Set(appEnvironments.map { .order(OrderKey(appEnvironment: $0, id: id)) })
  }
}

extension PaymentEngine {
  /// Reads one order; a user sees only their own, and learns nothing about others.
  ///
  /// - Parameter appEnvironments: the app environments to search, first to last: a sandbox counterpart is found before
  ///   its order.
  package func readOrder(
    _ name: OrderName, in appEnvironments: [AppEnvironment], of user: UserIdentifier?
  ) async throws -> OrderDetails {
    let details = try await readBriefly { try Self.details(of: name, in: appEnvironments, of: user, $0) }
    traces.learn(details.order.key.id)
    return details
  }

  static func details(
    of name: OrderName, in appEnvironments: [AppEnvironment], of user: UserIdentifier?, _ reader: any DatabaseReader
  ) throws -> OrderDetails {
    if let id = name.identifier, let app = appEnvironments.first?.app {
      let environments = appEnvironments.map(\.environment)
      let found = try reader.orderWithPayment(id, of: app, in: environments, user: user)
      if let found { return try OrderDetails(found, in: reader) }
    }
    if let user, let home = appEnvironments.last, case let present = try reader.present(user, in: home), present != user
    {
      return try details(of: name, in: appEnvironments, of: present, reader)
    }
    // An id was not found in any of them, so only the app's own numbers are left.
    guard let text = name.referenceText else { throw CodedError<EngineErrorCode>(.orderUnknown) }
    for appEnvironment in appEnvironments {
      if let order = try find(.reference(text), in: appEnvironment, of: user, reader) {
        return try OrderDetails(order, in: reader)
      }
    }
    throw CodedError<EngineErrorCode>(.orderUnknown)
  }

  package static func find(
    _ name: OrderName, in appEnvironment: AppEnvironment, of user: UserIdentifier?, _ reader: any DatabaseReader
  ) throws -> Order? {
    func isVisible(_ order: Order) throws -> Bool {
      try user.map { try $0 == order.user || reader.present($0, in: appEnvironment) == order.user } ?? true
    }
    if let id = name.identifier, let order = try reader.order(OrderKey(appEnvironment: appEnvironment, id: id)),
      try isVisible(order)
    {
      return order
    }
    guard let text = name.referenceText else { return nil }
    for known in try user.map({ [$0, try reader.present($0, in: appEnvironment)] }) ?? [] {
      if let own = try reader.order(referenceFromApp: text, of: known, in: appEnvironment) { return own }
    }
    guard let order = try reader.order(referenceFromBackend: text, in: appEnvironment), try isVisible(order) else {
      return nil
    }
    return order
  }

  /// Reads one order when the goal is reached, at the latest after `span`.
  package func readOrder(
    _ name: OrderName, in appEnvironments: [AppEnvironment], of user: UserIdentifier?, waiting span: TimeSpan,
    until goal: WaitGoal
  ) async throws -> OrderDetails {
    guard span > .zero else { return try await readOrder(name, in: appEnvironments, of: user) }
    let wait = OrderWait(
      name: name, appEnvironments: appEnvironments, user: user, goal: goal, deadline: dependencies.now() + span)
    switch try await look(wait, untilStoreOpensOrder: true) {
    case .ended(let details): return details
    case .asksStore(let order, let store):
      // The store is asked meanwhile, because no other source is reliable.
      return try await withThrowingTaskGroup(of: OrderDetails?.self) { group in
        group.addTask {
          await store.askWhileWaiting(for: order, in: self)
          return nil
        }
        group.addTask {
          guard case .ended(let details) = try await look(wait, untilStoreOpensOrder: false) else { return nil }
          return details
        }
        while let ended = try await group.next() {
          guard let ended else { continue }
          group.cancelAll()
          return ended
        }
        throw CodedError<EngineErrorCode>(.orderUnknown)
      }
    }
  }

  /// Reads the order until the goal is reached or the time is over, after each commit that its answer depends on.
  ///
  /// It listens before it reads: what was committed before is read, what is committed later is signalled. A recheck
  /// remains for what another process writes (record 172).
  ///
  /// - Parameter untilStoreOpensOrder: whether to return early for an unpaid order whose store must be asked.
  private func look(_ wait: OrderWait, untilStoreOpensOrder: Bool) async throws -> OrderWait.End {
    var keys = wait.keys
    while true {
      // A stream ends for good when a wait for it is cancelled, so each round needs a new listener.
      let listener = commits.listen(for: keys)
      defer { commits.stop(listener.number) }
      let (details, read) = try await detailsWithKeys(wait)
      traces.learn(details.order.key.id)
      let rest = wait.deadline - dependencies.now()
      guard !Self.reached(wait.goal, details), rest > .zero else { return .ended(details) }
      if untilStoreOpensOrder, details.order.store.opensOrders, let store = integration(of: details.order.store) {
        return .asksStore(about: details.order, store)
      }
      // The answer depends on more than was listened for: listen for that, too, and read again.
      guard read.isSubset(of: keys) else {
        keys.formUnion(read)
        continue
      }
      try await sleep(min(limits.waitRecheck, rest), orUntil: listener.signals)
    }
  }

  /// An order with the keys of everything that its answer was read from.
  private func detailsWithKeys(_ wait: OrderWait) async throws -> (OrderDetails, Set<LockKey>) {
    let now = dependencies.now()
    return try await readBriefly { reader in
      let recording = RecordingTransaction(planningOver: reader, now: now)
      let details = try Self.details(of: wait.name, in: wait.appEnvironments, of: wait.user, recording)
      return (details, Set(recording.readKeys.all))
    }
  }

  private static func reached(_ goal: WaitGoal, _ details: OrderDetails) -> Bool {
    switch goal {
    case .paid: details.order.state.payment != nil
    case .delivered: details.isDelivered
    }
  }

  /// Sleeps for a span, or until the stream yields; the stream cannot be used afterwards.
  package func sleep(_ span: TimeSpan, orUntil signals: AsyncStream<Void>) async throws {
    let dependencies = dependencies
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await dependencies.sleep(span) }
      group.addTask {
        for await _ in signals { return }
      }
      try await group.next()
      group.cancelAll()
      // The other task ends by its cancellation.
      while let result = await group.nextResult() { _ = result }
    }
  }

  /// A page of orders, newest first, by (creation, id).
  package func listOrders(_ query: OrderQuery) async throws -> OrderListing {
    try await listOrders(query, counterpartsIn: [])
  }

  /// A page of orders of an app environment together with those of other environments. If one of these has the
  /// counterpart of an order, the counterpart replaces it. Both have the same creation time.
  ///
  /// - Parameters:
  ///   - appEnvironments: the app environments of the counterparts; the first that has one decides.
  ///   - last: the last order of the page before.
  /// - Throws: `orderUnknown` if the query may not show that order.
  package func listOrders(
    _ query: OrderQuery, counterpartsIn appEnvironments: [AppEnvironment], after last: OrderIdentifier? = nil
  ) async throws -> OrderListing {
    try await read { reader in
      var query = query
      query.user = try query.user.map { try reader.present($0, in: query.appEnvironment) }
      if let last {
        let named = try (appEnvironments + [query.appEnvironment]).lazy.compactMap { appEnvironment in
          try Self.find(.id(last), in: appEnvironment, of: query.user, reader)
        }.first
        guard let named else { throw CodedError<EngineErrorCode>(.orderUnknown) }
        query.before = named.position
      }
      var byIdentifier: [OrderIdentifier: Order] = [:]
      for appEnvironment in appEnvironments + [query.appEnvironment] {
        var asked = query
        asked.appEnvironment = appEnvironment
        for order in try reader.orders(asked) where byIdentifier[order.key.id] == nil {
          byIdentifier[order.key.id] = order
        }
      }
      let page = byIdentifier.values.sorted { $0.position > $1.position }.prefix(max(0, query.limit))
      let shown = try page.compactMap { order in
        guard order.key.appEnvironment == query.appEnvironment else { return order }
        guard let counterpart = try Self.counterpart(of: order, in: appEnvironments, reader) else { return order }
        return query.openOnly && counterpart.state != .awaitingPayment ? nil : counterpart
      }
      return OrderListing(
        orders: try shown.map { try OrderDetails($0, in: reader) },
        next: page.count < query.limit ? nil : page.last?.key.id)
    }
  }

  private static func counterpart(of order: Order, in appEnvironments: [AppEnvironment], _ reader: any DatabaseReader)
    throws -> Order?
  {
    for appEnvironment in appEnvironments {
      if let counterpart = try reader.order(OrderKey(appEnvironment: appEnvironment, id: order.key.id)) {
        return counterpart
      }
    }
    return nil
  }
}

/// A page of orders.
package struct OrderListing: Hashable, Sendable {
  /// The orders, newest first.
  package let orders: [OrderDetails]
  /// The last order of this page, after which the next page begins; nil on the last one.
  package let next: OrderIdentifier?
}
