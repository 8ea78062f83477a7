package import PaymentPrimitives

// Which statements win, and what of a payment has to be decided again.

extension PaymentUpdate {
  /// Whether it is newer than what is known. WeChat Pay signs whole seconds: of two statements of the same second,
  /// both may count.
  package func isNewer(than known: Payment) -> Bool {
    charge == nil ? facts.signedDate > known.facts.signedDate : facts.signedDate >= known.facts.signedDate
  }

  /// Whether it contradicts what WeChat Pay reported of a granted charge. An amount, merchant, app or order never
  /// changes, so one of the two statements was not true. The grant used the statement that agreed in everything.
  package func contradicts(_ known: Payment) -> Bool {
    guard known.key.store == .weChatPay, charge != nil, known.state.wasGranted else { return false }
    return known.facts.token != facts.token || known.facts.price != facts.price
      || known.facts.merchant != facts.merchant || known.facts.storeApp != facts.storeApp
  }

  /// Whether the match rule is asked about a charge or transaction.
  ///
  /// Only the newest statement of WeChat Pay decides about a charge; an update of a refund says nothing about it.
  /// - Parameter isRefundUnderWay: a payment is not granted while its refund may be under way.
  package func decides(_ payment: Payment, known: Payment?, isRefundUnderWay: Bool) -> Bool {
    guard !(payment.awaitsOwner && isRefundUnderWay) else { return false }
    guard payment.key.store == .weChatPay else { return true }
    return charge != nil && (known.map { isNewer(than: $0) } ?? true)
  }
}

extension Payment {
  /// Applies an update of a charge: a newer one replaces what is known. The first presenter stays.
  package mutating func take(_ update: PaymentUpdate) {
    if update.isWhole, update.isNewer(than: self) {
      facts = update.facts
      statedRevocation = update.facts.revocation
    }
    if presenter == nil { presenter = update.claim?.user }
  }
}

extension PurchaseStatement {
  /// Applies an update under the same id.
  package mutating func take(_ update: PaymentUpdate) {
    // Versions before record 0164 kept no history: the statement that is replaced now begins it.
    refundHistory.take(facts.revocation, reversedAt: refundReversedAt)
    facts = facts.completed(by: update.facts, isWhole: update.isWhole)
    refundReversedAt = [refundReversedAt, update.refundReversedAt].compactMap(\.self).max()
    refundHistory.take(update.facts.revocation, reversedAt: update.refundReversedAt)
  }
}

extension MatchDecision {
  /// Whether it leaves a payment in this state unchanged.
  package func changesNothing(in state: PaymentState) -> Bool {
    switch (self, state) {
    case (.unclaimed, .unclaimed), (.unclaimed, .held), (.unclaimed, .imported): true
    case (.held(let reason), .held(let known)): reason == known
    case (.imported(nil, _, _, _), .imported): true
    default: false
    }
  }

  /// Whether it is a step back: a later source with less knowledge takes nothing back.
  package func isStepBack(from state: PaymentState) -> Bool {
    switch (self, state) {
    case (.unclaimed, .held), (.unclaimed, .imported), (.imported(nil, _, _, _), .imported): true
    default: false
    }
  }

  /// The decision about a payment that was refunded before its grant, after the refund was reversed. It goes to the
  /// user who would have got it.
  package func afterReversedRefund(of payment: Payment) -> MatchDecision {
    guard let owner = payment.owner else { return self }
    if case .grant(owner, _, _, _) = self { return self }
    let withoutOrder = payment.facts.kind == .autoRenewable || payment.facts.ownership != .purchased
    return .grant(
      to: owner, withoutOrder ? .none : .derivedOrder(from: nil), rule: payment.match?.rule ?? .derived,
      flags: payment.match?.flags ?? [])
  }
}

/// What an update leaves to decide about a payment.
package enum PendingDecision: Hashable, Sendable {
  /// The match rule decides.
  case match
  /// The match rule decides; if the payment has an owner already, it goes to this user (`afterReversedRefund`).
  case matchAfterReversedRefund
  /// The earlier system's list decides whether the owner is still owed the grant. Nothing is decided after a grant.
  case stillOwed(to: UserIdentifier)

  /// - Parameter isObserving: whether the app only observes an earlier system.
  /// - Returns: nil if nothing is to be decided.
  package init?(_ payment: Payment, after update: PaymentUpdate, isObserving: Bool) {
    let wasBoughtBeforeCutOver = payment.state == .held(.boughtBeforeCutOver)
    if let owner = payment.owner, payment.key.store == .appStore, payment.state == .imported || wasBoughtBeforeCutOver {
      guard update.isHeldByClient || payment.state != .imported, !isObserving else { return nil }
      self = .stillOwed(to: owner)
    } else if payment.state == .revoked, !payment.facts.isWhollyRevoked {
      self = .matchAfterReversedRefund
    } else if payment.state == .revoked, payment.owner == nil, update.claim != nil {
      // The would-be owner of a refunded payment is recorded once a claim names one. The store may undo the refund
      // later, when no client presents the payment any more.
      self = .match
    } else {
      // Held for an operator since the cut-over: a team that returned to observing has not decided about it.
      guard payment.awaitsOwner, !isObserving || !wasBoughtBeforeCutOver else { return nil }
      self = .match
    }
  }
}
