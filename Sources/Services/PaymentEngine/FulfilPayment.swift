import AppStoreProtocol
import Cryptography
package import PaymentModel
import PaymentDatabase
package import PaymentPrimitives

/// An update of one verified store transaction, from any source.
package struct PaymentUpdate: Sendable {
  package var facts: VerifiedPayment
  package var evidence: String
  package var origin: Evidence.Origin
  /// Whether a client still holds the transaction unfinished.
  package var isHeldByClient: Bool
  /// WeChat Pay's statement about the payment, which is compared with what the order expects.
  package var charge: VerifiedCharge?
  /// The signed-in user who presents it, with the data of their device.
  package var claim: Claim?
  /// What the client sent beside the evidence, as JSON text: journalled, never trusted.
  package var saidBeside: String?
  /// The renewal info that the store signed beside it.
  package var renewal: VerifiedRenewal?
  /// Whether the evidence states all that the store knows of the transaction. A receipt does not, signed or decoded
  /// by Apple: it omits a partial refund, and often the token. It adds to the known facts and removes none.
  package var isWhole = true
  /// When the store signed that it undoes a refund (REFUND_REVERSED), if the update is that.
  package var refundReversedAt: Timestamp?
  /// Whether the evidence cannot show a token, and Apple did not answer.
  package var isTokenUnseen = false
  /// Whether Apple does not know the transaction.
  package var isUnknownToApple = false

  package struct Claim: Hashable, Sendable {
    package var user: UserIdentifier
    /// What the evidence shows about the device.
    package var proof: Presentation.DeviceProof
    /// Matching orders stored on the device; ids refer only to orders of this user.
    package var orders: [OrderName]
    /// The order seen together with the transaction in one run of the app.
    package var sameRun: OrderName?
    /// Whether the user asked to restore earlier purchases.
    package var isRestore = false

    package init(
      user: UserIdentifier, proof: Presentation.DeviceProof, orders: [OrderName],
      sameRun: OrderName?
    ) {
      self.user = user
      self.proof = proof
      self.orders = orders
      self.sameRun = sameRun
    }
  }

  package init(facts: VerifiedPayment, evidence: String, origin: Evidence.Origin) {
    self.facts = facts
    self.evidence = evidence
    self.origin = origin
    self.isHeldByClient = false
  }
}

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
  package var holder: UserIdentifier?
  /// Whether the presenter shares the entitlement of its owner.
  package var isShared = false
  /// Whether the update contradicts earlier statements about a granted charge.
  package var isContradicted = false
}

extension FulfilmentResult {
  /// A payment in its present state, without an update, and the order if it belongs to the user.
  init(known payment: Payment, to user: UserIdentifier?, _ store: any DatabaseReader) throws {
    self.init(payment: payment, firstSeen: false, changed: false, duplicate: nil)
    nothingIsLeft = try FulfilmentTransaction.nothingIsLeft(of: payment, store)
    order = try FulfilmentTransaction.order(paidBy: payment, of: user, store)
  }
}

extension PaymentEngine {
  /// Processes an update in one database transaction: stores the evidence, finds the payment's owner, and grants it
  /// exactly once.
  ///
  /// Any number of sources may bring the same update at the same time; the database lets one of them write.
  package func fulfil(_ news: PaymentUpdate, for app: AppSettings) async throws -> FulfilmentResult {
    try await fulfil(news.facts.key, keeping: nil, for: app) { _ in news }.result
  }

  /// The same for an update that is complete only with data of the database, in one commit with its notification.
  ///
  /// If it cannot be fulfilled, the notification is not lost: it is then stored alone.
  /// - Parameter news: makes the update again in each run of the transaction.
  /// - Returns: the resulting payment, and whether the notification was new.
  func fulfil(
    _ key: PaymentKey, keeping received: ReceivedNotification?, passingOn forward: NotificationForward? = nil,
    for app: AppSettings,
    _ news: @escaping @Sendable (any DatabaseReader) throws -> PaymentUpdate
  ) async throws -> (result: FulfilmentResult, isNew: Bool) {
    let context = FulfilmentContext(app: app, derivedOrder: derivedOrder(for: key))
    do {
      let (result, isNew) = try await transactMoney { transaction in
        let isNew = try received.map { try Self.keep($0, passingOn: forward, in: transaction) } ?? false
        return (try FulfilmentTransaction(transaction, context, news(transaction)).run(), isNew)
      }
      await announce(result, app)
      return (result, isNew)
    } catch {
      var isNew = false
      if let received { isNew = try await keep(received, passingOn: forward) }
      guard let broken = error as? InvariantBroken else { throw error }
      return (try await freeze(context, broken, news), isNew)
    }
  }

  /// The id of a derived order, made from the payment, so a restored backup or a second node makes the same.
  func derivedOrder(for payment: PaymentKey) -> OrderIdentifier {
    OrderIdentifier(
      version8From: HMACSHA256.code(
        for: StableBytes.of("derived-order", payment), key: secret))
  }

  func announce(_ result: FulfilmentResult, _ app: AppSettings) async {
    for order in result.closedOrders { await bell.ring(for: order) }
    guard result.changed else { return }
    let payment = result.payment
    metrics.count(
      "counterfoil_payments_total",
      [
        ("store", payment.key.store.rawValue), ("environment", payment.key.environment.rawValue),
        ("state", payment.state.word), ("rule", payment.match?.rule.rawValue ?? "none"),
      ])
    countObserved(payment, app)
    log(
      LogEvent(
        .info, "payment.\(payment.state.word)",
        [
          ("app", app.id.text), ("transaction", payment.key.transaction.text),
          ("environment", payment.key.environment.rawValue),
          ("order", payment.order?.description ?? "none"),
          ("rule", payment.match?.rule.rawValue ?? "none"),
        ]))
    if let order = payment.order { await bell.ring(for: order) }
    await deliveryBell.ring(for: payment.key.appEnvironment)
  }

  /// Freezes the order after a violated invariant, and raises an alarm. The payment and the change are stored.
  private func freeze(
    _ context: FulfilmentContext, _ broken: InvariantBroken,
    _ news: @escaping @Sendable (any DatabaseReader) throws -> PaymentUpdate
  ) async throws -> FulfilmentResult {
    count(stopped: broken)
    return try await transact { transaction in
      try FulfilmentTransaction(transaction, context, news(transaction)).keepStopped(because: broken)
    }
  }
}

/// What fulfilment needs beside the update. It is passed by reference: settings are large, and a copy costs more than
/// many database rows.
final class FulfilmentContext: Sendable {
  let app: AppSettings
  let derivedOrder: OrderIdentifier

  init(app: AppSettings, derivedOrder: OrderIdentifier) {
    self.app = app
    self.derivedOrder = derivedOrder
  }
}
