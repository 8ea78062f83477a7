import AppStoreProtocol
import PaymentPrimitives

/// What the App Store decides about shares of family members.
enum FamilyDecision {
  static func share(
    _ id: TransactionIdentifier, with member: AppleAccountIdentifier, _ decision: inout CommandContext
  ) throws(CodedError<SimulatorErrorCode>) -> SimulatedTransaction {
    let named = try decision.transaction(id)
    let bought =
      try decision.state.subscriptions[named.originalId].map { subscription throws(CodedError<SimulatorErrorCode>) in
        try decision.transaction(subscription.latest)
      } ?? named
    let account = try decision.account(member)
    let app = try decision.app(bought.owner.bundleId)
    let isShareable = bought.type == .nonConsumable || (bought.period.map { $0.expiresDate > decision.now } ?? false)
    guard isShareable, bought.isCharge, bought.revocation?.isWhole != true,
      bought.owner.account != member, account.environment == bought.environment
    else { throw CodedError(.fieldInvalid, "What lasts is shared, once paid, with another account.") }
    let owner = AppOwner(account: member, bundleId: bought.owner.bundleId)
    let shares = decision.state.shares[bought.originalId] ?? []
    guard shares.count < SimulatorLimits.familyMembersMax,
      !shares.contains(where: { decision.state.transactions[$0]?.owner == owner })
    else {
      throw CodedError(.fieldInvalid, "It is shared with \(shares.count) already, this one perhaps among them.")
    }
    guard decision.state.transactionOrder.count < SimulatorLimits.transactionsMax else {
      throw CodedError(.full, "It has \(SimulatorLimits.transactionsMax) transactions.")
    }
    let number = decision.nextTransactionId(account.environment)
    let (download, isNew) = decision.download(owner, of: app)
    let period = bought.period.map {
      SimulatedTransaction.Period(
        expiresDate: $0.expiresDate,
        webOrderLineItemId: decision.state.lastNumbers.webOrderLineItemId(account.environment, step: decision.step()),
        group: $0.group)
    }
    let shared = bought.share(
      for: owner, number, of: number, from: decision.second, decision.second, period: period,
      in: account.storefront, reason: .purchase)
    decision.event = .transacted(
      shared, isNew ? download : nil,
      decision.notification(
        period == nil ? .oneTimeCharge : .subscribed(isFirst: true), bundleId: app.bundleId,
        environment: account.environment, transaction: number))
    return shared
  }

  /// The end of a member's share; nil when it has already ended.
  static func shareEnd(of original: TransactionIdentifier, _ decision: CommandContext) -> SimulatedShareEnd? {
    let state = decision.state
    let id = state.subscriptions[original]?.latest ?? original
    guard let shared = state.transactions[id], shared.revocation == nil else { return nil }
    var revocation = SimulatedRevocation(
      date: decision.second, reason: .refundedForOtherReason, percentage: SimulatedRevocation.wholePercentage)
    revocation.isFamily = true
    return SimulatedShareEnd(
      transaction: id, revocation: revocation,
      notification: decision.notification(.other(.revoke), about: shared))
  }

  /// Rule AS-FAM-3: a member gets the period that the buyer paid for, without a charge.
  static func follow(_ subscription: SimulatedSubscription, _ decision: inout CommandContext) throws(CodedError<
    SimulatorErrorCode
  >) {
    let state = decision.state
    let latest = try decision.transaction(subscription.latest)
    guard let source = subscription.sharedFrom, let bought = state.subscriptions[source],
      let end = latest.period?.expiresDate,
      let theirs = try decision.transaction(bought.latest).period
    else { return }
    let period = SimulatedTransaction.Period(
      expiresDate: theirs.expiresDate,
      webOrderLineItemId: state.lastNumbers.webOrderLineItemId(latest.environment, step: decision.step()),
      group: subscription.group)
    let shared = try decision.transaction(bought.latest)
      .share(
        for: subscription.owner, decision.nextTransactionId(latest.environment), of: subscription.id, from: end,
        latest.originalPurchaseDate,
        period: period, in: latest.storefront, reason: .renewal)
    decision.event = .transacted(
      shared, nil,
      decision.notification(
        .didRenew(isRecovery: false), bundleId: subscription.owner.bundleId, environment: latest.environment,
        transaction: shared.id))
  }
}

extension SimulatedTransaction {
  /// The family member's transaction for this purchase.
  fileprivate func share(
    for owner: AppOwner, _ id: TransactionIdentifier, of original: TransactionIdentifier, from purchaseDate: Timestamp,
    _ originalPurchaseDate: Timestamp, period: Period?, in storefront: Storefront, reason: TransactionReason
  ) -> SimulatedTransaction {
    var shared = SimulatedTransaction(
      id: id, originalId: original, owner: owner, product: product, type: type, quantity: 1, price: price,
      purchaseDate: purchaseDate, originalPurchaseDate: originalPurchaseDate, period: period, appAccountToken: nil,
      reason: reason, environment: environment, storefront: storefront, isCharge: false)
    shared.isFamilyShared = true
    shared.sharedFrom = originalId
    return shared
  }
}
