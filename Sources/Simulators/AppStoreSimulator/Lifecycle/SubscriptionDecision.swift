import AppStoreProtocol
import PaymentPrimitives

/// What the App Store decides about subscriptions.
enum SubscriptionDecision {
  /// A subscription that has not ended, and that the account itself pays for.
  static func running(
    _ id: TransactionIdentifier, _ decision: CommandContext
  ) throws(CodedError<SimulatorErrorCode>) -> (SimulatedSubscription, SimulatedTransaction) {
    let subscription = try decision.subscription(id)
    let latest = try decision.transaction(subscription.latest)
    guard subscription.standing.end == nil, subscription.sharedFrom == nil, latest.revocation?.isWhole != true else {
      throw CodedError(.notRenewing)
    }
    return (subscription, latest)
  }

  /// Charges a subscription by command: in the last day of its period, or after its end.
  static func renew(
    _ id: TransactionIdentifier, _ decision: inout CommandContext
  ) throws(CodedError<SimulatorErrorCode>) -> SimulatedTransaction {
    let subscription = try decision.subscription(id)
    let latest = try decision.transaction(subscription.latest)
    guard let period = latest.period, subscription.autoRenews, subscription.standing.end == nil,
      subscription.sharedFrom == nil,
      latest.revocation?.isWhole != true,
      decision.now < period.expiresDate + decision.state.days(60, latest.environment)
    else { throw CodedError(.notRenewing) }
    let earliest = max(latest.purchaseDate, period.expiresDate - SimulatorLimits.renewalLead)
    guard decision.now >= earliest else {
      throw CodedError(.renewalTooEarly, "It can renew from \(earliest.iso8601) on; it is \(decision.now.iso8601).")
    }
    return try renew(subscription, isRecovery: decision.now >= period.expiresDate, &decision)
  }

  /// Charges a subscription for its next period (rules AS-SUB-3, AS-SUB-4, AS-CAL-1).
  static func renew(
    _ subscription: SimulatedSubscription, isRecovery: Bool, _ decision: inout CommandContext
  ) throws(CodedError<SimulatorErrorCode>) -> SimulatedTransaction {
    let (state, now) = (decision.state, decision.now)
    let latest = try decision.transaction(subscription.latest)
    guard let period = latest.period,
      let product = state.products[subscription.owner.bundleId]?[subscription.next ?? latest.product]
    else { throw CodedError(.notRenewing) }
    guard state.transactionOrder.count < SimulatorLimits.transactionsMax else {
      throw CodedError(.full, "It has \(SimulatorLimits.transactionsMax) transactions.")
    }
    // Rule AS-BILL-3: in the grace period the customer keeps access, so the renewal charges that time.
    let isInGrace =
      subscription.standing.failure.map { !$0.isGraceOver && ($0.graceUntil.map { now < $0 } ?? false) } ?? false
    let start = isRecovery && !isInGrace ? decision.second : period.expiresDate
    let (price, offer) = state.renewalCharge(of: subscription, latest)
    var transaction = SimulatedTransaction(
      id: decision.nextTransactionId(latest.environment), originalId: subscription.id,
      owner: subscription.owner, product: product.id, type: latest.type, quantity: 1, price: price,
      purchaseDate: start, originalPurchaseDate: latest.originalPurchaseDate,
      period: decision.period(of: product, from: start, latest.environment, by: offer),
      appAccountToken: latest.appAccountToken, reason: .renewal, environment: latest.environment,
      storefront: try decision.account(subscription.owner.account).storefront, isCharge: true)
    transaction.offer = offer
    decision.event = .transacted(
      transaction, nil,
      decision.notification(
        .didRenew(isRecovery: isRecovery), bundleId: subscription.owner.bundleId, environment: latest.environment,
        transaction: transaction.id))
    return transaction
  }

  /// Changes a subscription's state and notifies the server.
  static func set(
    _ standing: SubscriptionStanding, of subscription: SimulatedSubscription, kind: NotificationKind,
    _ decision: inout CommandContext
  ) throws(CodedError<SimulatorErrorCode>) {
    let latest = try decision.transaction(subscription.latest)
    let notification = decision.notification(
      kind, bundleId: subscription.owner.bundleId, environment: latest.environment, transaction: latest.id)
    decision.event = .standingSet(subscription.id, standing, notification)
  }
}
