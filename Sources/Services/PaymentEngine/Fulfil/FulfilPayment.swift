import Cryptography
package import PaymentModel
package import PaymentDatabase
package import PaymentPrimitives

package struct FulfilmentResult: Hashable, Sendable {
  package var payment: Payment
  /// Whether this call stored it first.
  package var firstSeen: Bool
  /// Whether an order, owner, grant or state changed.
  package var changed: Bool
  /// The requested transaction id, if it is a duplicate of the payment.
  package var duplicate: PaymentKey?
  /// Orders that were closed because the user already owns the product.
  package var closedOrders: [OrderIdentifier] = []
  /// Whether the update is for another id of a payment granted before, and its token names another order.
  package var repeatsForAnotherOrder = false
  /// Whether part of the grant was taken back and nothing of it is left.
  package var nothingIsLeft = false
  /// The order that it pays, if the presenter is its owner.
  package var order: Order?
  /// The user who has its entitlement now, if a restore moved it.
  package var beneficiary: UserIdentifier?
  /// Whether the presenter shares the entitlement of its owner.
  package var isShared = false
  /// Whether the update contradicts earlier statements about a granted charge.
  package var isContradicted = false
}

extension FulfilmentResult {
  /// A payment in its present state, without an update, and the order if it belongs to the user.
  package init(known payment: Payment, to user: UserIdentifier?, _ reader: any DatabaseReader) throws {
    self.init(payment: payment, firstSeen: false, changed: false, duplicate: nil)
    nothingIsLeft = try FulfilmentTransaction.nothingIsLeft(of: payment, reader)
    order = try FulfilmentTransaction.order(paidBy: payment, of: user, reader)
  }
}

extension PaymentEngine {
  /// Processes an update in one database transaction: stores the evidence, finds the payment's owner, and grants it
  /// exactly once.
  ///
  /// Any number of sources may bring the same update at the same time; the database lets one of them write.
  package func fulfil(_ update: PaymentUpdate, for app: AppPolicy) async throws -> FulfilmentResult {
    try await fulfil(update.facts.key, keeping: nil, for: app) { _ in update }.result
  }

  /// The same for an update that is complete only with data of the database, in one commit with its notification.
  ///
  /// If it cannot be fulfilled, the notification is not lost: it is then stored alone.
  /// - Parameter news: makes the update again in each run of the transaction.
  /// - Returns: the resulting payment, and whether the notification was new.
  package func fulfil(
    _ key: PaymentKey, keeping received: ReceivedNotification?, passingOn forward: NotificationForward? = nil,
    for app: AppPolicy,
    _ update: @escaping @Sendable (any DatabaseReader) throws -> PaymentUpdate
  ) async throws -> (result: FulfilmentResult, isNew: Bool) {
    let context = FulfilmentContext(app: app, derivedOrder: derivedOrder(for: key))
    do {
      let (result, isNew) = try await transactMoney { transaction in
        let isNew = try received.map { try Self.keep($0, passingOn: forward, in: transaction) } ?? false
        return (try FulfilmentTransaction(transaction, context, update(transaction)).run(), isNew)
      }
      await announce(result, app)
      return (result, isNew)
    } catch {
      var isNew = false
      if let received { isNew = try await keep(received, passingOn: forward) }
      guard let broken = error as? InvariantBroken else { throw error }
      return (try await freeze(context, broken, update), isNew)
    }
  }

  /// The id of a derived order, made from the payment, so a restored backup or a second node makes the same.
  package func derivedOrder(for payment: PaymentKey) -> OrderIdentifier {
    OrderIdentifier(
      version8From: HMACSHA256.code(
        for: StableBytes.of("derived-order", payment), key: secret))
  }

  package func announce(_ result: FulfilmentResult, _ app: AppPolicy) async {
    for order in result.closedOrders { await orderSignal.signal(for: order) }
    guard result.changed else { return }
    let payment = result.payment
    metrics.count(
      "counterfoil_payments_total",
      [
        ("store", payment.key.store.rawValue), ("environment", payment.key.environment.rawValue),
        ("state", payment.state.name), ("rule", payment.match?.rule.rawValue ?? "none"),
      ])
    countObserved(payment, app)
    log(
      LogEvent(
        .info, "payment.\(payment.state.name)",
        [
          ("app", app.id.text), ("transaction", payment.key.transaction.text),
          ("environment", payment.key.environment.rawValue),
          ("order", payment.order?.description ?? "none"),
          ("rule", payment.match?.rule.rawValue ?? "none"),
        ]))
    if let order = payment.order { await orderSignal.signal(for: order) }
    await deliverySignal.signal(for: payment.key.appEnvironment)
  }

  /// Freezes the order after a violated invariant, and raises an alarm. The payment and the change are stored.
  private func freeze(
    _ context: FulfilmentContext, _ broken: InvariantBroken,
    _ update: @escaping @Sendable (any DatabaseReader) throws -> PaymentUpdate
  ) async throws -> FulfilmentResult {
    count(stopped: broken)
    return try await transact { transaction in
      try FulfilmentTransaction(transaction, context, update(transaction)).keepStopped(because: broken)
    }
  }
}

/// What fulfilment needs beside the update. It is passed by reference: settings are large, and a copy costs more than
/// many database rows.
package final class FulfilmentContext: Sendable {
  let app: AppPolicy
  let derivedOrder: OrderIdentifier

  package init(app: AppPolicy, derivedOrder: OrderIdentifier) {
    self.app = app
    self.derivedOrder = derivedOrder
  }
}
