import AppStoreProtocol
package import PaymentPrimitives

/// Auto-renewable subscriptions: renewals by command, and their end.
package struct AppStoreSubscriptions: Sendable {
  let store: SimulatedAppStore

  /// Charges a subscription for its next period.
  ///
  /// In the last day of a period, the next one begins at its end. After its end, the next one begins now, as a recovery
  /// (rules AS-SUB-3, AS-SUB-4).
  /// - Returns: the new transaction.
  /// - Throws: `subscriptionUnknown`, `notRenewing`, `renewalTooEarly`, or `full`.
  nonisolated(nonsending) package func renew(
    _ subscription: TransactionIdentifier
  ) async throws(CodedError<SimulatorErrorCode>) -> SimulatedTransaction {
    try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      try SubscriptionDecision.renew(subscription, &decision)
    }
  }

  /// Turns a subscription's renewal on or off for its owner; a change sends a notification.
  ///
  /// - Throws: `subscriptionUnknown`, or `notRenewing` when it has ended.
  nonisolated(nonsending) package func setAutoRenew(
    _ subscription: TransactionIdentifier, to isOn: Bool
  ) async throws(CodedError<SimulatorErrorCode>) {
    try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      let known = try decision.subscription(subscription)
      guard known.autoRenews != isOn else { return }
      let latest = try decision.transaction(known.latest)
      if isOn, let period = latest.period, period.expiresDate <= decision.now { throw CodedError(.notRenewing) }
      guard known.sharedFrom == nil else { throw CodedError(.notRenewing, "The buyer decides on it.") }
      let notification = decision.notification(
        .didChangeRenewalStatus(isOn: isOn), bundleId: known.owner.bundleId, environment: latest.environment,
        transaction: latest.id)
      decision.event = .autoRenewSet(subscription, isOn, notification)
    }
  }

  /// Ends a subscription without a named reason: EXPIRED without a subtype (rule AS-CAL-5).
  ///
  /// - Throws: `subscriptionUnknown`, or `notRenewing` before the end of its period or after its end.
  nonisolated(nonsending) package func end(_ id: TransactionIdentifier) async throws(CodedError<SimulatorErrorCode>) {
    try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      let (subscription, latest) = try SubscriptionDecision.running(id, decision)
      guard let end = latest.period?.expiresDate, end <= decision.now else {
        throw CodedError(.notRenewing, "Its period has not ended.")
      }
      var standing = subscription.standing
      standing.end = .other
      try SubscriptionDecision.set(standing, of: subscription, kind: .other(.expired), &decision)
    }
  }
}
