import AppStoreProtocol
package import PaymentPrimitives

/// Higher prices of running subscriptions.
package struct PriceIncreases: Sendable {
  let store: SimulatedAppStore

  /// Raises the price of a subscription from its next renewal on (rules AS-RAISE-1, AS-RAISE-2).
  ///
  /// - Parameters:
  ///   - milliunits: the new price, in thousandths of the currency's main unit.
  ///   - needsConsent: whether the customer has to agree; without consent the subscription ends with its period.
  /// - Throws: `subscriptionUnknown`, `notRenewing`, or `fieldInvalid` for a price that is not higher.
  nonisolated(nonsending) package func raise(
    of id: TransactionIdentifier, to milliunits: Int64, needsConsent: Bool
  ) async throws(CodedError<SimulatorErrorCode>) {
    try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      let (subscription, latest) = try SubscriptionDecision.running(id, decision)
      guard milliunits > decision.state.renewalCharge(of: subscription, latest).price.milliunits,
        milliunits <= Self.priceMax
      else {
        throw CodedError(.fieldInvalid, "price must be higher than the present one, and at most \(Self.priceMax).")
      }
      var standing = subscription.standing
      standing.raise = SubscriptionStanding.Raise(price: milliunits, isAccepted: !needsConsent)
      try SubscriptionDecision.set(
        standing, of: subscription, kind: .other(.priceIncrease, needsConsent ? .pending : .accepted), &decision)
    }
  }

  /// The customer agrees to a higher price (rule AS-RAISE-1).
  ///
  /// - Throws: `subscriptionUnknown`, or `notRenewing` when no price waits for consent.
  nonisolated(nonsending) package func accept(of id: TransactionIdentifier) async throws(CodedError<SimulatorErrorCode>)
  {
    try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      let (subscription, _) = try SubscriptionDecision.running(id, decision)
      var standing = subscription.standing
      guard standing.raise?.isAccepted == false else { throw CodedError(.notRenewing, "No price waits for a word.") }
      standing.raise?.isAccepted = true
      try SubscriptionDecision.set(standing, of: subscription, kind: .other(.priceIncrease, .accepted), &decision)
    }
  }

  private static let priceMax: Int64 = 1_000_000_000_000
}
