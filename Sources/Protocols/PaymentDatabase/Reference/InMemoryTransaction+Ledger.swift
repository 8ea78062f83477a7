import PaymentModel
import PaymentPrimitives

extension InMemoryTransaction {
  // MARK: questions

  func grant(_ payment: PaymentKey) throws -> Grant? {
    try proceed()
    return rows.grants[payment]
  }

  func promisedProducts() throws -> [PromisedProduct] {
    try proceed()
    return rows.promisedProducts.keys.sorted()
  }

  func newestGrant(of product: PromisedProduct) throws -> Grant? {
    try proceed()
    return rows.grants.values.filter { PromisedProduct(of: $0) == product }
      .compactMap { grant in rows.payments[grant.payment].map { (grant, $0.facts.purchaseDate) } }
      .max { ($0.1, $0.0.payment) < ($1.1, $1.0.payment) }?.0
  }

  func waitingSubscriptions() throws -> [WaitingSubscription] {
    try proceed()
    let waiting = rows.payments.values.filter { payment in
      switch payment.state {
      case .verified, .unclaimed: payment.facts.kind == .autoRenewable
      case .held(let reason): payment.facts.kind == .autoRenewable && reason != .productUnknown
      case .fulfilled, .setAside, .revoked, .imported, .reversed, .reinstated: false
      }
    }
    return Set(waiting.map { WaitingSubscription(app: $0.key.app, storeProduct: $0.facts.storeProduct) }).sorted()
  }

  func grantsOfUnknownPromise(in appEnvironment: AppEnvironment, limit: Int) throws -> [Grant] {
    try proceed()
    return rows.grants.values
      .filter { $0.promise.rule == nil && $0.payment.appEnvironment == appEnvironment }
      .sorted { $0.payment < $1.payment }
      .limited(to: limit)
  }

  func changes(of payment: PaymentKey) throws -> [GrantChange] {
    try proceed()
    return rows.changes[payment] ?? []
  }

  func entitlementSources(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> [EntitlementSource] {
    try proceed()
    return rows.grants.values
      .filter {
        guard case .entitlement = $0.content else { return false }
        return $0.user == user && $0.payment.appEnvironment == appEnvironment
      }
      .sorted { ($1.grantedAt, $1.payment) < ($0.grantedAt, $0.payment) }
      .limited(to: DatabaseLimits.entitlementsPerUser)
      .compactMap { grant in
        guard let facts = rows.payments[grant.payment]?.facts else { return nil }
        return EntitlementSource(grant, of: facts, renewal: rows.subscriptions[facts.originalKey]?.renewal)
      }
  }

  func balances(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> [Balance] {
    try proceed()
    return rows.balances.values
      .filter { $0.user == user && $0.appEnvironment == appEnvironment }
      .sorted { $0.unit < $1.unit }
  }

  func balance(of user: UserIdentifier, unit: UnitName, in appEnvironment: AppEnvironment) throws -> Balance? {
    try proceed()
    return rows.balances[InMemoryRows.BalanceKey(appEnvironment: appEnvironment, user: user, unit: unit)]
  }

  func postings(of payment: PaymentKey) throws -> [Posting] {
    try proceed()
    return rows.postings[payment] ?? []
  }

  func balances(after balance: Balance?, limit: Int) throws -> [Balance] {
    try proceed()
    let last = balance.map { InMemoryRows.BalanceKey(appEnvironment: $0.appEnvironment, user: $0.user, unit: $0.unit) }
    return rows.balanceKeys.after(last).limited(to: limit).compactMap { rows.balances[$0] }
  }

  func sumOfPostings(of user: UserIdentifier, unit: UnitName, in appEnvironment: AppEnvironment) throws -> Int64 {
    try proceed()
    // Rejected postings are not stored, so the final sum fits 64 bits. Only intermediate sums in this order can
    // overflow.
    return (rows.movements[InMemoryRows.BalanceKey(appEnvironment: appEnvironment, user: user, unit: unit)] ?? [])
      .reduce(0) { $0 &+ $1.amount }
  }

  // MARK: writes

  func insert(_ grant: Grant) throws {
    try proceed()
    try requireSense(of: grant)
    guard rows.grants[grant.payment] == nil else { throw conflict(on: "grant") }
    try requirePayment(grant.payment, for: "grant")
    set(\.grants, grant.payment, value: grant)
    set(\.promisedProducts, PromisedProduct(of: grant), value: true)
  }

  func update(_ grant: Grant) throws {
    try proceed()
    guard rows.grants[grant.payment] != nil else {
      throw fail(.inconsistent, "A grant to be updated is missing.")
    }
    try requireSense(of: grant)
    set(\.grants, grant.payment, value: grant)
  }

  private func requireSense(of grant: Grant) throws {
    try require(grant.parts >= 1, "A grant gives nothing.")
    try require(
      (0...grant.parts).contains(grant.takenBack), "More is taken back of a grant than it gave.")
  }

  func insert(_ change: GrantChange) throws {
    try proceed()
    try require(change.amount >= 1, "A change of a grant changes nothing.")
    let key = InMemoryRows.ChangeKey(
      payment: change.payment, kind: change.kind, cause: ExactText(change.cause))
    guard rows.changeKeys[key] == nil else { throw conflict(on: "grant's change") }
    try requirePayment(change.payment, for: "grant's change")
    set(\.changeKeys, key, value: true)
    append(\.changes, change.payment, element: change)
  }

  func insert(_ posting: Posting) throws {
    try proceed()
    guard case .payment(let payment, let cause) = posting.source else {
      throw fail(.inconsistent, "A booking's posting is written with the booking.")
    }
    try require(posting.amount >= 1, "A posting moves nothing.")
    let key = InMemoryRows.PostingKey(payment: payment, cause: ExactText(cause))
    guard rows.postingKeys[key] == nil else { throw conflict(on: "posting") }
    try requirePayment(payment, for: "posting")
    set(\.postingKeys, key, value: true)
    append(\.postings, payment, element: posting)
    try post(posting)
  }

  /// Numbers a posting and changes both of its accounts.
  func post(_ posting: Posting) throws {
    rows.postingCount += 1
    undo { $0.postingCount -= 1 }
    for change in posting.balanceChanges {
      let key = InMemoryRows.BalanceKey(appEnvironment: posting.appEnvironment, user: change.user, unit: posting.unit)
      let before = rows.balances[key]?.amount ?? 0
      let (after, overflow) = before.addingReportingOverflow(change.amount)
      guard !overflow else { throw fail(.balanceOutOfRange, "The unit is \(posting.unit).") }
      if rows.balances[key] == nil { move(\.balanceKeys, from: nil, to: key) }
      append(\.movements, key, element: .init(amount: change.amount, number: rows.postingCount, posting: posting))
      set(
        \.balances, key,
        value: Balance(
          appEnvironment: posting.appEnvironment, user: change.user, unit: posting.unit, amount: after,
          frozenSince: after < 0 ? rows.balances[key]?.frozenSince : nil))
    }
    let place = InMemoryRows.UnitInEnvironment(appEnvironment: posting.appEnvironment, unit: posting.unit)
    for (account, amount) in [(posting.debit, -posting.amount), (posting.credit, posting.amount)] {
      if case .user = account { continue }
      set(\.otherAccounts, place, value: (rows.otherAccounts[place] ?? 0) &+ amount)
    }
  }
}
