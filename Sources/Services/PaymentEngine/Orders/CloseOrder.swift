import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives

extension PaymentEngine {
  /// Closes an order that will not be paid. A paid one stays paid; a closed one still accepts a late payment.
  package func closeOrder(
    _ name: OrderName, in appEnvironment: AppEnvironment, of user: UserIdentifier?, because reason: CloseReason
  ) async throws -> OrderDetails {
    let app = apps[appEnvironment.app]
    let details = try await transact { transaction in
      guard var order = try Self.find(name, in: appEnvironment, of: user, transaction) else {
        throw CodedError<EngineErrorCode>(.orderUnknown)
      }
      if order.store.opensOrders, order.state == .awaitingPayment {
        // At the store first: the customer may be paying it.
        try Self.receive(.close(reason), for: order.key, of: app, in: transaction)
      } else {
        order = try Self.close(order, reason, of: app, at: transaction.now, in: transaction)
      }
      return try OrderDetails(order, in: transaction)
    }
    let key = details.order.key
    traces.learn(key.id)
    guard details.order.state == .awaitingPayment, let app,
      let store = integration(of: details.order.store)
    else {
      return details
    }
    await store.ask(about: key, for: app, in: self)
    await storeSignal.signal(for: store.store)
    return try await readOrder(.id(key.id), in: [appEnvironment], of: user)
  }

  /// Records that the customer waits for a parent's approval: the order then waits 30 days.
  package func noteApprovalPending(
    _ name: OrderName, in appEnvironment: AppEnvironment, of user: UserIdentifier?
  ) async throws -> OrderDetails {
    let lifetime = limits.approvalLifetime
    let details = try await transact { transaction in
      guard var order = try Self.find(name, in: appEnvironment, of: user, transaction) else {
        throw CodedError<EngineErrorCode>(.orderUnknown)
      }
      if order.state == .awaitingPayment, order.approvalPendingSince == nil {
        let now = transaction.now
        order.approvalPendingSince = now
        order.expiresAt = max(order.expiresAt, order.createdAt + lifetime)
        try transaction.update(order)
        try transaction.insert(
          JournalEntry(.orderApprovalPending, in: appEnvironment, at: now, order: order.key.id, payment: nil))
      }
      return try OrderDetails(order, in: transaction)
    }
    traces.learn(details.order.key.id)
    return details
  }

  /// Closes expired orders, until the task is cancelled.
  func expireOrders() async {
    await repeatUntilDone(loggingErrors: "orders.expiryFailed", pause: limits.expiryInterval) {
      if try await expireBatch() < limits.expiryBatch { try await dependencies.sleep(limits.expiryInterval) }
      return false
    }
  }

  private func expireBatch() async throws -> Int {
    guard !nodes.isDraining else { return 0 }
    let (limit, apps) = (limits.expiryBatch, apps)
    return try await transact { transaction in
      let overdue = try transaction.takeOrdersToExpire(limit: limit)
      for order in overdue {
        let app = apps[order.key.appEnvironment.app]
        try Self.close(order, .expired, of: app, at: transaction.now, in: transaction)
      }
      return overdue.count
    }
  }

  @discardableResult
  static func close(
    _ order: Order, _ reason: CloseReason, of app: AppPolicy?, at now: Timestamp,
    in transaction: any DatabaseTransaction
  ) throws -> Order {
    var order = order
    for action in try order.receive(.close(reason), at: now) {
      switch action {
      case .save: try transaction.update(order)
      case .journal(let event):
        let making = app.flatMap { EventMaking($0, at: now) }
        try transaction.journal(event, order.key, telling: making?.closed(order, reason))
      }
    }
    return order
  }
}
