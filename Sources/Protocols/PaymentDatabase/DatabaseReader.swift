package import PaymentModel
package import PaymentPrimitives

/// The questions. Every list is ordered as said and bounded by the limit that is asked for (less than 0 asks for none).
///
/// Texts are compared as UTF-8 bytes everywhere, never by Unicode equivalence. "In order" means the order of insertion.
///
/// Inside a transaction, a row that was read is protected until the end: it does not change under the transaction, or
/// the transaction meets a `DatabaseConflict`.
package protocol DatabaseReader {
  // MARK: orders

  /// The order of that key.
  func order(_ key: OrderKey) throws -> Order?
  /// The order with the number that the app's backend gave (unique in the realm).
  func order(referenceFromBackend text: String, in realm: AppEnvironment) throws -> Order?
  /// The order with the number that the app gave for that user (unique for the user).
  func order(referenceFromApp text: String, of user: UserIdentifier, in realm: AppEnvironment) throws -> Order?
  /// The order that a caller's idempotency key made.
  func order(idempotencyKey key: String, of caller: String, in realm: AppEnvironment) throws -> Order?
  /// Orders newest first, by (creation, id).
  func orders(_ query: OrderQuery) throws -> [Order]
  /// A user's unpaid orders (open or closed) for a product at a store, made in that time; by (creation, id), at most
  /// `DatabaseLimits.ordersPerUser`.
  func unpaidOrders(
    of user: UserIdentifier, for product: ProductIdentifier, at store: Store,
    madeIn range: ClosedRange<Timestamp>, in realm: AppEnvironment
  ) throws -> [Order]
  /// A user's orders that await payment, by (creation, id), at most `DatabaseLimits.ordersPerUser`.
  func openOrders(of user: UserIdentifier, in realm: AppEnvironment) throws -> [Order]
  /// App Store orders that await payment at or past the end of their time, by (end, key). Those of WeChat Pay are
  /// closed there first, so they end by their questions.
  func ordersToExpire(at now: Timestamp, limit: Int) throws -> [Order]
  /// All orders after a key, in key order: for the audit.
  func orders(after key: OrderKey?, limit: Int) throws -> [Order]

  // MARK: WeChat Pay

  /// What stands beside an order that WeChat Pay is to be paid for.
  func weChatPayOrder(_ key: OrderKey) throws -> WeChatPayOrder?
  /// Those about which WeChat Pay is to be asked by now, by (time of the question, key).
  func weChatPayOrdersToAsk(at now: Timestamp, limit: Int) throws -> [WeChatPayOrder]
  func refund(_ number: String, in realm: AppEnvironment) throws -> Refund?
  /// All refunds of a payment, by (creation, number); at most `DatabaseLimits.refundsPerPayment`.
  func refunds(of payment: PaymentKey) throws -> [Refund]
  /// Refunds that the store is to be asked about by now, by (time of the question, realm, number).
  func refundsToAsk(at now: Timestamp, limit: Int) throws -> [Refund]
  /// When the earliest question about an order or a refund is due; nil when none is.
  func nextStoreQuestion() throws -> Timestamp?
  /// Charges (payments that state a merchant) of a realm that were made in that time, by (purchase date, transaction
  /// id), after one of them: for the comparison with a bill.
  func charges(
    madeIn range: Range<Timestamp>, after last: (date: Timestamp, transaction: TransactionIdentifier)?,
    in realm: AppEnvironment,
    limit: Int
  ) throws -> [Payment]
  /// Refunds of a realm that were written down in that time, by (creation, number), after one of them.
  func refunds(
    madeIn range: Range<Timestamp>, after last: (date: Timestamp, number: String)?, in realm: AppEnvironment, limit: Int
  ) throws -> [Refund]
  /// How far the comparison with a store's bill of a day is.
  func reconciliation(of day: String, at store: Store, in realm: AppEnvironment) throws -> ReconciliationRecord?

  // MARK: payments

  func payment(_ key: PaymentKey) throws -> Payment?
  func echo(_ key: PaymentKey) throws -> DuplicateTransaction?
  /// Payments with that `originalTransactionId`, by (purchase date, transaction id). `original.transaction` is the
  /// original id. At most `DatabaseLimits.paymentsPerLine`.
  func payments(ofOriginal original: PaymentKey) throws -> [Payment]
  /// All duplicate ids of a line's payments, by key.
  func echoes(ofLine line: PaymentKey) throws -> [DuplicateTransaction]
  /// Payments whose ids disagree on a revocation, those first that have waited longest.
  func paymentsWithDisagreeingIds(in realm: AppEnvironment, limit: Int) throws -> [Payment]
  /// The payment paired with an order.
  func payment(paying order: OrderKey) throws -> Payment?
  /// Payments of a realm in a state (`PaymentState.word`) first seen before a moment, by (first seen, key): the
  /// operator's queue. Quick for every state but `fulfilled`, which the store does not index.
  func payments(
    inState word: String, firstSeenBefore moment: Timestamp, in realm: AppEnvironment, limit: Int
  ) throws -> [Payment]
  /// All payments after a key, in key order: for the audit.
  func payments(after key: PaymentKey?, limit: Int) throws -> [Payment]
  /// What the store said about a payment, in order of receipt.
  func evidence(of payment: PaymentKey) throws -> [Evidence]
  /// What was stopped of the changes that a transaction id would make, by (first seen, statement).
  func stoppedChanges(of payment: PaymentKey) throws -> [StoppedChange]
  /// Stopped changes that are due by now, by (next attempt, key, statement).
  func stoppedChanges(dueAt now: Timestamp, limit: Int) throws -> [StoppedChange]
  /// Stopped changes of a realm, by (first seen, key, statement): the operator's queue.
  func stoppedChanges(in realm: AppEnvironment, limit: Int) throws -> [StoppedChange]
  /// Stopped changes that name an order, by (first seen, key, statement).
  func stoppedChanges(naming order: OrderKey) throws -> [StoppedChange]
  /// How many stopped changes of a realm there are of each kind, by kind; kinds without any are left out.
  func countOfStoppedChanges(in realm: AppEnvironment) throws -> [(kind: StoppedChange.Kind, count: Int)]
  /// When the earliest stopped change is due; nil when there is none.
  func nextStoppedChange() throws -> Timestamp?
  /// A subscription line; `key.transaction` is the `originalTransactionId`.
  func line(_ key: PaymentKey) throws -> Subscription?
  /// Lines of a realm about which the store is to be asked by now, by (time of the question, key).
  func linesToAsk(at now: Timestamp, in realm: AppEnvironment, limit: Int) throws -> [Subscription]
  /// Users known, by exact matches, for an `appTransactionId`.
  func users(ofAppTransaction identifier: String, in realm: AppEnvironment) throws -> Set<UserIdentifier>
  /// How many claims a user has made at or since a moment.
  func claims(by user: UserIdentifier, since moment: Timestamp, in realm: AppEnvironment) throws -> Int
  /// What the earlier system's list of deliveries says about a transaction; `notLoaded` until the list is whole.
  func earlierDelivery(of key: PaymentKey) throws -> CutOver.Earlier
  /// Whether a transaction is on the earlier system's list, be it whole or not.
  func isEarlierDelivery(_ key: PaymentKey) throws -> Bool
  /// Until when the earlier system's list names every delivery; nil while there is none or it is not whole.
  func earlierListReach(at store: Store, in realm: AppEnvironment) throws -> Timestamp?
  /// Whose a transaction was by the earlier system's books.
  func importedOwner(_ key: PaymentKey) throws -> ImportedOwner?

  // MARK: App Store

  /// What Apple is still to be asked or told about a transaction.
  func appStoreTask(_ purpose: AppStoreTask.Purpose, about payment: PaymentKey) throws -> AppStoreTask?
  /// AppStoreTasks that are due by now, by (time, key, purpose).
  func appStoreTasks(dueAt now: Timestamp, limit: Int) throws -> [AppStoreTask]
  /// When the earliest errand is due; nil when there is none.
  func nextAppStoreTask() throws -> Timestamp?
  /// The text of a receipt by its digest.
  func receipt(digest: String) throws -> String?
  /// How far a customer's history has been read.
  func appStoreHistory(of customer: PaymentKey) throws -> AppStoreHistory?
  /// Histories of a realm that are to be read by now, by (time, key).
  func appStoreHistories(dueAt now: Timestamp, in realm: AppEnvironment, limit: Int) throws -> [AppStoreHistory]

  // MARK: ledger

  func grant(_ payment: PaymentKey) throws -> Grant?
  /// Each product of which something was ever granted, by (app, product, kind).
  func promisedProducts() throws -> [PromisedProduct]
  /// The newest grant, by (purchase date, payment), that was promised as a product. It may look at all grants of the
  /// app.
  func newestGrant(of product: PromisedProduct) throws -> Grant?
  /// App Store products of subscriptions of which a payment waits for its owner, or is held for another reason than
  /// that the product is unknown; by (app, product).
  func waitingSubscriptions() throws -> [WaitingSubscription]
  /// Grants of a realm whose promise says not what a piece gives, by payment: what an earlier version has stored does
  /// not divide by the quantity. The operator decides.
  func grantsOfUnknownPromise(in realm: AppEnvironment, limit: Int) throws -> [Grant]
  /// The refunds of a payment that took effect, in order.
  func changes(of payment: PaymentKey) throws -> [GrantChange]
  /// A user's grants of rights, each with its payment's facts and what is known of its line, the newest first, by
  /// (grant time, payment); at most `DatabaseLimits.entitlementsPerUser`.
  func rightSources(of user: UserIdentifier, in realm: AppEnvironment) throws -> [EntitlementSource]
  /// The first payments (`originalTransactionId`) of the rights of others that a user shares, in key order.
  func sharedRights(of user: UserIdentifier, in realm: AppEnvironment) throws -> [PaymentKey]
  /// With how many users a right is shared.
  func countOfShares(of original: PaymentKey) throws -> Int
  func balances(of user: UserIdentifier, in realm: AppEnvironment) throws -> [Balance]
  /// A user's balance of a unit; nil where nothing was ever posted to it.
  func balance(of user: UserIdentifier, unit: UnitName, in realm: AppEnvironment) throws -> Balance?
  /// The movements that a payment caused, in order.
  func postings(of payment: PaymentKey) throws -> [Posting]
  /// All balances after (realm, user, unit) of one, in that order: for the audit.
  func balances(after balance: Balance?, limit: Int) throws -> [Balance]
  /// The sum of the postings on a user's account, computed from the postings.
  func sumOfPostings(of user: UserIdentifier, unit: UnitName, in realm: AppEnvironment) throws -> Int64
  /// The postings on a user's account, newest first, with numbers below one.
  func entries(
    of user: UserIdentifier, unit: UnitName, in realm: AppEnvironment, before number: Int64?, limit: Int
  ) throws -> [LedgerEntry]
  /// What was booked under a key.
  func booking(_ key: String, in realm: AppEnvironment) throws -> Booking?
  /// Whether anything was ever booked in a realm: whether its wallets are used.
  func hasBookings(in realm: AppEnvironment) throws -> Bool
  /// Both sides of the ledger of each realm and unit, by (realm, unit); those of an app where one is named. It reads
  /// all postings: for the audit.
  func ledgerSums(of app: AppIdentifier?) throws -> [LedgerSum]
  /// How many payments were granted to a user, and how many of them were refunded.
  func refundRatio(of user: UserIdentifier, in realm: AppEnvironment) throws -> RefundRatio
  /// What a user said about telling Apple how far his purchases are used.
  func consumptionConsent(of user: UserIdentifier, in realm: AppEnvironment) throws -> ConsumptionConsent?

  // MARK: messages

  func notification(_ id: String, in realm: AppEnvironment) throws -> ReceivedNotification?
  /// Notifications of a type that were kept without an effect, by id, after one of them.
  func keptNotifications(
    of type: String, after id: String?, in realm: AppEnvironment, limit: Int
  ) throws -> [ReceivedNotification]
  /// How many notifications of each type were kept without an effect, by type.
  func countOfKeptNotifications(in realm: AppEnvironment) throws -> [(type: String, count: Int)]
  func delivery(_ id: DeliveryIdentifier) throws -> Delivery?
  func deliveries(of payment: PaymentKey) throws -> [Delivery]
  /// An order's deliveries, by (creation, id).
  func deliveries(of order: OrderKey) throws -> [Delivery]
  /// Deliveries of a realm, by (creation, id). After an id that the realm does not know there is nothing.
  func deliveries(_ query: DeliveryQuery) throws -> [Delivery]
  /// Pending deliveries of a realm that may be tried now: due, not leased, none before them in their payment's
  /// sequence that is not acknowledged. A lease ends at its moment. By (the later of due time and lease end, id): the
  /// longest ready first.
  func dueDeliveries(at now: Timestamp, in realm: AppEnvironment, limit: Int) throws -> [Delivery]
  /// From when on `dueDeliveries` of a realm has something to give: the earliest end of waiting, leases included, over
  /// its pending deliveries that no earlier one of their payment blocks; nil when there is none.
  func nextDeliveryTime(in realm: AppEnvironment) throws -> Timestamp?
  /// How many deliveries of a realm are pending and how many parked, and when the oldest pending one was made.
  func deliveryBacklog(in realm: AppEnvironment) throws -> DeliveryBacklog
  /// A notification that is passed on.
  func forward(of notification: String, in realm: AppEnvironment) throws -> NotificationForward?
  /// Those of an app that may be tried now: pending, due, not leased; by (the later of due time and lease end,
  /// environment, id).
  func dueForwards(at now: Timestamp, of app: AppIdentifier, limit: Int) throws -> [NotificationForward]
  /// From when on `dueForwards` has something to give; nil when nothing is pending.
  func nextForwardTime(of app: AppIdentifier) throws -> Timestamp?
  /// Those of an app that are not acknowledged, pending or parked, by (creation, environment, id).
  func openForwards(of app: AppIdentifier, limit: Int) throws -> [NotificationForward]
  /// How many of an app are pending and how many parked, and when the oldest pending one was made.
  func forwardBacklog(of app: AppIdentifier) throws -> DeliveryBacklog
  /// The story of an order, in order.
  func journal(of order: OrderKey) throws -> [JournalEntry]
  /// The story of a payment, in order.
  func journal(of payment: PaymentKey) throws -> [JournalEntry]

  // MARK: the installation

  func apiKey(_ id: CredentialIdentifier) throws -> APIKey?
  func apiKeys(of app: AppIdentifier) throws -> [APIKey]
  /// A setting of the installation, such as its secret or the mark of its profile.
  func setting(_ name: String) throws -> String?
}
