package import PaymentPrimitives

extension Entitlement {
  /// The entitlements of a user by name, computed from all of their grants. Only signed facts count, not the order of
  /// arrival.
  ///
  /// - A subscription holds to the end of its latest paid period, and through a grace period.
  /// - Periods of other products with the same entitlement follow each other, whichever store sold them:
  ///   each extends the running end.
  /// - If several purchases give one entitlement, the one that holds longest counts.
  package static func all(from sources: [EntitlementSource], at now: Timestamp) -> [Entitlement] {
    var byName: [EntitlementName: [EntitlementSource]] = [:]
    for source in sources {
      guard case .entitlement(let name, _, _) = source.grant.content else { continue }
      byName[name, default: []].append(source)
    }
    let bySubscription = Dictionary(grouping: sources.filter { $0.kind == .autoRenewable }, by: \.subscriptionKey)
    return byName.sorted { $0.key < $1.key }.compactMap { name, sources in
      var ways = sources.filter { $0.kind != .autoRenewable && $0.until == nil }.map { lasting(name, $0) }
      if let stacked = stacked(name, sources, at: now) { ways.append(stacked) }
      for key in Set(sources.filter { $0.kind == .autoRenewable }.map(\.subscriptionKey)).sorted() {
        if let way = subscription(name, bySubscription[key] ?? [], at: now) { ways.append(way) }
      }
      return ways.max(by: isWorse)
    }
  }

  /// Order: by rank, then by the end of access, then by fields that do not depend on arrival.
  private static func isWorse(_ a: Entitlement, _ b: Entitlement) -> Bool {
    func rank(_ entitlement: Entitlement) -> Int {
      switch entitlement.state {
      case .active, .gracePeriod: 3
      case .billingRetry: 2
      case .expired: 1
      case .revoked: 0
      }
    }
    func end(_ entitlement: Entitlement) -> Int64 {
      guard let until = entitlement.until else { return .max }
      return max(until, entitlement.gracePeriodExpiresDate ?? until).milliseconds
    }
    return (rank(a), end(a), a.store) < (rank(b), end(b), b.store)
  }

  private static func lasting(_ name: EntitlementName, _ source: EntitlementSource) -> Entitlement {
    guard !source.grant.isInForce else {
      return Entitlement(name, .active, until: nil, store: source.grant.payment.store)
    }
    var entitlement = Entitlement(name, .revoked, until: source.from, store: source.grant.payment.store)
    entitlement.reason = source.whyTakenBack
    return entitlement
  }

  /// Bought periods in sequence: the next begins where the last ends, or at its own purchase.
  private static func stacked(_ name: EntitlementName, _ sources: [EntitlementSource], at now: Timestamp)
    -> Entitlement?
  {
    let periods = sources.filter { $0.kind != .autoRenewable && $0.until != nil }
      .sorted { ($0.from, $0.grant.payment) < ($1.from, $1.grant.payment) }
    guard let last = periods.last else { return nil }
    let standing = periods.filter(\.grant.isInForce)
    guard let first = standing.first else {
      var entitlement = Entitlement(name, .revoked, until: last.until, store: last.grant.payment.store)
      entitlement.reason = last.whyTakenBack
      return entitlement
    }
    let end = standing.reduce(first.from) { end, period in
      max(end, period.from) + ((period.until ?? period.from) - period.from)
    }
    let store = standing.last?.grant.payment.store ?? last.grant.payment.store
    return Entitlement(name, end > now ? .active : .expired, until: end, store: store)
  }

  private static func subscription(_ name: EntitlementName, _ sources: [EntitlementSource], at now: Timestamp)
    -> Entitlement?
  {
    let mine = sources.filter { $0.name == name }
    let periods = mine.map { SubscriptionPeriod($0, among: sources, at: now) }
    let renewal = sources.lazy.compactMap(\.renewal).first
    guard let standing = SubscriptionStatus(periods, renewal, at: now), let store = mine.first?.grant.payment.store
    else {
      return nil
    }
    var entitlement = Entitlement(name, State(standing.status), until: standing.periodEnd, store: store)
    entitlement.willRenew = standing.renewal.map { $0.willRenew && standing.status != .revoked && !standing.isUpgraded }
    entitlement.renewsTo = entitlement.willRenew == true ? standing.renewal?.renewsTo : nil
    entitlement.gracePeriodExpiresDate = standing.gracePeriodExpiresDate
    switch standing.status {
    case .active, .gracePeriod, .billingRetry: break
    case .expired:
      entitlement.reason = standing.isUpgraded ? .upgraded : standing.renewal?.expiration.map { Reason($0) }
    case .revoked:
      entitlement.reason = mine.max { ($0.from, $0.grant.payment) < ($1.from, $1.grant.payment) }?.whyTakenBack
    }
    return entitlement
  }
}

extension SubscriptionPeriod {
  /// A subscription has one product at a time. A later purchase on it that is in force ends an earlier period of
  /// another product.
  fileprivate init(_ source: EntitlementSource, among sources: [EntitlementSource], at now: Timestamp) {
    let end = source.until ?? Timestamp(milliseconds: .max)
    let successor = sources.filter {
      $0.grant.isInForce && $0.storeProduct != source.storeProduct && $0.from > source.from && $0.from < end
    }.map(\.from).min()
    self.init(
      from: source.from, until: min(end, successor ?? end), isTakenBack: !source.grant.isInForce,
      isUpgraded: source.isUpgraded || successor.map { $0 <= now } ?? false)
  }
}

extension EntitlementSource {
  fileprivate var subscriptionKey: PaymentKey {
    let key = grant.payment
    return PaymentKey(app: key.app, store: key.store, environment: key.environment, transaction: original)
  }

  fileprivate var name: EntitlementName? {
    guard case .entitlement(let name, _, _) = grant.content else { return nil }
    return name
  }

  fileprivate var from: Timestamp {
    guard case .entitlement(_, let from, _) = grant.content else { return grant.grantedAt }
    return from
  }

  fileprivate var until: Timestamp? {
    guard case .entitlement(_, _, let until) = grant.content else { return nil }
    return until
  }

  fileprivate var whyTakenBack: Entitlement.Reason {
    revocationType == "FAMILY_REVOKE" ? .familySharingEnded : .refunded
  }
}

extension Entitlement.State {
  init(_ status: RenewalState) {
    switch status {
    case .active: self = .active
    case .gracePeriod: self = .gracePeriod
    case .billingRetry: self = .billingRetry
    case .expired: self = .expired
    case .revoked: self = .revoked
    }
  }
}

extension Entitlement.Reason {
  init(_ expiration: VerifiedRenewal.Expiration) {
    switch expiration {
    case .cancelled: self = .cancelled
    case .billingError: self = .billingError
    case .priceIncrease: self = .priceIncrease
    case .productUnavailable: self = .productUnavailable
    case .other: self = .other
    }
  }
}
