package import PaymentModel
package import PaymentPrimitives

extension RecordingTransaction {
  // MARK: grants

  package func grant(_ payment: PaymentKey) throws -> Grant? {
    if failure == nil, let known = readGrants[payment] { return known }
    let grant = try row(.payment(payment), own: ownGrants[payment]) { try $0.grant(payment) }
    readGrants[payment] = grant
    return grant
  }

  package func changes(of payment: PaymentKey) throws -> [GrantChange] {
    try read(.payment(payment)) { try $0.changes(of: payment) }
  }

  package func postings(of payment: PaymentKey) throws -> [Posting] {
    try read(.payment(payment)) { try $0.postings(of: payment) }
  }

  package func entitlementSources(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws
    -> [EntitlementSource]
  {
    let sources = try read(.user(user, appEnvironment)) { try $0.entitlementSources(of: user, in: appEnvironment) }
    for source in sources {
      let key = source.grant.payment
      let original = PaymentKey(
        app: key.app, store: key.store, environment: key.environment, transaction: source.original)
      note([.payment(key), .original(original)])
    }
    return sources
  }

  package func sharedEntitlements(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> [PaymentKey] {
    try read(.user(user, appEnvironment)) { try $0.sharedEntitlements(of: user, in: appEnvironment) }
  }

  package func countOfShares(of original: PaymentKey) throws -> Int {
    try read(.original(original)) { try $0.countOfShares(of: original) }
  }

  package func refundRatio(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> RefundRatio {
    try read(.user(user, appEnvironment)) { try $0.refundRatio(of: user, in: appEnvironment) }
  }

  package func consumptionConsent(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws
    -> ConsumptionConsent?
  {
    try read(.user(user, appEnvironment)) { try $0.consumptionConsent(of: user, in: appEnvironment) }
  }

  // MARK: balances

  package func balances(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> [Balance] {
    try read(.user(user, appEnvironment)) { try $0.balances(of: user, in: appEnvironment) }
  }

  package func balance(of user: UserIdentifier, unit: UnitName, in appEnvironment: AppEnvironment) throws -> Balance? {
    try read(.user(user, appEnvironment)) { try $0.balance(of: user, unit: unit, in: appEnvironment) }
  }

  package func sumOfPostings(of user: UserIdentifier, unit: UnitName, in appEnvironment: AppEnvironment) throws -> Int64
  {
    try read(.user(user, appEnvironment)) { try $0.sumOfPostings(of: user, unit: unit, in: appEnvironment) }
  }

  package func creditedUnits(
    to user: UserIdentifier, unit: UnitName, since moment: Timestamp, in appEnvironment: AppEnvironment
  ) throws -> Int64 {
    try read(.user(user, appEnvironment)) {
      try $0.creditedUnits(to: user, unit: unit, since: moment, in: appEnvironment)
    }
  }

  package func sumsOfCredits(
    givenIn range: Range<Timestamp>, in appEnvironment: AppEnvironment
  ) throws -> [CreditSum] {
    try readWithoutKey { try $0.sumsOfCredits(givenIn: range, in: appEnvironment) }
  }

  package func entries(
    of user: UserIdentifier, unit: UnitName, in appEnvironment: AppEnvironment, before number: Int64?, limit: Int
  ) throws -> [LedgerEntry] {
    try read(.user(user, appEnvironment)) {
      try $0.entries(of: user, unit: unit, in: appEnvironment, before: number, limit: limit)
    }
  }

  package func booking(_ key: String, in appEnvironment: AppEnvironment) throws -> Booking? {
    try read(.booking(key, appEnvironment)) { try $0.booking(key, in: appEnvironment) }
  }

  package func hasBookings(in appEnvironment: AppEnvironment) throws -> Bool {
    try read(.bookings(appEnvironment)) { try $0.hasBookings(in: appEnvironment) }
  }

  package func merge(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> UserMerge? {
    try read(.merge(of: user, appEnvironment)) { try $0.merge(of: user, in: appEnvironment) }
  }

  package func foresee(mergeOf user: UserIdentifier, in appEnvironment: AppEnvironment) {
    base.foresee(mergeOf: user, in: appEnvironment)
    note([.merge(of: user, appEnvironment)])
  }

  package func foresee(limitsOf user: UserIdentifier, in appEnvironment: AppEnvironment) {
    base.foresee(limitsOf: user, in: appEnvironment)
    note([.user(user, appEnvironment)])
  }

  package func spendingLimits(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> [SpendingLimit] {
    try read(.user(user, appEnvironment)) { try $0.spendingLimits(of: user, in: appEnvironment) }
  }

  // MARK: lists without a key

  package func promisedProducts() throws -> [PromisedProduct] { try readWithoutKey { try $0.promisedProducts() } }

  package func newestGrant(of product: PromisedProduct) throws -> Grant? {
    try readWithoutKey { try $0.newestGrant(of: product) }
  }

  package func waitingSubscriptions() throws -> [WaitingSubscription] {
    try readWithoutKey { try $0.waitingSubscriptions() }
  }

  package func grantsOfUnknownPromise(in appEnvironment: AppEnvironment, limit: Int) throws -> [Grant] {
    try readWithoutKey { try $0.grantsOfUnknownPromise(in: appEnvironment, limit: limit) }
  }

  package func balances(after balance: Balance?, limit: Int) throws -> [Balance] {
    try readWithoutKey { try $0.balances(after: balance, limit: limit) }
  }

  package func ledgerSums(of app: AppIdentifier?) throws -> [LedgerSum] {
    try readWithoutKey { try $0.ledgerSums(of: app) }
  }

  // MARK: writes

  package func insert(_ grant: Grant) throws {
    try write(.ledger(.insertGrant(grant)))
    ownGrants[grant.payment] = grant
  }

  package func update(_ grant: Grant) throws {
    // The grant may move to another user.
    let before = try self.grant(grant.payment)
    try write(.ledger(.updateGrant(grant, formerUser: before?.user)))
    ownGrants[grant.payment] = grant
    readGrants[grant.payment] = nil
  }

  package func insert(_ change: GrantChange) throws { try write(.ledger(.insertChange(change))) }

  package func insert(_ posting: Posting) throws { try write(.ledger(.insertPosting(posting))) }

  package func insert(_ booking: Booking) throws { try write(.ledger(.insertBooking(booking))) }

  package func freezeBalance(of user: UserIdentifier, unit: UnitName, in appEnvironment: AppEnvironment) throws {
    try write(.ledger(.freezeBalance(user, unit, appEnvironment)))
  }

  package func put(_ consent: ConsumptionConsent) throws { try write(.ledger(.putConsent(consent))) }

  package func insert(_ merge: UserMerge) throws { try write(.ledger(.insertMerge(merge))) }

  package func put(_ limit: SpendingLimit) throws { try write(.ledger(.putLimit(limit))) }
}
