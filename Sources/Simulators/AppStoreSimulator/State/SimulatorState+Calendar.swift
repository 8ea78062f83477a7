import AppStoreProtocol
import PaymentPrimitives
import SimulatorCore

/// A calendar task for a subscription.
enum CalendarTask: Hashable, Sendable {
  case renew
  case fail
  /// The failed charge now succeeds.
  case recover
  case endGrace
  case end(ExpirationIntent)
  /// A family member gets the period that the buyer paid for.
  case follow
}

extension SimulatorState {
  /// The calendar's next task for a subscription, and its time. `isAtOnce` means that the event happens when the
  /// calendar processes it (rules AS-CAL-1 to AS-CAL-6, AS-BILL-1 to AS-BILL-4, AS-FAM-3).
  func calendarTask(
    of subscription: SimulatedSubscription
  ) -> (task: CalendarTask, moment: Timestamp, isAtOnce: Bool)? {
    guard subscription.standing.end == nil, let latest = transactions[subscription.latest], let period = latest.period,
      latest.revocation?.isWhole != true
    else { return nil }
    let end = period.expiresDate
    if let source = subscription.sharedFrom { return familyTask(source, end: end) }
    if let failure = subscription.standing.failure { return failureTask(subscription, failure, latest: latest) }
    guard subscription.autoRenews else { return (.end(.customerCancelled), end, false) }
    if subscription.standing.raise?.isAccepted == false {
      return (.end(.customerDidNotConsentToPriceIncrease), end, false)
    }
    guard products[subscription.owner.bundleId]?[subscription.next ?? latest.product]?.isForSale == true else {
      return (.end(.productNotAvailable), end, false)
    }
    guard accounts[subscription.owner.account]?.canPay == true else { return (.fail, end, false) }
    if isAccelerated(latest.environment), subscription.renewals >= SimulatorLimits.acceleratedRenewalsMax {
      return (.end(.customerCancelled), end, false)
    }
    return (.renew, end, false)
  }

  private func failureTask(
    _ subscription: SimulatedSubscription, _ failure: SubscriptionStanding.Failure, latest: SimulatedTransaction
  ) -> (task: CalendarTask, moment: Timestamp, isAtOnce: Bool) {
    if !subscription.autoRenews { return (.end(.customerCancelled), failure.since, true) }
    if accounts[subscription.owner.account]?.canPay == true { return (.recover, failure.since, true) }
    if let grace = failure.graceUntil, !failure.isGraceOver { return (.endGrace, grace, false) }
    return (.end(.billingError), failure.since + days(60, latest.environment), false)
  }

  /// A member's period is renewed after the buyer's, and ends with the buyer's subscription.
  private func familyTask(
    _ source: TransactionIdentifier, end: Timestamp
  ) -> (task: CalendarTask, moment: Timestamp, isAtOnce: Bool)? {
    guard let bought = subscriptions[source], let latest = transactions[bought.latest], let period = latest.period
    else {
      return nil
    }
    if period.expiresDate > end, latest.revocation?.isWhole != true { return (.follow, end, false) }
    return bought.standing.end.map { (.end($0), end, true) }
  }

  /// Whether periods last minutes (rules AS-SUB-2, AS-SUB-11).
  func isAccelerated(_ environment: SimulatedEnvironment) -> Bool {
    switch environment {
    case .sandbox: !behaviours.isOn(.calendarPeriodsInSandbox)
    case .production: behaviours.isOn(.minutePeriodsInProduction)
    }
  }

  /// The length of these days of billing retry or grace in that environment (rule AS-BILL-4).
  func days(_ count: Int64, _ environment: SimulatedEnvironment) -> TimeSpan {
    isAccelerated(environment)
      ? TimeSpan(milliseconds: SimulatorLimits.acceleratedDay.milliseconds * count) : .days(count)
  }

  // MARK: the list of due tasks

  /// Updates the list entries of a subscription and of its family shares.
  mutating func noteDue(_ id: TransactionIdentifier) {
    for id in [id] + (shares[id] ?? []) {
      if let moment = subscriptionMoments.removeValue(forKey: id) {
        dueSubscriptions.remove(.init(moment: moment, item: id))
      }
      guard let subscription = subscriptions[id], let next = calendarTask(of: subscription) else { continue }
      dueSubscriptions.insert(.init(moment: next.moment, item: id))
      subscriptionMoments[id] = next.moment
    }
  }

  /// Removes a refund request after its decision.
  mutating func forgetRefundRequest(_ id: TransactionIdentifier) {
    guard let request = refundRequests.removeValue(forKey: id) else { return }
    dueRefunds.remove(.init(moment: request.decidedAt, item: id))
  }

  /// Updates the entries of all subscriptions of an account.
  mutating func noteDueSubscriptions(of account: AppleAccountIdentifier) {
    for bundleId in apps.keys {
      let owner = AppOwner(account: account, bundleId: bundleId)
      for id in transactionsByOwner[owner] ?? [] where subscriptions[id] != nil { noteDue(id) }
    }
  }

  /// Updates the entries of all subscriptions to a product.
  mutating func noteDueSubscriptions(of product: StoreProductIdentifier, _ bundleId: String) {
    for subscription in subscriptions.values where subscription.owner.bundleId == bundleId {
      if transactions[subscription.latest]?.product == product || subscription.next == product {
        noteDue(subscription.id)
      }
    }
  }

  /// The length of an extension. Where a month lasts five minutes, a day lasts ten seconds, and the sum is cut off to
  /// whole minutes (rule AS-EXT-1).
  func extensionSpan(days count: Int64, _ environment: SimulatedEnvironment) -> TimeSpan {
    let span = days(count, environment)
    return isAccelerated(environment) ? .minutes(span.milliseconds / 60_000) : span
  }
}

extension SimulatedTransaction.Period {
  /// The same period with another end.
  func lasting(until end: Timestamp) -> SimulatedTransaction.Period {
    SimulatedTransaction.Period(expiresDate: end, webOrderLineItemId: webOrderLineItemId, group: group)
  }
}
