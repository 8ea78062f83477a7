import AppStoreProtocol
import Cryptography
package import PaymentModel
import PaymentDatabase
package import PaymentPrimitives

/// News of one verified store transaction, by whichever path it came.
package struct PaymentUpdate: Sendable {
  package var facts: VerifiedPayment
  package var evidence: String
  package var origin: Evidence.Origin
  /// Whether a client still holds the transaction unfinished.
  package var isHeldByClient: Bool
  /// What WeChat Pay said, for a payment there: it is held against what the order expects.
  package var charge: VerifiedCharge?
  /// The signed-in user who presents it, with what his device sent along.
  package var claim: Claim?
  /// What the client said beside the evidence, as JSON text: journalled, never trusted.
  package var saidBeside: String?
  /// What the store signed beside it of how the subscription goes on.
  package var renewal: VerifiedRenewal?
  /// Whether the evidence states all that the store knows of the transaction. A receipt does not, signed or decoded by
  /// Apple: it leaves out a part that was refunded, often the token. It adds to what is known and takes nothing of it.
  package var isWhole = true
  /// When the store signed that it undoes a refund (REFUND_REVERSED), where the news are that.
  package var refundReversedAt: Timestamp?
  /// Whether the evidence cannot show a token, and Apple did not answer.
  package var isTokenUnseen = false
  /// Whether Apple says that it knows no such transaction.
  package var isUnknownToApple = false

  package struct Claim: Hashable, Sendable {
    package var user: UserIdentifier
    /// What the evidence says of the device.
    package var proof: Presentation.DeviceProof
    /// Fitting orders in the device's vault; by their own number those of the user alone.
    package var orders: [OrderName]
    /// The order seen together with the transaction in one run.
    package var sameRun: OrderName?
    /// Whether he asked to have back what he bought before.
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
  /// Whether this very call wrote it down first.
  package var firstSeen: Bool
  /// Whether something changed for an order, owner, grant or state.
  package var changed: Bool
  /// The transaction id that was asked about, where it is an echo of the payment.
  package var echo: PaymentKey?
  /// Orders that were closed because what they are for is owned already.
  package var closedOrders: [OrderIdentifier] = []
  /// Whether the news are another id of a payment that was granted before, and its token names another order.
  package var repeatsForAnotherOrder = false
  /// Whether something of the grant was taken back and nothing of it is left.
  package var nothingIsLeft = false
  /// The order that it pays, where the presenter is its owner.
  package var order: Order?
  /// Who has its right now, where a restore has moved it.
  package var holder: UserIdentifier?
  /// Whether the presenter shares the right of its owner.
  package var isShared = false
  /// Whether the news says of a granted charge what cannot be true together with what was said before.
  package var isContradicted = false
}

extension FulfilmentResult {
  /// A payment as it stands, to whom it may belong: nothing new is said of it.
  init(known payment: Payment, to user: UserIdentifier?, _ store: any DatabaseReader) throws {
    self.init(payment: payment, firstSeen: false, changed: false, echo: nil)
    nothingIsLeft = try FulfilmentTransaction.nothingIsLeft(of: payment, store)
    order = try FulfilmentTransaction.order(paidBy: payment, of: user, store)
  }
}

extension PaymentEngine {
  /// The heart: keeps the evidence, finds whose payment it is, and grants it exactly once, in one database transaction.
  ///
  /// Any number of paths may bring the same news at the same time; the database lets one of them write.
  package func fulfil(_ news: PaymentUpdate, for app: AppSettings) async throws -> FulfilmentResult {
    try await fulfil(news.facts.key, keeping: nil, for: app) { _ in news }.result
  }

  /// The same for news that are whole only with what the database knows, in one commit with the notification that
  /// brought them.
  ///
  /// What cannot be fulfilled takes nothing of the notification with it: that is then kept by itself.
  /// - Parameter news: made anew in each run of the transaction.
  /// - Returns: what became of the payment, and whether the notification was not known.
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

  /// A derived order's id is made from the payment, so a restored backup or a second node makes the same.
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
    await deliveryBell.ring(for: payment.key.realm)
  }

  /// A broken rule stops the order that it concerns and alarms. The payment is kept, and so is the change.
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

/// What fulfilling needs beside the news. Handed on by reference: settings are large, and copied they cost more than
/// many a row.
final class FulfilmentContext: Sendable {
  let app: AppSettings
  let derivedOrder: OrderIdentifier

  init(app: AppSettings, derivedOrder: OrderIdentifier) {
    self.app = app
    self.derivedOrder = derivedOrder
  }
}
