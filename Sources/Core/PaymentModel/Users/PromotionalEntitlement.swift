package import PaymentPrimitives

/// An entitlement that a user was given until a date, without a payment: an apology, a trial.
///
/// It is no grant and belongs to no payment. No refund or renewal changes it, and it changes no paid period
/// (record 0304).
package struct PromotionalEntitlement: Hashable, Sendable {
  package let appEnvironment: AppEnvironment
  /// The id by the one who gave it: unique in the app environment, for ever.
  package let key: String
  /// Who has it. A merge of users changes it.
  package var user: UserIdentifier
  package let entitlement: EntitlementName
  package let givenAt: Timestamp
  /// It is compared with the clock at each read, so nothing has to end it.
  package let until: Timestamp
  package let reason: String
  /// The key or the operator account that gave it.
  package let givenBy: String
  /// A digest of the request with that key.
  package let requestDigest: String
  /// That it was taken back before its end; nothing undoes this.
  package var end: End?

  /// Why it ended before its date.
  package struct End: Hashable, Sendable {
    package let at: Timestamp
    package let reason: String
    /// The key or the operator account that took it back.
    package let by: String

    package init(at moment: Timestamp, reason: String, by name: String) {
      self.at = moment
      self.reason = reason
      self.by = name
    }
  }

  package init(
    appEnvironment: AppEnvironment, key: String, user: UserIdentifier, entitlement: EntitlementName,
    givenAt: Timestamp, until: Timestamp, reason: String, givenBy: String, requestDigest: String
  ) {
    self.appEnvironment = appEnvironment
    self.key = key
    self.user = user
    self.entitlement = entitlement
    self.givenAt = givenAt
    self.until = until
    self.reason = reason
    self.givenBy = givenBy
    self.requestDigest = requestDigest
  }

  package func state(at now: Timestamp) -> Entitlement.State {
    if end != nil { return .revoked }
    return until > now ? .active : .expired
  }

  /// One for each entitlement, by name: the one that gives access longest, else the one that did last.
  package static func shown(_ all: [PromotionalEntitlement], at now: Timestamp) -> [PromotionalEntitlement] {
    let byName = Dictionary(grouping: all, by: \.entitlement)
    return byName.sorted { $0.key < $1.key }.compactMap { _, own in
      own.max { ($0.rank(at: now), $0.until, $0.key) < ($1.rank(at: now), $1.until, $1.key) }
    }
  }

  private func rank(at now: Timestamp) -> Int {
    switch state(at: now) {
    case .active, .gracePeriod: 2
    case .billingRetry, .expired: 1
    case .revoked: 0
    }
  }
}

/// How often an entitlement was given without a payment in some time.
package struct PromotionalCount: Hashable, Sendable {
  package let entitlement: EntitlementName
  package let given: Int
  /// How many of them were taken back since.
  package let revoked: Int

  package init(_ entitlement: EntitlementName, given: Int, revoked: Int) {
    self.entitlement = entitlement
    self.given = given
    self.revoked = revoked
  }
}
