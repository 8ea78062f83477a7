import Cryptography
package import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives

extension PaymentEngine {
  /// Processes an update in one database transaction: stores the evidence, finds the payment's owner, and grants it
  /// exactly once.
  ///
  /// Any number of sources may bring the same update at the same time; the database lets one of them write.
  package func fulfil(_ update: PaymentUpdate, for app: AppPolicy) async throws -> FulfilmentResult {
    try await fulfil(update.facts.key, keeping: nil, from: update.origin, for: app) { _ in update }.result
  }

  /// The same for an update that is complete only with data of the database, in one commit with its notification.
  ///
  /// If it cannot be fulfilled, the notification is not lost: it is then stored alone.
  /// - Parameters:
  ///   - origin: who brought the update, for its trace.
  ///   - update: makes the update again in each run of the transaction.
  /// - Returns: the resulting payment, and whether the notification was new.
  package func fulfil(
    _ key: PaymentKey, keeping received: ReceivedNotification?, passingOn forward: NotificationForward? = nil,
    from origin: Evidence.Origin, for app: AppPolicy,
    _ update: @escaping @Sendable (any DatabaseReader) throws -> PaymentUpdate
  ) async throws -> (result: FulfilmentResult, isNew: Bool) {
    let context = FulfilmentContext(app: app, derivedOrder: derivedOrder(for: key))
    let step = traces.begin("Fulfil")
    do {
      let (result, isNew) = try await transactMoney { transaction in
        let isNew = try received.map { try Self.keep($0, passingOn: forward, in: transaction) } ?? false
        let fulfilment = try FulfilmentTransaction(transaction, context, update: update(transaction))
        let result = try fulfilment.run()
        if isNew { try fulfilment.tellDeclinedRefund(result.payment) }
        return (result, isNew)
      }
      if let step { note(step, result, from: origin) }
      await announce(result, app)
      return (result, isNew)
    } catch {
      var isNew = false
      if let received { isNew = try await keep(received, passingOn: forward) }
      if let step { noteFailure(step, from: origin) }
      guard let broken = error as? InvariantBroken else { throw error }
      return (try await freeze(context, broken, update), isNew)
    }
  }

  private func note(_ step: Span, _ result: FulfilmentResult, from origin: Evidence.Origin) {
    let payment = result.payment
    var step = step
    step.order = payment.order
    traces.learn(payment.order)
    step.note("counterfoil.path", origin.rawValue)
    step.note("counterfoil.app", payment.key.app.text)
    step.note("counterfoil.store", payment.key.store.rawValue)
    step.note("counterfoil.environment", payment.key.environment.rawValue)
    step.note("counterfoil.state", payment.state.name)
    if let rule = payment.match?.rule { step.note("counterfoil.rule", rule.rawValue) }
    step.note("counterfoil.changed", result.changed)
    step.note("counterfoil.newly_granted", result.isNewlyGranted)
    traces.end(step)
  }

  private func noteFailure(_ step: Span, from origin: Evidence.Origin) {
    var step = step
    step.note("counterfoil.path", origin.rawValue)
    step.isFailed = true
    traces.end(step)
  }

  /// The id of a derived order, made from the payment, so a restored backup or a second node makes the same.
  package func derivedOrder(for payment: PaymentKey) -> OrderIdentifier {
    OrderIdentifier(
      version8From: HMACSHA256.code(
        for: StableBytes.of("derived-order", payment), key: secret))
  }

  /// Freezes the order after a violated invariant, and raises an alarm. The payment and the change are stored.
  private func freeze(
    _ context: FulfilmentContext, _ broken: InvariantBroken,
    _ update: @escaping @Sendable (any DatabaseReader) throws -> PaymentUpdate
  ) async throws -> FulfilmentResult {
    count(stopped: broken)
    return try await transact { transaction in
      try FulfilmentTransaction(transaction, context, update: update(transaction)).keepStopped(because: broken)
    }
  }
}
