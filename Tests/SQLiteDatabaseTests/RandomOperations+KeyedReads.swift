import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import TestDoubles

/// A read of what a key covers, with its answer as text.
struct KeyedRead: Sendable {
  let name: String
  let answer: @Sendable (any DatabaseReader) throws -> String

  init<Answer>(_ name: String, _ read: @escaping @Sendable (any DatabaseReader) throws -> Answer) {
    self.name = name
    answer = { rendering(try read($0)) }
  }
}

extension RandomOperations {
  /// One read of each kind that a plan may contain, about random rows.
  mutating func keyedReads() -> [KeyedRead] { ordersRead() + paymentsRead() + ledgerRead() + messagesRead() }

  private mutating func ordersRead() -> [KeyedRead] {
    let (order, user, word, place, product) = (orderKey(), user(), word(), appEnvironment(), ProductIdentifier(word()))
    let (store, payment, caller) = (chance.one(of: Store.allCases), paymentKey(), self.word())
    let all = Timestamp(milliseconds: .min / 2)...Timestamp(milliseconds: .max / 2)
    let (places, asker) = (environments(), chance.oneIn(2) ? user : nil)
    return [
      KeyedRead("order with payment") {
        try $0.orderWithPayment(order.id, of: place.app, in: places, user: asker)
      },
      KeyedRead("order") { try $0.order(order) },
      KeyedRead("order by the backend's number") { try $0.order(referenceFromBackend: word, in: place) },
      KeyedRead("order by the app's number") { try $0.order(referenceFromApp: word, of: user, in: place) },
      KeyedRead("order by idempotency key") { try $0.order(idempotencyKey: word, of: caller, in: place) },
      KeyedRead("unpaid orders") {
        try $0.unpaidOrders(of: user, for: product, at: store, madeIn: all, in: place)
      },
      KeyedRead("open orders") { try $0.openOrders(of: user, in: place) },
      KeyedRead("WeChat Pay order") { try $0.weChatPayOrder(order) },
      KeyedRead("refund") { try $0.refund(word, in: place) },
      KeyedRead("refunds of a payment") { try $0.refunds(of: payment) },
      KeyedRead("reconciliation") { try $0.reconciliation(of: word, at: store, in: place) },
    ]
  }

  /// Some environments, in any order.
  mutating func environments() -> [StoreEnvironment] {
    (0..<Int(chance.number(below: 4))).map { _ in appEnvironment().environment }
  }

  private mutating func paymentsRead() -> [KeyedRead] {
    let (payment, order, user, word, place) = (paymentKey(), orderKey(), user(), word(), appEnvironment())
    let moment = moment()
    return [
      KeyedRead("payment") { try $0.payment(payment) },
      KeyedRead("duplicate") { try $0.duplicate(payment) },
      KeyedRead("payments of an original") { try $0.payments(ofOriginal: payment) },
      KeyedRead("duplicates of a subscription") { try $0.duplicates(ofOriginal: payment) },
      KeyedRead("payment of an order") { try $0.payment(paying: order) },
      KeyedRead("evidence") { try $0.evidence(of: payment) },
      KeyedRead("stopped changes") { try $0.stoppedChanges(of: payment) },
      KeyedRead("stopped changes of an order") { try $0.stoppedChanges(naming: order) },
      KeyedRead("kept claims") { try $0.keptClaims(of: payment) },
      KeyedRead("subscription") { try $0.subscription(payment) },
      KeyedRead("users of an app transaction") { try $0.users(ofAppTransaction: word, in: place) },
      KeyedRead("claims") { try $0.claims(by: user, since: moment, in: place) },
      KeyedRead("earlier delivery") { try $0.earlierDelivery(of: payment) },
      KeyedRead("earlier list") { try $0.isEarlierDelivery(payment) },
      KeyedRead("reach of the earlier list") { try $0.earlierListReach(at: payment.store, in: place) },
      KeyedRead("imported owner") { try $0.importedOwner(payment) },
    ]
  }

  private mutating func ledgerRead() -> [KeyedRead] {
    let (payment, user, booking, place, unit) = (paymentKey(), user(), word() + word(), appEnvironment(), unit())
    return [
      KeyedRead("grant") { try $0.grant(payment) },
      KeyedRead("changes") { try $0.changes(of: payment) },
      KeyedRead("postings") { try $0.postings(of: payment) },
      KeyedRead("entitlements") { try $0.entitlementSources(of: user, in: place) },
      KeyedRead("shared entitlements") { try $0.sharedEntitlements(of: user, in: place) },
      KeyedRead("count of shares") { try $0.countOfShares(of: payment) },
      KeyedRead("refund ratio") { try $0.refundRatio(of: user, in: place) },
      KeyedRead("merge") { try $0.merge(of: user, in: place) },
      KeyedRead("spending limits") { try $0.spendingLimits(of: user, in: place) },
      KeyedRead("promotional entitlement") { try $0.promotionalEntitlement(booking, in: place) },
      KeyedRead("promotional entitlements") { try $0.promotionalEntitlements(of: user, in: place, limit: 9) },
      KeyedRead("consent") { try $0.consumptionConsent(of: user, in: place) },
      KeyedRead("balances") { try $0.balances(of: user, in: place) },
      KeyedRead("balance") { try $0.balance(of: user, unit: unit, in: place) },
      KeyedRead("sum of postings") { try $0.sumOfPostings(of: user, unit: unit, in: place) },
      KeyedRead("entries") { try $0.entries(of: user, unit: unit, in: place, before: nil, limit: 100) },
      KeyedRead("booking") { try $0.booking(booking, in: place) },
      KeyedRead("credited units") {
        try $0.creditedUnits(to: user, unit: unit, since: Timestamp(milliseconds: 0), in: place)
      },
      KeyedRead("whether there are bookings") { try $0.hasBookings(in: place) },
    ]
  }

  private mutating func messagesRead() -> [KeyedRead] {
    let (payment, order, word, place) = (paymentKey(), orderKey(), word(), appEnvironment())
    let (delivery, digest, key) = (DeliveryIdentifier(self.word() + self.word()), digest(), CredentialIdentifier(word))
    let purpose = chance.one(of: AppStoreTask.Purpose.allCases)
    return [
      KeyedRead("App Store task") { try $0.appStoreTask(purpose, about: payment) },
      KeyedRead("receipt") { try $0.receipt(digest: digest) },
      KeyedRead("App Store history") { try $0.appStoreHistory(of: payment) },
      KeyedRead("notification") { try $0.notification(word, in: place) },
      KeyedRead("forward") { try $0.forward(of: word, in: place) },
      KeyedRead("delivery") { try $0.delivery(delivery) },
      KeyedRead("deliveries of a payment") { try $0.deliveries(of: payment) },
      KeyedRead("journal of an order") { try $0.journal(of: order) },
      KeyedRead("journal of a payment") { try $0.journal(of: payment) },
      KeyedRead("key") { try $0.apiKey(key) },
      KeyedRead("setting") { try $0.setting(word) },
    ]
  }

  /// A write that `perform` makes seldom or never.
  mutating func performRarely(on transaction: any DatabaseTransaction) throws {
    switch chance.number(below: 9) {
    case 0:
      let product = chance.oneIn(2) ? StoreProductIdentifier(word()) : nil
      try transaction.insert(
        ImportedOwner(transaction: paymentKey(), user: user(), product: product, importedAt: moment()))
    case 1:
      let forward = NotificationForward(
        appEnvironment: appEnvironment(), notification: word(), body: word(), createdAt: moment())
      try transaction.insert(forward)
    case 2: try changeDuplicates(paymentKey(), transaction)
    case 3: _ = try atWallet(transaction)
    case 4: try transaction.insert(rows.journalEntry(order: orderKey(), payment: nil))
    default: _ = try atAppStore(transaction)
    }
  }
}
