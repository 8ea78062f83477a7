package import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives

/// Leases due deliveries within a transaction.
enum DeliveryLeasing {
  static func lease(
    in appEnvironment: AppEnvironment, upTo limit: Int, for span: TimeSpan, _ transaction: any DatabaseTransaction
  ) throws -> [Delivery] {
    try transaction.takeDeliveries(in: appEnvironment, limit: limit).map { due in
      var delivery = due
      delivery.lease = Lease(
        until: transaction.now + span, fence: (delivery.lease?.fence ?? 0) + 1)
      try transaction.update(delivery)
      return delivery
    }
  }

  /// Ends leases that would end within that span.
  static func endLeases(
    in appEnvironment: AppEnvironment, within span: TimeSpan, most: Int, _ transaction: any DatabaseTransaction
  ) throws {
    let now = transaction.now
    for var delivery in try transaction.dueDeliveries(at: now + span, in: appEnvironment, limit: most) {
      guard let lease = delivery.lease, lease.until > now else { continue }
      delivery.lease = Lease(until: now, fence: lease.fence)
      try transaction.update(delivery)
    }
  }
}

extension PaymentEngine {
  /// Gives deliveries to a backend that pulls; a delivery not acknowledged by the end of its lease is given again.
  package func claimDeliveries(
    in appEnvironment: AppEnvironment, upTo limit: Int, for span: TimeSpan
  ) async throws -> [Delivery] {
    try await transact { transaction in
      try DeliveryLeasing.lease(in: appEnvironment, upTo: limit, for: span, transaction)
    }
  }

  /// Marks a delivery as received by the backend, in whichever way; a repetition changes nothing.
  ///
  /// - Parameter app: the app that the delivery must belong to; nil for our own worker.
  package func acknowledge(
    _ id: DeliveryIdentifier, in app: AppIdentifier?
  ) async throws -> Delivery {
    let (delivery, isNew) = try await transact { transaction in
      guard var delivery = try transaction.delivery(id), app == nil || delivery.payment.app == app
      else { throw CodedError<EngineErrorCode>(.deliveryUnknown) }
      if case .acknowledged = delivery.state { return (delivery, false) }
      delivery.state = .acknowledged(at: transaction.now)
      delivery.attempts += 1
      delivery.lastProblem = nil
      try transaction.update(delivery)
      return (delivery, true)
    }
    if isNew {
      metrics.time(
        .grantToAcknowledgedSeconds,
        [
          ("app", delivery.payment.app.text), ("environment", delivery.payment.environment.rawValue),
        ], milliseconds: (now - delivery.createdAt).milliseconds)
    }
    await deliverySignal.signal(for: delivery.payment.appEnvironment)
    return delivery
  }

  /// Records a failed attempt and plans the next; after 30 days the delivery is parked, never dropped.
  func noteFailure(
    _ result: AttemptResult, of attempted: Delivery, at endpoint: String, since started: Timestamp
  ) async throws {
    let limits = limits
    let span = max(0, (dependencies.now() - started).milliseconds)
    let chance = dependencies.randomNumber(below: 1 << 32)
    let isParked = try await transact { transaction in
      guard var delivery = try transaction.delivery(attempted.id), delivery.state == .pending,
        delivery.lease?.fence == attempted.lease?.fence
      else { return false }
      let now = transaction.now
      delivery.attempts += 1
      delivery.lastProblem = result.problem
      delivery.lease = delivery.lease.map { Lease(until: now, fence: $0.fence) }
      let delay = limits.deliveryDelay(after: delivery.attempts, chance: chance)
      delivery.nextAttemptAt = max(now + delay, result.notBefore ?? now)
      if delivery.nextAttemptAt > delivery.createdAt + limits.deliveryLifetime {
        delivery.state = .parked(at: now)
        try transaction.insert(
          JournalEntry(
            .deliveryParked, in: delivery.payment.appEnvironment, at: now, order: delivery.order,
            payment: delivery.payment, details: "{}"))
      }
      try transaction.update(delivery)
      var attempt = DeliveryAttempt(
        delivery.id, of: delivery.payment, number: delivery.attempts, at: started, endpoint: endpoint,
        milliseconds: span)
      (attempt.status, attempt.problem, attempt.answer) = (result.status, result.problem, result.answer)
      try transaction.insert(attempt)
      return delivery.state != .pending
    }
    if isParked {
      metrics.count(.deliveriesParkedTotal)
      log(LogEvent(.error, "delivery.parked", [("delivery", attempted.id.text)]))
    }
  }

  /// Sends a parked or pending delivery again at once; an acknowledged one stays acknowledged.
  package func redrive(
    _ id: DeliveryIdentifier, in app: AppIdentifier?, by operatorName: String
  ) async throws -> Delivery {
    let delivery = try await transact { transaction in
      guard var delivery = try transaction.delivery(id), app == nil || delivery.payment.app == app
      else { throw CodedError<EngineErrorCode>(.deliveryUnknown) }
      if case .acknowledged = delivery.state { return delivery }
      delivery.state = .pending
      delivery.nextAttemptAt = transaction.now
      try transaction.update(delivery)
      try transaction.insert(
        JournalEntry(
          .deliveryRedriven, in: delivery.payment.appEnvironment, at: transaction.now,
          order: delivery.order, payment: delivery.payment,
          details: Self.byOperator(operatorName, reason: nil)))
      return delivery
    }
    await deliverySignal.signal(for: delivery.payment.appEnvironment)
    return delivery
  }

  /// A page of deliveries. None is missing that a later page could not have: whoever goes on after the last one of a
  /// page gets them all.
  package func listDeliveries(_ query: DeliveryQuery) async throws -> [Delivery] {
    guard let ends = try await settledRows() else { throw CodedError<EngineErrorCode>(.storeUnavailable) }
    var query = query
    query.upTo = ends.deliveries
    let settled = query
    return try await read { try $0.deliveries(settled) }
  }
}
