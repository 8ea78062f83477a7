import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import TestDoubles

// The queries, after the operations.
extension RandomOperations {
  /// Runs one query of each kind, and returns the answers.
  mutating func ask(_ reading: any DatabaseReader) throws -> String {
    try [
      askOrders(reading), askPayments(reading), askLedger(reading), askWallet(reading), askMessages(reading),
      askWeChatPay(reading), askAppStore(reading), askInstallation(reading), search(reading), list(reading),
    ].joined(separator: "\n")
  }

  private mutating func askOrders(_ reading: any DatabaseReader) throws -> String {
    var query = OrderQuery(appEnvironment: appEnvironment(), limit: limit())
    if chance.oneIn(2) { query.user = user() }
    query.openOnly = chance.oneIn(2)
    if chance.oneIn(2) { query.before = OrderPosition(createdAt: moment(), id: orderIdentifier()) }
    let (a, b) = (moment(), moment())
    let after = chance.oneIn(2) ? orderKey() : nil
    return try [
      rendering(reading.order(orderKey())),
      rendering(
        reading.orderWithPayment(
          orderIdentifier(), of: appEnvironment().app, in: environments(), user: chance.oneIn(2) ? user() : nil)),
      rendering(reading.order(referenceFromBackend: word(), in: appEnvironment())),
      rendering(reading.order(referenceFromApp: word(), of: user(), in: appEnvironment())),
      rendering(reading.order(idempotencyKey: word(), of: word(), in: appEnvironment())),
      rendering(reading.orders(query)),
      rendering(
        reading.unpaidOrders(
          of: user(), for: ProductIdentifier(word()), at: chance.one(of: Store.allCases),
          madeIn: min(a, b)...max(a, b), in: appEnvironment())),
      rendering(reading.openOrders(of: user(), in: appEnvironment())),
      rendering(reading.ordersToExpire(at: moment(), limit: limit())),
      rendering(reading.orders(after: after, limit: limit())),
    ].joined(separator: "\n")
  }

  private mutating func askPayments(_ reading: any DatabaseReader) throws -> String {
    let after = chance.oneIn(2) ? paymentKey() : nil
    return try [
      rendering(reading.payment(paymentKey())), rendering(reading.duplicate(paymentKey())),
      rendering(reading.payments(ofOriginal: paymentKey())), rendering(reading.duplicates(ofOriginal: paymentKey())),
      rendering(reading.paymentsWithDisagreeingIds(in: appEnvironment(), limit: limit())),
      rendering(reading.payment(paying: orderKey())),
      rendering(
        reading.payments(
          inState: rows.paymentState().name, firstSeenBefore: moment(), in: appEnvironment(), limit: limit())),
      rendering(reading.payments(after: after, limit: limit())),
      rendering(reading.evidence(of: paymentKey())), rendering(reading.subscription(paymentKey())),
      rendering(reading.users(ofAppTransaction: word(), in: appEnvironment())),
      rendering(reading.claims(by: user(), since: moment(), in: appEnvironment())),
      rendering(reading.earlierDelivery(of: paymentKey())),
    ].joined(separator: "\n")
  }

  private mutating func askLedger(_ reading: any DatabaseReader) throws -> String {
    let after = Balance(appEnvironment: appEnvironment(), user: user(), unit: unit(), amount: 0)
    let promised = try reading.promisedProducts()
    return try [
      rendering(promised), rendering(reading.grantsOfUnknownPromise(in: appEnvironment(), limit: limit())),
      rendering(promised.prefix(3).map { try reading.newestGrant(of: $0) }),
      rendering(reading.waitingSubscriptions()),
      rendering(reading.grant(paymentKey())), rendering(reading.changes(of: paymentKey())),
      rendering(reading.entitlementSources(of: user(), in: appEnvironment())),
      rendering(reading.sharedEntitlements(of: user(), in: appEnvironment())),
      rendering(reading.countOfShares(of: paymentKey())),
      rendering(reading.subscriptionsToAsk(at: moment(), in: appEnvironment(), limit: limit())),
      rendering(reading.balances(of: user(), in: appEnvironment())),
      rendering(reading.postings(of: paymentKey())),
      rendering(reading.balances(after: chance.oneIn(2) ? after : nil, limit: limit())),
      rendering(reading.sumOfPostings(of: user(), unit: unit(), in: appEnvironment())),
    ].joined(separator: "\n")
  }

  private mutating func askMessages(_ reading: any DatabaseReader) throws -> String {
    var query = DeliveryQuery(
      appEnvironment: appEnvironment(), selection: chance.one(of: DeliveryQuery.Selection.allCases), limit: limit())
    if chance.oneIn(2) { query.after = DeliveryIdentifier(word() + word()) }
    var notifications = NotificationQuery(appEnvironment: appEnvironment(), limit: limit())
    if chance.oneIn(3) { notifications.effect = chance.one(of: ReceivedNotification.Effect.allCases) }
    if chance.oneIn(3) { notifications.store = chance.one(of: Store.allCases) }
    if chance.oneIn(4) { notifications.type = word() }
    let feed = JournalQuery(appEnvironment: appEnvironment(), after: 0, upTo: .max, limit: limit())
    return try [
      rendering(reading.notification(word(), in: appEnvironment())),
      rendering(reading.countOfKeptNotifications(in: appEnvironment())),
      rendering(
        reading.keptNotifications(
          of: word(), after: chance.oneIn(2) ? word() : nil, in: appEnvironment(), limit: limit())),
      rendering(reading.notifications(notifications).notifications),
      rendering(reading.delivery(DeliveryIdentifier(word() + word()))),
      rendering(reading.deliveries(of: paymentKey())),
      rendering(reading.deliveries(query)),
      rendering(reading.dueDeliveries(at: moment(), in: appEnvironment(), limit: limit())),
      rendering(reading.nextDeliveryTime(in: appEnvironment())),
      rendering(reading.deliveryBacklog(in: appEnvironment())),
      rendering(reading.journal(of: orderKey())), rendering(reading.journal(of: paymentKey())),
      rendering(reading.keptClaims(of: paymentKey())),
      // The numbers have gaps in some databases.
      rendering(
        reading.journal(feed).entries.map { [$0.entry.what, $0.entry.details, $0.user?.text, $0.reference?.text] }),
    ].joined(separator: "\n")
  }

  /// What an operator searches for.
  private mutating func search(_ reading: any DatabaseReader) throws -> String {
    let (a, b) = (moment(), moment())
    return try [
      rendering(reading.orders(referenceFromApp: word(), in: appEnvironment(), limit: limit())),
      rendering(reading.orderIdentifiers(madeIn: min(a, b)...max(a, b), in: appEnvironment(), limit: limit())),
      rendering(reading.payments(ofLineItem: word(), in: appEnvironment(), limit: limit())),
      rendering(reading.payments(withUnmatchedToken: orderIdentifier(), in: appEnvironment(), limit: limit())),
      rendering(reading.payments(grantedTo: user(), in: appEnvironment(), limit: limit())),
      rendering(reading.refunds(storeNumber: word(), in: appEnvironment(), limit: limit())),
    ].joined(separator: "\n")
  }

  /// What an operator lists.
  private mutating func list(_ reading: any DatabaseReader) throws -> String {
    var query = PaymentQuery(appEnvironment: appEnvironment(), charges: chance.oneIn(2), limit: limit())
    if chance.oneIn(2) { query.boughtUntil = moment() }
    if chance.oneIn(2) {
      query.before = PaymentPosition(
        purchaseDate: moment(), transaction: TransactionIdentifier(word()), store: chance.one(of: Store.allCases))
    }
    let after = chance.oneIn(2) ? (askAt: moment(), key: paymentKey()) : nil
    let known = try reading.deliveries(
      DeliveryQuery(appEnvironment: appEnvironment(), selection: .all, limit: 1)
    ).first
    let (first, second) = (moment(), moment())
    var stated = StatedTimeQuery(
      chance.one(of: StatedTime.allCases), in: min(first, second)..<max(first, second), of: appEnvironment(),
      limit: limit())
    if chance.oneIn(2) { stated.last = try reading.payments(stated).first }
    return try [
      rendering(reading.payments(query)), rendering(reading.payments(stated)),
      rendering(reading.subscriptions(after: after, in: appEnvironment(), limit: limit())),
      rendering(
        reading.reconciliations(
          from: word(), to: word(), at: chance.one(of: Store.allCases), in: appEnvironment(), limit: limit())),
      rendering(reading.consumptionRequests(in: appEnvironment(), limit: limit())),
      rendering(
        reading.journal(
          telling: chance.one(of: JournalEvent.listed + [.orderPaid]), since: moment(), in: appEnvironment(),
          limit: limit())),
      rendering(reading.refundsStuck(in: appEnvironment(), limit: limit())),
      rendering(reading.frozenOrders(in: appEnvironment(), limit: limit())),
      rendering(reading.frozenBalances(in: appEnvironment(), limit: limit())),
      rendering(known.map { try reading.attempts(of: $0.id, about: $0.payment) } ?? []),
      rendering(reading.attempts(of: DeliveryIdentifier(word() + word()), about: paymentKey())),
      rendering(reading.payments(ofOrderNumber: word(), in: appEnvironment(), limit: limit())),
    ].joined(separator: "\n")
  }

  private mutating func askInstallation(_ reading: any DatabaseReader) throws -> String {
    try [
      rendering(reading.apiKey(CredentialIdentifier(word()))),
      rendering(reading.apiKeys(of: AppIdentifier(word()))), rendering(reading.setting(word())),
    ].joined(separator: "\n")
  }
}
