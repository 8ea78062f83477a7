package import PaymentModel
package import PaymentPrimitives

extension RecordingTransaction {
  // MARK: payments

  package func payment(_ key: PaymentKey) throws -> Payment? {
    try row(.payment(key), own: ownPayments[key]) { try $0.payment(key) }
  }

  package func duplicate(_ key: PaymentKey) throws -> DuplicateTransaction? {
    try read(.payment(key)) { try $0.duplicate(key) }
  }

  package func payments(ofOriginal original: PaymentKey) throws -> [Payment] {
    let payments = try read(.original(original)) { try $0.payments(ofOriginal: original) }
    note(payments.map { .payment($0.key) })
    return payments
  }

  package func duplicates(ofOriginal original: PaymentKey) throws -> [DuplicateTransaction] {
    let duplicates = try read(.original(original)) { try $0.duplicates(ofOriginal: original) }
    note(duplicates.map { .payment($0.key) })
    return duplicates
  }

  package func payment(paying order: OrderKey) throws -> Payment? {
    let payment = try read(.order(order)) { try $0.payment(paying: order) }
    note(payment.map { [.payment($0.key)] } ?? [])
    return payment
  }

  package func evidence(of payment: PaymentKey) throws -> [Evidence] {
    try read(.payment(payment)) { try $0.evidence(of: payment) }
  }

  package func stoppedChanges(of payment: PaymentKey) throws -> [StoppedChange] {
    try read(.payment(payment)) { try $0.stoppedChanges(of: payment) }
  }

  package func stoppedChanges(naming order: OrderKey) throws -> [StoppedChange] {
    let changes = try read(.order(order)) { try $0.stoppedChanges(naming: order) }
    note(changes.map { .payment($0.payment) })
    return changes
  }

  package func keptClaims(of payment: PaymentKey) throws -> [KeptClaim] {
    try read(.payment(payment)) { try $0.keptClaims(of: payment) }
  }

  package func subscription(_ key: PaymentKey) throws -> Subscription? {
    try row(.original(key), own: ownSubscriptions[key]) { try $0.subscription(key) }
  }

  package func users(ofAppTransaction identifier: String, in appEnvironment: AppEnvironment) throws
    -> Set<UserIdentifier>
  {
    try read(.appTransaction(identifier, appEnvironment)) {
      try $0.users(ofAppTransaction: identifier, in: appEnvironment)
    }
  }

  package func claims(by user: UserIdentifier, since moment: Timestamp, in appEnvironment: AppEnvironment) throws -> Int
  {
    try read(.user(user, appEnvironment)) { try $0.claims(by: user, since: moment, in: appEnvironment) }
  }

  // MARK: the earlier system

  package func earlierDelivery(of key: PaymentKey) throws -> CutOver.Earlier {
    try read(.earlierList(key.store, key.appEnvironment)) { try $0.earlierDelivery(of: key) }
  }

  package func isEarlierDelivery(_ key: PaymentKey) throws -> Bool {
    try read(.earlierList(key.store, key.appEnvironment)) { try $0.isEarlierDelivery(key) }
  }

  package func earlierListReach(at store: Store, in appEnvironment: AppEnvironment) throws -> Timestamp? {
    try read(.earlierList(store, appEnvironment)) { try $0.earlierListReach(at: store, in: appEnvironment) }
  }

  package func importedOwner(_ key: PaymentKey) throws -> ImportedOwner? {
    try read(.payment(key)) { try $0.importedOwner(key) }
  }

  // MARK: lists without a key

  package func paymentsWithDisagreeingIds(in appEnvironment: AppEnvironment, limit: Int) throws -> [Payment] {
    try readWithoutKey { try $0.paymentsWithDisagreeingIds(in: appEnvironment, limit: limit) }
  }

  package func payments(
    inState name: String, firstSeenBefore moment: Timestamp, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [Payment] {
    try readWithoutKey { try $0.payments(inState: name, firstSeenBefore: moment, in: appEnvironment, limit: limit) }
  }

  package func payments(after key: PaymentKey?, limit: Int) throws -> [Payment] {
    try readWithoutKey { try $0.payments(after: key, limit: limit) }
  }

  package func stoppedChanges(dueAt now: Timestamp, limit: Int) throws -> [StoppedChange] {
    try readWithoutKey { try $0.stoppedChanges(dueAt: now, limit: limit) }
  }

  package func stoppedChanges(in appEnvironment: AppEnvironment, limit: Int) throws -> [StoppedChange] {
    try readWithoutKey { try $0.stoppedChanges(in: appEnvironment, limit: limit) }
  }

  package func countOfStoppedChanges(in appEnvironment: AppEnvironment) throws -> [(
    kind: StoppedChange.Kind, count: Int
  )] {
    try readWithoutKey { try $0.countOfStoppedChanges(in: appEnvironment) }
  }

  package func nextStoppedChange() throws -> Timestamp? { try readWithoutKey { try $0.nextStoppedChange() } }

  package func subscriptionsToAsk(at now: Timestamp, in appEnvironment: AppEnvironment, limit: Int) throws
    -> [Subscription]
  {
    try readWithoutKey { try $0.subscriptionsToAsk(at: now, in: appEnvironment, limit: limit) }
  }

  // MARK: writes

  package func insert(_ payment: Payment) throws {
    try write(.payment(.insert(payment)))
    ownPayments[payment.key] = payment
  }

  package func update(_ payment: Payment) throws {
    try write(.payment(.update(payment)))
    ownPayments[payment.key] = payment
  }

  package func insert(_ duplicate: DuplicateTransaction) throws { try write(.payment(.insertDuplicate(duplicate))) }

  package func update(_ duplicate: DuplicateTransaction) throws { try write(.payment(.updateDuplicate(duplicate))) }

  package func removeDuplicate(_ key: PaymentKey) throws { try write(.payment(.removeDuplicate(key))) }

  package func insert(_ evidence: Evidence) throws { try write(.payment(.insertEvidence(evidence))) }

  package func put(_ stopped: StoppedChange) throws { try write(.payment(.putStoppedChange(stopped))) }

  package func remove(_ stopped: StoppedChange) throws { try write(.payment(.removeStoppedChange(stopped))) }

  package func insert(_ claim: KeptClaim) throws { try write(.payment(.insertKeptClaim(claim))) }

  package func put(_ subscription: Subscription) throws {
    try write(.payment(.putSubscription(subscription)))
    ownSubscriptions[subscription.key] = subscription
  }

  package func share(_ original: PaymentKey, with user: UserIdentifier, at moment: Timestamp) throws {
    try write(.payment(.share(original, with: user, at: moment)))
  }

  package func noteUser(
    _ user: UserIdentifier, ofAppTransaction identifier: String, in appEnvironment: AppEnvironment
  ) throws {
    try write(.payment(.noteUser(user, appTransaction: identifier, appEnvironment)))
  }

  package func noteClaim(by user: UserIdentifier, of payment: PaymentKey, at moment: Timestamp) throws {
    try write(.payment(.noteClaim(by: user, payment, at: moment)))
  }

  package func noteEarlierDeliveries(
    _ transactions: [TransactionIdentifier], at store: Store, in appEnvironment: AppEnvironment
  ) throws {
    try write(.payment(.noteEarlierDeliveries(transactions, store, appEnvironment)))
  }

  package func setEarlierListReach(_ reach: Timestamp?, at store: Store, in appEnvironment: AppEnvironment) throws {
    try write(.payment(.setEarlierListReach(reach, store, appEnvironment)))
  }

  package func insert(_ owner: ImportedOwner) throws { try write(.payment(.insertImportedOwner(owner))) }
}
