package import PaymentModel
package import PaymentPrimitives

/// The read operations. Every list has the stated order and at most `limit` rows; a negative limit gives none.
///
/// Texts are compared as UTF-8 bytes everywhere, never by Unicode equivalence. "In order" means the order of
/// insertion.
///
/// Inside a transaction, a row that was read is protected until the end. Either it does not change under the
/// transaction, or the transaction gets a `DatabaseConflict`.
package protocol DatabaseReader: OperatorListReader, PhoneDiagnosticsReader, OperatorAccessReader, JournalFeedReader,
  ComplaintReader, PromotionalEntitlementReader, ErasureReader, RetentionReader,
  HourlyTotalReader
{
  // MARK: orders

  func order(_ key: OrderKey) throws -> Order?
  /// Says that an order will be read. A database that asks its server together with other questions does so now.
  ///
  /// - Returns: whether it does. The order is a row that the transaction has read then.
  func foresee(_ order: OrderKey) -> Bool
  /// An order with its payment and its deliveries, in the first of the app's environments that has it; only of that
  /// user unless `user` is nil. At most `StoreEnvironment.allCases` environments.
  func orderWithPayment(
    _ id: OrderIdentifier, of app: AppIdentifier, in environments: [StoreEnvironment], user: UserIdentifier?
  ) throws -> OrderWithPayment?
  /// The order with a number from the app's backend (unique in the app environment).
  func order(referenceFromBackend text: String, in appEnvironment: AppEnvironment) throws -> Order?
  /// The order with a number from the app for that user (unique for the user).
  func order(referenceFromApp text: String, of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> Order?
  /// The order that was created with a caller's idempotency key.
  func order(idempotencyKey key: String, of caller: String, in appEnvironment: AppEnvironment) throws -> Order?
  /// Orders, newest first, by (creation, id).
  func orders(_ query: OrderQuery) throws -> [Order]
  /// A user's unpaid orders (open or closed) for a product at a store, created in that time. By (creation, id), at
  /// most `DatabaseLimits.ordersPerUser`.
  func unpaidOrders(
    of user: UserIdentifier, for product: ProductIdentifier, at store: Store,
    madeIn range: ClosedRange<Timestamp>, in appEnvironment: AppEnvironment
  ) throws -> [Order]
  /// A user's orders that await payment, by (creation, id), at most `DatabaseLimits.ordersPerUser`.
  func openOrders(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> [Order]
  /// App Store orders that await payment at or after their expiry, by (expiry, key). WeChat Pay orders are closed at
  /// WeChat Pay first, so their scheduled questions end them.
  func ordersToExpire(at now: Timestamp, limit: Int) throws -> [Order]
  /// All orders after a key, in key order: for the audit.
  func orders(after key: OrderKey?, limit: Int) throws -> [Order]

  // MARK: WeChat Pay

  /// The WeChat Pay data of an order.
  func weChatPayOrder(_ key: OrderKey) throws -> WeChatPayOrder?
  /// WeChat Pay orders with a question due by now, by (time of the question, key).
  func weChatPayOrdersToAsk(at now: Timestamp, limit: Int) throws -> [WeChatPayOrder]
  func refund(_ number: String, in appEnvironment: AppEnvironment) throws -> Refund?
  /// All refunds of a payment, by (creation, number); at most `DatabaseLimits.refundsPerPayment`.
  func refunds(of payment: PaymentKey) throws -> [Refund]
  /// Refunds with a question to the store due by now, by (time of the question, app environment, number).
  func refundsToAsk(at now: Timestamp, limit: Int) throws -> [Refund]
  /// When the earliest question about an order or a refund is due; nil if there is none.
  func nextStoreQuestion() throws -> Timestamp?
  /// Charges (payments that state a merchant) of an app environment in that time, by (purchase date, transaction id),
  /// after the given one. Used for the comparison with a bill.
  func charges(
    madeIn range: Range<Timestamp>, after last: (date: Timestamp, transaction: TransactionIdentifier)?,
    in appEnvironment: AppEnvironment,
    limit: Int
  ) throws -> [Payment]
  /// Refunds of an app environment that were recorded in that time, by (creation, number), after the given one.
  func refunds(
    madeIn range: Range<Timestamp>, after last: (date: Timestamp, number: String)?, in appEnvironment: AppEnvironment,
    limit: Int
  ) throws -> [Refund]
  /// The progress of the comparison with a store's bill of a day.
  func reconciliation(of day: String, at store: Store, in appEnvironment: AppEnvironment) throws
    -> ReconciliationRecord?

  // MARK: payments

  func payment(_ key: PaymentKey) throws -> Payment?
  func duplicate(_ key: PaymentKey) throws -> DuplicateTransaction?
  /// Payments with that `originalTransactionId`, by (purchase date, transaction id). `original.transaction` is the
  /// original id. At most `DatabaseLimits.paymentsPerSubscription`.
  func payments(ofOriginal original: PaymentKey) throws -> [Payment]
  /// All duplicate ids of a subscription's payments, by key.
  func duplicates(ofOriginal original: PaymentKey) throws -> [DuplicateTransaction]
  /// Payments with ids that disagree on a revocation, the longest waiting first.
  func paymentsWithDisagreeingIds(in appEnvironment: AppEnvironment, limit: Int) throws -> [Payment]
  /// The payment that is paired with an order.
  func payment(paying order: OrderKey) throws -> Payment?
  /// Payments of an app environment in a state (`PaymentState.name`), first seen before a moment, by (first seen,
  /// key). This is the operator's queue. Fast for every state but `fulfilled`, which has no index.
  func payments(
    inState name: String, firstSeenBefore moment: Timestamp, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [Payment]
  /// All payments after a key, in key order: for the audit.
  func payments(after key: PaymentKey?, limit: Int) throws -> [Payment]
  /// The store's statements about a payment, in order of receipt.
  func evidence(of payment: PaymentKey) throws -> [Evidence]
  /// The stopped changes of a transaction id, by (first seen, statement).
  func stoppedChanges(of payment: PaymentKey) throws -> [StoppedChange]
  /// Stopped changes that are due by now, by (next attempt, key, statement).
  func stoppedChanges(dueAt now: Timestamp, limit: Int) throws -> [StoppedChange]
  /// Stopped changes of an app environment, by (first seen, key, statement): the operator's queue.
  func stoppedChanges(in appEnvironment: AppEnvironment, limit: Int) throws -> [StoppedChange]
  /// Stopped changes that name an order, by (first seen, key, statement).
  func stoppedChanges(naming order: OrderKey) throws -> [StoppedChange]
  /// The number of stopped changes in an app environment per kind, by kind; kinds without any are omitted.
  func countOfStoppedChanges(in appEnvironment: AppEnvironment) throws -> [(kind: StoppedChange.Kind, count: Int)]
  /// When the earliest stopped change is due; nil if there is none.
  func nextStoppedChange() throws -> Timestamp?
  /// A subscription; `key.transaction` is the `originalTransactionId`.
  func subscription(_ key: PaymentKey) throws -> Subscription?
  /// Subscriptions of an app environment with a question to the store due by now, by (time of the question, key).
  func subscriptionsToAsk(at now: Timestamp, in appEnvironment: AppEnvironment, limit: Int) throws -> [Subscription]
  /// The users known by exact matches for an `appTransactionId`.
  func users(ofAppTransaction identifier: String, in appEnvironment: AppEnvironment) throws -> Set<UserIdentifier>
  /// The number of a user's claims at or since a moment.
  func claims(by user: UserIdentifier, since moment: Timestamp, in appEnvironment: AppEnvironment) throws -> Int
  /// What the earlier system's list of deliveries says about a transaction; `notLoaded` until the list is complete.
  func earlierDelivery(of key: PaymentKey) throws -> CutOver.Earlier
  /// Whether a transaction is on the earlier system's list, complete or not.
  func isEarlierDelivery(_ key: PaymentKey) throws -> Bool
  /// Until when the earlier system's list contains every delivery; nil if there is no list or it is incomplete.
  func earlierListReach(at store: Store, in appEnvironment: AppEnvironment) throws -> Timestamp?
  /// The owner of a transaction in the records of the earlier system.
  func importedOwner(_ key: PaymentKey) throws -> ImportedOwner?

  // MARK: App Store

  /// The App Store task of that purpose about a transaction.
  func appStoreTask(_ purpose: AppStoreTask.Purpose, about payment: PaymentKey) throws -> AppStoreTask?
  /// App Store tasks that are due by now, by (time, key, purpose).
  func appStoreTasks(dueAt now: Timestamp, limit: Int) throws -> [AppStoreTask]
  /// When the earliest App Store task is due; nil if there is none.
  func nextAppStoreTask() throws -> Timestamp?
  /// The text of a receipt by its digest.
  func receipt(digest: String) throws -> String?
  /// How far a customer's history has been read.
  func appStoreHistory(of customer: PaymentKey) throws -> AppStoreHistory?
  /// Histories of an app environment that are due by now, by (time, key).
  func appStoreHistories(dueAt now: Timestamp, in appEnvironment: AppEnvironment, limit: Int) throws
    -> [AppStoreHistory]

  // MARK: ledger

  func grant(_ payment: PaymentKey) throws -> Grant?
  /// Each product that was ever granted, by (app, product, kind).
  func promisedProducts() throws -> [PromisedProduct]
  /// The newest grant that was promised as a product, by (purchase date, payment). It may read all grants of the app.
  func newestGrant(of product: PromisedProduct) throws -> Grant?
  /// App Store products of subscriptions with a payment that waits for its owner, by (app, product). Held payments
  /// count, too, except those with an unknown product as the reason.
  func waitingSubscriptions() throws -> [WaitingSubscription]
  /// Grants of an app environment with a promise that does not say what a piece gives, by payment. The stored amount
  /// of an earlier version is not divisible by the quantity. The operator decides.
  func grantsOfUnknownPromise(in appEnvironment: AppEnvironment, limit: Int) throws -> [Grant]
  /// The refunds of a payment that took effect, in order.
  func changes(of payment: PaymentKey) throws -> [GrantChange]
  /// A user's entitlement grants, each with its payment's facts and the known state of its subscription. Newest first,
  /// by (grant time, payment); at most `DatabaseLimits.entitlementsPerUser`.
  func entitlementSources(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> [EntitlementSource]
  /// The entitlements of other users that are shared with a user, in key order. Each is identified by its first
  /// payment (`originalTransactionId`).
  func sharedEntitlements(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> [PaymentKey]
  /// The number of users who share an entitlement.
  func countOfShares(of original: PaymentKey) throws -> Int
  func balances(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> [Balance]
  /// A user's balance of a unit; nil if it has no postings.
  func balance(of user: UserIdentifier, unit: UnitName, in appEnvironment: AppEnvironment) throws -> Balance?
  /// The postings of a payment, in order.
  func postings(of payment: PaymentKey) throws -> [Posting]
  /// The units that bookings credited to a user at or since a moment; `Int64.max` if they are more.
  func creditedUnits(
    to user: UserIdentifier, unit: UnitName, since moment: Timestamp, in appEnvironment: AppEnvironment
  ) throws -> Int64
  /// What bookings credited to all users in that time, by unit. It reads them all: for reports.
  func sumsOfCredits(givenIn range: Range<Timestamp>, in appEnvironment: AppEnvironment) throws -> [CreditSum]
  /// All balances after the given one, by (app environment, user, unit): for the audit.
  func balances(after balance: Balance?, limit: Int) throws -> [Balance]
  /// The sum of the postings on a user's account, computed from the postings.
  func sumOfPostings(of user: UserIdentifier, unit: UnitName, in appEnvironment: AppEnvironment) throws -> Int64
  /// The postings on a user's account with numbers below `number`, newest first.
  func entries(
    of user: UserIdentifier, unit: UnitName, in appEnvironment: AppEnvironment, before number: Int64?, limit: Int
  ) throws -> [LedgerEntry]
  func booking(_ key: String, in appEnvironment: AppEnvironment) throws -> Booking?
  /// Whether an app environment has any bookings, that is, whether its balances are used.
  func hasBookings(in appEnvironment: AppEnvironment) throws -> Bool
  /// Both sides of the ledger per app environment and unit, in that order; only of one app if `app` is given. It reads
  /// all postings: for the audit.
  func ledgerSums(of app: AppIdentifier?) throws -> [LedgerSum]
  /// How many payments were granted to a user, and how many of them were refunded.
  func refundRatio(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> RefundRatio
  /// The merge of a user into another one; nil for a user who was never merged.
  func merge(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> UserMerge?
  /// Says that the merge of a user will be read, like `foresee(_ order:)`.
  func foresee(mergeOf user: UserIdentifier, in appEnvironment: AppEnvironment)
  /// The same for a user's spending limits.
  func foresee(limitsOf user: UserIdentifier, in appEnvironment: AppEnvironment)
  /// The same for the erasure of a user that is under way.
  func foresee(erasureOf user: UserIdentifier, in appEnvironment: AppEnvironment)
  /// A user's spending limits, lifted ones included, by currency.
  func spendingLimits(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> [SpendingLimit]
  /// The user's consent to sending Apple consumption data.
  func consumptionConsent(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> ConsumptionConsent?

  // MARK: messages

  func notification(_ id: String, in appEnvironment: AppEnvironment) throws -> ReceivedNotification?
  /// Notifications of a type that were kept without an effect, by id, after the given one.
  func keptNotifications(
    of type: String, after id: String?, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [ReceivedNotification]
  /// The number of notifications per type that were kept without an effect, by type.
  func countOfKeptNotifications(in appEnvironment: AppEnvironment) throws -> [(type: String, count: Int)]
  func delivery(_ id: DeliveryIdentifier) throws -> Delivery?
  func deliveries(of payment: PaymentKey) throws -> [Delivery]
  /// Deliveries of an app environment, in order. After an id that the app environment does not have, the list is empty.
  func deliveries(_ query: DeliveryQuery) throws -> [Delivery]
  /// Pending deliveries of an app environment that may be sent now: due, not leased, all earlier ones of the payment
  /// acknowledged. A lease ends at its exact end time. By (the later of due time and lease end, id): the longest ready
  /// first.
  func dueDeliveries(at now: Timestamp, in appEnvironment: AppEnvironment, limit: Int) throws -> [Delivery]
  /// When `dueDeliveries` of an app environment next has a result; nil if never. It is the earliest ready time, leases
  /// included, of the pending deliveries that no earlier delivery of their payment blocks.
  func nextDeliveryTime(in appEnvironment: AppEnvironment) throws -> Timestamp?
  /// The number of pending and of parked deliveries in an app environment, and when the oldest pending one was
  /// created.
  func deliveryBacklog(in appEnvironment: AppEnvironment) throws -> DeliveryBacklog
  func forward(of notification: String, in appEnvironment: AppEnvironment) throws -> NotificationForward?
  /// An app's forwards that may be sent now: pending, due, not leased. By (the later of due time and lease end,
  /// environment, id).
  func dueForwards(at now: Timestamp, of app: AppIdentifier, limit: Int) throws -> [NotificationForward]
  /// When `dueForwards` next has a result; nil if nothing is pending.
  func nextForwardTime(of app: AppIdentifier) throws -> Timestamp?
  /// An app's forwards that are not acknowledged, pending or parked, by (creation, environment, id).
  func openForwards(of app: AppIdentifier, limit: Int) throws -> [NotificationForward]
  /// An app's number of pending and of parked forwards, and when the oldest pending one was created.
  func forwardBacklog(of app: AppIdentifier) throws -> DeliveryBacklog
  /// The claims that wait with a payment, in the order of their arrival.
  func keptClaims(of payment: PaymentKey) throws -> [KeptClaim]
  /// The journal of an order, in order.
  func journal(of order: OrderKey) throws -> [JournalEntry]
  /// The journal of a payment, in order.
  func journal(of payment: PaymentKey) throws -> [JournalEntry]

  // MARK: what an operator searches for

  /// Orders with a number from the app, of any user, newest first, by (creation, id).
  func orders(referenceFromApp text: String, in appEnvironment: AppEnvironment, limit: Int) throws -> [Order]
  /// The ids of orders created in that time, newest first, by (creation, id).
  func orderIdentifiers(
    madeIn range: ClosedRange<Timestamp>, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [OrderIdentifier]
  /// Payments with that `webOrderLineItemId`, by (purchase date, transaction id).
  func payments(ofLineItem item: String, in appEnvironment: AppEnvironment, limit: Int) throws -> [Payment]
  /// Payments with that token that pay no order and are not `fulfilled`, by (first seen, key).
  func payments(
    withUnmatchedToken token: OrderIdentifier, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [Payment]
  /// The payments that were granted to a user, the newest grant first, by (grant time, key).
  func payments(grantedTo user: UserIdentifier, in appEnvironment: AppEnvironment, limit: Int) throws -> [Payment]
  /// Refunds with the store's number (`refund_id`), by number.
  func refunds(storeNumber text: String, in appEnvironment: AppEnvironment, limit: Int) throws -> [Refund]

  // MARK: the installation

  func apiKey(_ id: CredentialIdentifier) throws -> APIKey?
  func apiKeys(of app: AppIdentifier) throws -> [APIKey]
  /// A setting of the installation, such as its secret or its profile.
  func setting(_ name: String) throws -> String?
}

extension DatabaseReader {
  package func foresee(_ order: OrderKey) -> Bool { false }

  package func foresee(mergeOf user: UserIdentifier, in appEnvironment: AppEnvironment) {}

  package func foresee(limitsOf user: UserIdentifier, in appEnvironment: AppEnvironment) {}

  package func foresee(erasureOf user: UserIdentifier, in appEnvironment: AppEnvironment) {}
}
