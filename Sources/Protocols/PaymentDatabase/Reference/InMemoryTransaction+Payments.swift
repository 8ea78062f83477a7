import PaymentModel
import PaymentPrimitives

extension InMemoryTransaction {
  // MARK: questions

  func payment(_ key: PaymentKey) throws -> Payment? {
    try proceed()
    return rows.payments[key]
  }

  func duplicate(_ key: PaymentKey) throws -> DuplicateTransaction? {
    try proceed()
    return rows.duplicates[key]
  }

  func duplicates(ofOriginal original: PaymentKey) throws -> [DuplicateTransaction] {
    try proceed()
    return (rows.duplicatesByOriginal[original] ?? []).compactMap { rows.duplicates[$0] }.sorted { $0.key < $1.key }
      .limited(to: DatabaseLimits.paymentsPerSubscription)
  }

  func paymentsWithDisagreeingIds(in appEnvironment: AppEnvironment, limit: Int) throws -> [Payment] {
    try proceed()
    return rows.payments.values.filter { $0.key.appEnvironment == appEnvironment && $0.idsDisagreeSince != nil }
      .sorted { ($0.idsDisagreeSince ?? $0.firstSeenAt, $0.key) < ($1.idsDisagreeSince ?? $1.firstSeenAt, $1.key) }
      .limited(to: limit)
  }

  func payments(ofOriginal original: PaymentKey) throws -> [Payment] {
    try proceed()
    return (rows.paymentsByOriginal[original] ?? []).compactMap { rows.payments[$0] }
      .sorted { ($0.facts.purchaseDate, $0.key) < ($1.facts.purchaseDate, $1.key) }
      .limited(to: DatabaseLimits.paymentsPerSubscription)
  }

  func payment(paying order: OrderKey) throws -> Payment? {
    try proceed()
    return rows.paymentsByOrder[order].flatMap { rows.payments[$0] }
  }

  func payments(
    inState name: String, firstSeenBefore moment: Timestamp, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [Payment] {
    try proceed()
    return rows.payments.values
      .filter { $0.key.appEnvironment == appEnvironment && $0.state.name == name && $0.firstSeenAt < moment }
      .sorted { ($0.firstSeenAt, $0.key) < ($1.firstSeenAt, $1.key) }
      .limited(to: limit)
  }

  func payments(after key: PaymentKey?, limit: Int) throws -> [Payment] {
    try proceed()
    return rows.paymentKeys.after(key).limited(to: limit).compactMap { rows.payments[$0] }
  }

  func evidence(of payment: PaymentKey) throws -> [Evidence] {
    try proceed()
    return rows.evidence[payment] ?? []
  }

  func keptClaims(of payment: PaymentKey) throws -> [KeptClaim] {
    try proceed()
    return rows.keptClaims[payment] ?? []
  }

  func users(
    ofAppTransaction identifier: String, in appEnvironment: AppEnvironment
  ) throws -> Set<UserIdentifier> {
    try proceed()
    return rows.knownUsers[ScopedText(appEnvironment: appEnvironment, scope: "", text: ExactText(identifier))] ?? []
  }

  func claims(by user: UserIdentifier, since moment: Timestamp, in appEnvironment: AppEnvironment) throws -> Int {
    try proceed()
    return rows.claims[appEnvironment]?.count { $0.user == user && $0.at >= moment } ?? 0
  }

  // MARK: writes

  func insert(_ payment: Payment) throws {
    try proceed()
    guard rows.payments[payment.key] == nil else { throw conflict(on: "payment") }
    if let order = payment.order {
      try take(OrderKey(appEnvironment: payment.key.appEnvironment, id: order), for: payment.key)
    }
    move(\.paymentKeys, from: nil, to: payment.key)
    place(payment, before: nil)
    set(\.payments, payment.key, value: payment)
  }

  func update(_ payment: Payment) throws {
    try proceed()
    guard let before = rows.payments[payment.key] else {
      throw fail(.inconsistent, "A payment to be updated is missing.")
    }
    if before.order != payment.order {
      if let order = before.order {
        remove(\.paymentsByOrder, OrderKey(appEnvironment: payment.key.appEnvironment, id: order))
      }
      if let order = payment.order {
        try take(OrderKey(appEnvironment: payment.key.appEnvironment, id: order), for: payment.key)
      }
    }
    place(payment, before: before)
    set(\.payments, payment.key, value: payment)
  }

  /// Updates the indexes that depend on its facts.
  private func place(_ payment: Payment, before: Payment?) {
    move(\.charges, from: before.flatMap(charge(of:)), to: charge(of: payment))
    let original = original(of: payment)
    if let before {
      let former = self.original(of: before)
      guard former != original else { return }
      set(\.paymentsByOriginal, former, value: (rows.paymentsByOriginal[former] ?? []).subtracting([payment.key]))
    }
    set(\.paymentsByOriginal, original, value: (rows.paymentsByOriginal[original] ?? []).union([payment.key]))
  }

  private func charge(of payment: Payment) -> ChargePlace? {
    guard payment.facts.merchant != nil else { return nil }
    return ChargePlace(
      appEnvironment: payment.key.appEnvironment, date: payment.facts.purchaseDate,
      transaction: payment.key.transaction,
      store: payment.key.store)
  }

  private func original(of payment: Payment) -> PaymentKey {
    PaymentKey(
      app: payment.key.app, store: payment.key.store, environment: payment.key.environment,
      transaction: payment.facts.originalTransaction)
  }

  private func take(_ order: OrderKey, for payment: PaymentKey) throws {
    guard rows.paymentsByOrder[order] == nil else { throw conflict(on: "payment's order") }
    set(\.paymentsByOrder, order, value: payment)
  }

  func insert(_ duplicate: DuplicateTransaction) throws {
    try proceed()
    guard rows.duplicates[duplicate.key] == nil else { throw conflict(on: "echo") }
    set(\.duplicates, duplicate.key, value: duplicate)
    set(
      \.duplicatesByOriginal, duplicate.original,
      value: (rows.duplicatesByOriginal[duplicate.original] ?? []).union([duplicate.key]))
  }

  func update(_ duplicate: DuplicateTransaction) throws {
    try proceed()
    guard let before = rows.duplicates[duplicate.key], before.original == duplicate.original else {
      throw fail(.inconsistent, "A duplicate id to be updated is missing.")
    }
    set(\.duplicates, duplicate.key, value: duplicate)
  }

  func removeDuplicate(_ key: PaymentKey) throws {
    try proceed()
    guard let duplicate = rows.duplicates[key] else { return }
    remove(\.duplicates, key)
    set(
      \.duplicatesByOriginal, duplicate.original,
      value: (rows.duplicatesByOriginal[duplicate.original] ?? []).subtracting([key]))
  }

  func insert(_ evidence: Evidence) throws {
    try proceed()
    append(\.evidence, evidence.payment, element: evidence)
  }

  func insert(_ claim: KeptClaim) throws {
    try proceed()
    append(\.keptClaims, claim.payment, element: claim)
  }

  func noteUser(
    _ user: UserIdentifier, ofAppTransaction identifier: String, in appEnvironment: AppEnvironment
  ) throws {
    try proceed()
    let key = ScopedText(appEnvironment: appEnvironment, scope: "", text: ExactText(identifier))
    set(\.knownUsers, key, value: (rows.knownUsers[key] ?? []).union([user]))
  }

  func noteClaim(by user: UserIdentifier, of payment: PaymentKey, at moment: Timestamp) throws {
    try proceed()
    append(\.claims, payment.appEnvironment, element: .init(user: user, at: moment))
  }
}
