import AppStoreProtocol
import PaymentPrimitives

/// Why the App Store does not extend a subscription.
enum ExtensionRefusal: Hashable, Sendable {
  /// A family member has it.
  case familyShared
  /// It has ended or was refunded, or its charge is being retried.
  case notActive
  case freeOffer
  /// It was extended twice in the last 365 days.
  case usedUp
}

/// What the App Store decides about extensions of renewal dates.
enum ExtensionDecision {
  /// Why this subscription cannot be extended now; nil when it can (rule AS-EXT-3).
  static func refusal(
    of subscription: SimulatedSubscription, _ latest: SimulatedTransaction, _ decision: CommandContext
  ) -> ExtensionRefusal? {
    if subscription.sharedFrom != nil { return .familyShared }
    guard subscription.standing.end == nil, latest.revocation?.isWhole != true,
      let end = latest.period?.expiresDate, end > decision.now
    else { return .notActive }
    if latest.isTrial { return .freeOffer }
    let year = decision.state.days(365, latest.environment)
    let recent = subscription.extensions.filter { decision.now < $0 + year }
    return recent.count < SimulatorLimits.extensionsPerYear ? nil : .usedUp
  }

  /// Extends the current period, and those of family members.
  ///
  /// - Returns: the new end.
  static func extend(
    _ latest: SimulatedTransaction, byDays days: Int64, request: Int? = nil, _ decision: inout CommandContext
  ) -> Timestamp {
    let state = decision.state
    let end = latest.period?.expiresDate ?? decision.now
    let later = end + state.extensionSpan(days: days, latest.environment)
    var extended = SimulatedRenewalExtension(
      transaction: latest.id, until: later, notification: decision.notification(.other(.renewalExtended), about: latest)
    )
    extended.request = request
    for id in state.shares[latest.originalId] ?? [] {
      guard let share = state.subscriptions[id], share.standing.end == nil,
        let shared = state.transactions[share.latest], shared.revocation == nil,
        let its = shared.period?.expiresDate, decision.now < its, its <= end
      else { continue }
      extended.members.append(
        .init(transaction: shared.id, notification: decision.notification(.other(.renewalExtended), about: shared)))
    }
    decision.event = .renewalExtended(extended)
    return later
  }
}
