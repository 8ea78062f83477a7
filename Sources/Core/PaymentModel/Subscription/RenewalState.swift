package import PaymentPrimitives

/// The state of a subscription (docs/specification/states.md, “Subscription”).
package enum RenewalState: String, Hashable, CaseIterable, Sendable {
  case active
  /// The charge for the renewal failed; the buyer keeps access for a limited time.
  case gracePeriod
  /// The charge for the renewal failed; the store still retries, and the buyer has no access.
  case billingRetry
  case expired
  /// The store took its latest period back.
  case revoked
}

/// One paid period of a subscription, as its entitlement uses it.
package struct SubscriptionPeriod: Hashable, Sendable {
  package var from: Timestamp
  /// The end; a change to another product ends the period early.
  package var until: Timestamp
  /// Whether the store took it back.
  package var isTakenBack: Bool
  /// Whether the buyer changed to another product of the subscription.
  package var isUpgraded: Bool

  package init(from: Timestamp, until: Timestamp, isTakenBack: Bool = false, isUpgraded: Bool = false) {
    self.from = from
    self.until = until
    self.isTakenBack = isTakenBack
    self.isUpgraded = isUpgraded
  }
}

/// The status of a subscription at one moment, computed from signed facts only.
package struct SubscriptionStatus: Hashable, Sendable {
  package let status: RenewalState
  /// The end of the latest paid period that counts.
  package let periodEnd: Timestamp
  /// The store's statement on how it continues; nil if the statement is about an earlier period.
  package let renewal: VerifiedRenewal?
  /// Whether it ended because the buyer changed to another product of the subscription.
  package let isUpgraded: Bool

  /// Until when the buyer keeps access although the renewal failed; nil without a grace period.
  package var gracePeriodExpiresDate: Timestamp? {
    renewal?.gracePeriodExpiresDate.flatMap { $0 > periodEnd ? $0 : nil }
  }

  /// The status of a subscription with these periods; nil if it has none.
  package init?(_ periods: [SubscriptionPeriod], _ renewal: VerifiedRenewal?, at now: Timestamp) {
    func isEarlier(_ a: SubscriptionPeriod, _ b: SubscriptionPeriod) -> Bool { (a.until, a.from) < (b.until, b.from) }
    let standing = periods.filter { !$0.isTakenBack && !$0.isUpgraded }
    guard let latest = standing.max(by: isEarlier) ?? periods.max(by: isEarlier) else { return nil }
    periodEnd = latest.until
    // A statement from before the period's purchase is about an earlier period. One with a later end is about a later
    // period, which belongs to the other user if two users share the subscription.
    let concerning = renewal.flatMap { renewal in
      renewal.signedDate >= latest.from && renewal.renewalDate.map { $0 <= latest.until } ?? true ? renewal : nil
    }
    self.renewal = concerning
    isUpgraded = standing.isEmpty && latest.isUpgraded
    guard !standing.isEmpty else {
      status = latest.isUpgraded ? .expired : .revoked
      return
    }
    // The newest purchase decides the store's state of a subscription. An earlier period that still runs gives access
    // anyway.
    let isNewestTakenBack = periods.filter { !$0.isUpgraded }.max { $0.from < $1.from }?.isTakenBack == true
    if latest.until > now {
      status = .active
    } else if isNewestTakenBack {
      status = .revoked
    } else if let grace = concerning?.gracePeriodExpiresDate, grace > now {
      status = .gracePeriod
    } else if concerning?.isInBillingRetry == true, now < latest.until + Subscription.billingRetry {
      status = .billingRetry
    } else {
      status = .expired
    }
  }
}
