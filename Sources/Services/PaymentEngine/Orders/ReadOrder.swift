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

  /// An order with its deliveries, read from the database.
  init(_ order: Order, in reader: any DatabaseReader) throws {
    self.order = order
    // Deliveries of the same time are ordered by their payment's sequence.
    self.deliveries =
      order.state.payment == nil
      ? [] : try reader.deliveries(of: order.key).sorted { ($0.createdAt, $0.sequence) < ($1.createdAt, $1.sequence) }
    self.payment = try order.state.payment.flatMap { try reader.payment($0) }
    self.refunds = try payment.map { try OrderRefund.all(of: $0, in: reader) } ?? []
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

extension PaymentEngine {
  /// Reads one order; a user sees only their own, and learns nothing about others.
  ///
  /// - Parameter appEnvironments: the app environments to search, first to last: a sandbox counterpart is found before
  ///   its order.
  package func readOrder(
    _ name: OrderName, in appEnvironments: [AppEnvironment], of user: UserIdentifier?
  ) async throws -> OrderDetails {
    try await read { reader in
      for appEnvironment in appEnvironments {
        if let order = try Self.find(name, in: appEnvironment, of: user, reader) {
          return try OrderDetails(order, in: reader)
        }
      }
      throw CodedError<EngineErrorCode>(.orderUnknown)
    }
  }

  package static func find(
    _ name: OrderName, in appEnvironment: AppEnvironment, of user: UserIdentifier?, _ reader: any DatabaseReader
  ) throws -> Order? {
    func isVisible(_ order: Order) -> Bool { user == nil || order.user == user }
    if let id = name.identifier, let order = try reader.order(OrderKey(appEnvironment: appEnvironment, id: id)),
      isVisible(order)
    {
      return order
    }
    guard let text = name.referenceText else { return nil }
    if let user, let own = try reader.order(referenceFromApp: text, of: user, in: appEnvironment) { return own }
    guard let order = try reader.order(referenceFromBackend: text, in: appEnvironment), isVisible(order) else {
      return nil
    }
    return order
  }

  /// Reads one order when the goal is reached, at the latest after `span`.
  package func readOrder(
    _ name: OrderName, in appEnvironments: [AppEnvironment], of user: UserIdentifier?, waiting span: TimeSpan,
    until goal: WaitGoal
  ) async throws -> OrderDetails {
    let deadline = dependencies.now() + span
    let details = try await readOrder(name, in: appEnvironments, of: user)
    guard !Self.reached(goal, details), span > .zero else { return details }
    guard details.order.store.opensOrders, let store = integration(of: details.order.store) else {
      return try await reread(details, in: appEnvironments, of: user, until: goal, deadline)
    }
    // The store is asked meanwhile, because no other source is reliable.
    return try await withThrowingTaskGroup(of: OrderDetails?.self) { group in
      group.addTask {
        await store.askWhileWaiting(for: details.order, in: self)
        return nil
      }
      group.addTask { try await reread(details, in: appEnvironments, of: user, until: goal, deadline) }
      var answer = details
      while let ended = try await group.next() {
        guard let ended else { continue }
        answer = ended
        group.cancelAll()
      }
      return answer
    }
  }

  private func reread(
    _ first: OrderDetails, in appEnvironments: [AppEnvironment], of user: UserIdentifier?, until goal: WaitGoal,
    _ deadline: Timestamp
  ) async throws -> OrderDetails {
    let id = first.order.key.id
    var details = first
    while !Self.reached(goal, details), dependencies.now() < deadline {
      // A stream ends for good when a wait for it is cancelled, so each round needs a new listener.
      let listener = await orderSignal.listen(for: id)
      let outcome: Result<OrderDetails, any Error>
      do {
        outcome = .success(
          try await update(of: id, in: appEnvironments, of: user, until: goal, deadline, listener.signals))
      } catch {
        outcome = .failure(error)
      }
      await orderSignal.stop(listener.number, for: id)
      details = try outcome.get()
    }
    return details
  }

  /// The order after a signal or a timeout.
  private func update(
    of id: OrderIdentifier, in appEnvironments: [AppEnvironment], of user: UserIdentifier?, until goal: WaitGoal,
    _ deadline: Timestamp,
    _ signals: AsyncStream<Void>
  ) async throws -> OrderDetails {
    // Read again after the listener is registered: a commit in between would send no signal.
    let details = try await readOrder(.id(id), in: appEnvironments, of: user)
    guard !Self.reached(goal, details) else { return details }
    try await sleep(min(limits.waitRecheck, deadline - dependencies.now()), orUntil: signals)
    return try await readOrder(.id(id), in: appEnvironments, of: user)
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
