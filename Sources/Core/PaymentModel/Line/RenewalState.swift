package import PaymentPrimitives

/// How a subscription stands (docs/specification/states.md, “Subscription”).
package enum RenewalState: String, Hashable, CaseIterable, Sendable {
  case active
  /// The renewal could not be charged; the buyer keeps his access for a while.
  case gracePeriod
  /// The renewal could not be charged; the store still tries, and the buyer has no access.
  case billingRetry
  case expired
  /// The store took its latest period back.
  case revoked
}

/// One paid period of a line as its right sees it.
package struct SubscriptionPeriod: Hashable, Sendable {
  package var from: Timestamp
  /// To when; a change to another product ends it early.
  package var until: Timestamp
  /// Whether the store has taken it back.
  package var isTakenBack: Bool
  /// Whether the buyer has gone over to another product of the line.
  package var isUpgraded: Bool

  package init(from: Timestamp, until: Timestamp, isTakenBack: Bool = false, isUpgraded: Bool = false) {
    self.from = from
    self.until = until
    self.isTakenBack = isTakenBack
    self.isUpgraded = isUpgraded
  }
}

/// How a line stands at a moment, computed from signed facts only.
package struct SubscriptionStatus: Hashable, Sendable {
  package let status: RenewalState
  /// The end of the latest paid period that counts.
  package let periodEnd: Timestamp
  /// What the store says of how it goes on, where that is about this period and not an earlier one.
  package let renewal: VerifiedRenewal?
  /// Whether it ended because the buyer went over to another product of the line.
  package let isUpgraded: Bool

  /// Until when the buyer keeps his access although the renewal failed; nil where that is not so.
  package var gracePeriodExpiresDate: Timestamp? {
    renewal?.gracePeriodExpiresDate.flatMap { $0 > periodEnd ? $0 : nil }
  }

  /// How a line with these periods stands; nil for a line without any.
  package init?(_ periods: [SubscriptionPeriod], _ renewal: VerifiedRenewal?, at now: Timestamp) {
    func isEarlier(_ a: SubscriptionPeriod, _ b: SubscriptionPeriod) -> Bool { (a.until, a.from) < (b.until, b.from) }
    let standing = periods.filter { !$0.isTakenBack && !$0.isUpgraded }
    guard let latest = standing.max(by: isEarlier) ?? periods.max(by: isEarlier) else { return nil }
    periodEnd = latest.until
    // A statement from before the period's purchase speaks of an earlier one; one that names a later end speaks of a
    // later period, which on a line of two users is the other's.
    let concerning = renewal.flatMap { renewal in
      renewal.signedDate >= latest.from && renewal.renewalDate.map { $0 <= latest.until } ?? true ? renewal : nil
    }
    self.renewal = concerning
    isUpgraded = standing.isEmpty && latest.isUpgraded
    guard !standing.isEmpty else {
      status = latest.isUpgraded ? .expired : .revoked
      return
    }
    // The store says how a line stands by its newest purchase; an earlier one that still runs gives access anyway.
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
